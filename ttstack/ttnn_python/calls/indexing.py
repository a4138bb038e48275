"""Slices, gathers and scatters."""

from collections.abc import Sequence

from ttstack.device.sequences.indexing import bounds_of
from ttstack.ttnn_python.calls.table import calls
from ttstack.ttnn_python.expression import Expression, call
from ttstack.ttnn_python.placed_op import PlacedOp
from ttstack.ttnn_python.spelling import NoCallError


@calls("slice_static")
def slice_static(o: PlacedOp) -> Expression:
    """Pass bounds for every dimension."""
    return _sliced(o, o.op.begins, o.op.ends, o.op.step)


@calls("index", "index_select")
def index(o: PlacedOp) -> Expression:
    """Slice one dimension: one window, or windows of one element."""
    if o.op.mnemonic == "index_select" and o.op.stride and o.op.length > 1:
        raise NoCallError(f"windows of {o.op.length} with stride {o.op.stride} have no call: concatenate slices")
    return _sliced(o, *bounds_of(o.op))


def _sliced(o: PlacedOp, begins: Sequence[int], ends: Sequence[int], step: Sequence[int]) -> Expression:
    if min(step, default=1) < 0:
        raise NoCallError("a slice with a negative step has no call")
    shape = o.op.input.shape
    low, high = ([b + e if b < 0 else b for b, e in zip(bounds, shape, strict=True)] for bounds in (begins, ends))
    return o.unary("slice", low, high, list(step))


@calls("gather")
def gather(o: PlacedOp) -> Expression:
    """Gather along one dimension."""
    return call("gather", o.operand("input"), o.op.dim, o.operand("index"), memory_config=o.memory)


@calls("scatter")
def scatter(o: PlacedOp) -> Expression:
    """Scatter along one dimension, by replacement, addition or multiplication."""
    kind, (x, indices, source) = o.op.scatter_reduce_type, o.operands
    if kind in ("min", "max"):
        raise NoCallError(f"a scatter with reduction {kind} has no call: use the pass `decompose`")
    name = "scatter_add" if kind == "sum" else "scatter"
    by = "multiply" if kind == "prod" else None
    return call(name, x, o.op.dim, indices, source, reduce=by, memory_config=o.memory)
