"""Slices, and elements picked by index."""

from collections.abc import Sequence

from ttstack.ops.types import DType
from ttstack.ttnn_python.calls.table import calls
from ttstack.ttnn_python.expression import Expression, call
from ttstack.ttnn_python.placed import Placed
from ttstack.ttnn_python.spelling import NoCallError, data_type


@calls("slice_static")
def slice_static(o: Placed) -> Expression:
    """Bounds for every dimension."""
    return _sliced(o, o.op.begins, o.op.ends, o.op.step)


@calls("index")
def index(o: Placed) -> Expression:
    """Bounds for one dimension."""
    begins, ends, step = _whole(o)
    at = o.op.dim % len(begins)
    begins[at], ends[at], step[at] = o.op.begin, o.op.end, o.op.step
    return _sliced(o, begins, ends, step)


@calls("index_select")
def index_select(o: Placed) -> Expression:
    """One window, or windows of one element."""
    begins, ends, step = _whole(o)
    at = o.op.dim % len(begins)
    if o.op.stride and o.op.length > 1:
        raise NoCallError(f"windows of {o.op.length} every {o.op.stride} have no call: join slices")
    begins[at], step[at] = o.op.begin, o.op.stride or 1
    ends[at] = ends[at] if o.op.stride else o.op.begin + o.op.length
    return _sliced(o, begins, ends, step)


def _whole(o: Placed) -> tuple[list[int], list[int], list[int]]:
    shape = o.op.input.shape
    return [0] * len(shape), list(shape), [1] * len(shape)


def _sliced(o: Placed, begins: Sequence[int], ends: Sequence[int], step: Sequence[int]) -> Expression:
    if min(step, default=1) < 0:
        raise NoCallError("a slice that goes down has no call")
    shape = o.op.input.shape
    low, high = ([b + e if b < 0 else b for b, e in zip(bounds, shape, strict=True)] for bounds in (begins, ends))
    return o.unary("slice", low, high, list(step))


@calls("gather")
def gather(o: Placed) -> Expression:
    """Elements along one dimension, by indices without sign."""
    indices, dtype = o.operand("index"), o.at("index")[1].dtype
    if dtype not in (DType.UI32, DType.UI16):
        indices = call("typecast", indices, data_type(DType.UI32))
    return call("gather", o.operand("input"), o.op.dim, indices, memory_config=o.memory)


@calls("scatter")
def scatter(o: Placed) -> Expression:
    """Elements put along one dimension, or added to what is there."""
    kinds = {"invalid": "scatter", "sum": "scatter_add"}
    if o.op.scatter_reduce_type not in kinds:
        raise NoCallError(f"a scatter by {o.op.scatter_reduce_type} has no call")
    return o.unary(kinds[o.op.scatter_reduce_type], o.op.dim, o.operand("index"), o.operand("source"))
