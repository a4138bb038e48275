"""Lookups of rows of a table."""

from ttstack.ops.types import DType
from ttstack.ttnn_python.calls.table import calls
from ttstack.ttnn_python.expression import Expression, call
from ttstack.ttnn_python.placed import Placed
from ttstack.ttnn_python.spelling import NoCallError, data_type, layout


@calls("embedding")
def embedding(o: Placed) -> Expression:
    """Rows by indices without sign, of a table of bf16."""
    table = o.at("weight")[1].dtype
    if table is not DType.BF16:
        raise NoCallError(f"a table of {table}: compile with weights in bf16")
    ids = o.operand("input")
    if o.at("input")[1].dtype is not DType.UI32:
        ids = call("typecast", ids, data_type(DType.UI32))
    shape = o.op.input.shape if o.op.shape is None else o.op.shape
    matrix = shape if len(shape) == 2 else (1, o.op.input.size)
    if tuple(o.op.input.shape) != tuple(matrix):
        ids = call("reshape", ids, list(matrix))
    keywords = {"layout": layout(o.result[1]), "dtype": data_type(DType.BF16), "memory_config": o.memory}
    found = o.cast(call("embedding", ids, o.operand("weight"), **keywords), DType.BF16)
    result = o.op.results[0].shape
    return found if len(shape) == 2 else call("reshape", found, list(result))


@calls("embedding_backward")
def embedding_backward(o: Placed) -> Expression:
    """Gradients added up by row of the table."""
    width, rows = o.op.weight.shape[-1], o.op.input.size
    gradient = call("reshape", o.operand("in_gradient"), [1, 1, rows, width])
    found = call(
        "embedding_bw", o.operand("input"), o.operand("weight"), gradient, dtype=o.dtype, memory_config=o.memory
    )
    return call("reshape", found, list(o.op.results[0].shape))
