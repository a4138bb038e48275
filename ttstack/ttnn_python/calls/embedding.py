"""Lookups of rows of a table."""

from ttstack.ops.types import DType
from ttstack.ttnn_python.calls.table import calls
from ttstack.ttnn_python.expression import Expression, call
from ttstack.ttnn_python.placed_op import PlacedOp
from ttstack.ttnn_python.spelling import NoCallError, layout


@calls("embedding")
def embedding(o: PlacedOp) -> Expression:
    """Rows by indices of two dimensions, of a table of bf16."""
    table = o.at("weight")[1].dtype
    if table is not DType.BF16:
        raise NoCallError(f"a table of {table}: compile with weights in bf16")
    keywords = {"dtype": o.dtype, "layout": layout(o.result[1]), "memory_config": o.memory}
    return call("embedding", *o.operands, **keywords)


@calls("embedding_backward")
def embedding_backward(o: PlacedOp) -> Expression:
    """Gradients added up by row of the table, which come in four dimensions."""
    found = call("embedding_bw", *o.operands, dtype=o.dtype, memory_config=o.memory)
    return call("reshape", found, list(o.op.results[0].shape))


@calls("embedding_bag")
def embedding_bag(o: PlacedOp) -> Expression:
    """Those that are no lookups and sums."""
    why = "that offsets say" if o.op.offsets is not None else "in which an index does not count"
    raise NoCallError(f"the greatest of bags {why} has no call")
