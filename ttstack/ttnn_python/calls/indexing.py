"""Slices, and elements picked by index."""

from collections.abc import Sequence

from ttstack.ops.types import TILE, DType
from ttstack.ttnn_python.calls.formats import compute_format
from ttstack.ttnn_python.calls.table import calls
from ttstack.ttnn_python.expression import Expression, Name, call
from ttstack.ttnn_python.placed_op import PlacedOp
from ttstack.ttnn_python.spelling import NoCallError, data_type


@calls("slice_static")
def slice_static(o: PlacedOp) -> Expression:
    """Bounds for every dimension."""
    return _sliced(o, o.op.begins, o.op.ends, o.op.step)


@calls("index")
def index(o: PlacedOp) -> Expression:
    """Bounds for one dimension."""
    begins, ends, step = _whole(o)
    at = o.op.dim % len(begins)
    begins[at], ends[at], step[at] = o.op.begin, o.op.end, o.op.step
    return _sliced(o, begins, ends, step)


@calls("index_select")
def index_select(o: PlacedOp) -> Expression:
    """One window, or windows of one element."""
    begins, ends, step = _whole(o)
    at = o.op.dim % len(begins)
    if o.op.stride and o.op.length > 1:
        raise NoCallError(f"windows of {o.op.length} every {o.op.stride} have no call: join slices")
    begins[at], step[at] = o.op.begin, o.op.stride or 1
    ends[at] = ends[at] if o.op.stride else o.op.begin + o.op.length
    return _sliced(o, begins, ends, step)


def _whole(o: PlacedOp) -> tuple[list[int], list[int], list[int]]:
    shape = o.op.input.shape
    return [0] * len(shape), list(shape), [1] * len(shape)


def _sliced(o: PlacedOp, begins: Sequence[int], ends: Sequence[int], step: Sequence[int]) -> Expression:
    if min(step, default=1) < 0:
        raise NoCallError("a slice that goes down has no call")
    shape = o.op.input.shape
    low, high = ([b + e if b < 0 else b for b, e in zip(bounds, shape, strict=True)] for bounds in (begins, ends))
    cut = zip(low[-2:], high[-2:], shape[-2:], strict=True)
    whole = set(step) <= {1} and all(b % TILE == 0 and (e % TILE == 0 or e == extent) for b, e, extent in cut)
    held = o.operand_dtype if whole else compute_format("slice of parts of tiles", o.operand_dtype)
    return o.cast(call("slice", o.as_format(0, held), low, high, list(step), memory_config=o.memory), held)


@calls("gather")
def gather(o: PlacedOp) -> Expression:
    """Elements along one dimension, by indices without sign."""
    indices, dtype = o.operand("index"), o.at("index")[1].dtype
    if dtype not in (DType.UI32, DType.UI16):
        indices = call("typecast", indices, data_type(DType.UI32))
    return call("gather", o.operand("input"), o.op.dim, indices, memory_config=o.memory)


@calls("scatter")
def scatter(o: PlacedOp) -> Expression:
    """Elements put along one dimension, or added to what is there; of 32 bits, in rows."""
    kinds = {"invalid": "scatter", "sum": "scatter_add"}
    if o.op.scatter_reduce_type not in kinds:
        raise NoCallError(f"a scatter by {o.op.scatter_reduce_type} has no call")
    name, held = kinds[o.op.scatter_reduce_type], compute_format("scatter", o.operand_dtype)
    x, source = o.as_format(0, held), o.as_format(2, held)
    if held is not DType.F32 or not o.device_op.operands[0].tiled:
        found = call(name, x, o.op.dim, o.operand("index"), source, memory_config=o.memory)
        return o.cast(found, held)
    rows = [call("to_layout", y, Name("ttnn.ROW_MAJOR_LAYOUT")) for y in (x, o.operand("index"), source)]
    found = call(name, rows[0], o.op.dim, *rows[1:])
    return o.cast(call("to_layout", found, Name("ttnn.TILE_LAYOUT"), memory_config=o.memory), held)
