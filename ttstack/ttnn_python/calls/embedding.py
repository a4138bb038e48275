"""Lookups of rows of a table."""

from ttstack.ttnn_python.calls.table import calls
from ttstack.ttnn_python.expression import Expression, call
from ttstack.ttnn_python.placed_op import PlacedOp
from ttstack.ttnn_python.spelling import layout


@calls("embedding")
def embedding(o: PlacedOp) -> Expression:
    """Look up rows by 2-D indices in a bf16 table."""
    keywords = {"dtype": o.dtype, "layout": layout(o.result[1]), "memory_config": o.memory}
    return call("embedding", *o.operands, **keywords)


@calls("embedding_backward")
def embedding_backward(o: PlacedOp) -> Expression:
    """Add up gradients by table row, with a four-dimensional result."""
    found = call("embedding_bw", *o.operands, dtype=o.dtype, memory_config=o.memory)
    return call("reshape", found, list(o.op.results[0].shape))
