"""Slices, gathers and scatters."""

from collections.abc import Sequence
from dataclasses import replace

from ttstack.device.layout import Layout
from ttstack.device.sequences.formats import compute_first_in, compute_format
from ttstack.device.sequences.sequence import CallSequence, CallWriter, calls_of
from ttstack.ops.creation import Arange
from ttstack.ops.generic import ToLayout
from ttstack.ops.indexing import Gather, Index, IndexSelect
from ttstack.ops.shape import Repeat
from ttstack.ops.types import TILE, DType, TensorType

CUT = "slice of parts of tiles"
"""The key of the formats that slices within tiles support."""

_WIDE = (DType.SI32, DType.UI32)
_LONGEST_LINE = 256
"""Maximum elements of a tiled line for scatter with 32-bit integers."""


@calls_of("slice_static")
def slice_static(s: CallWriter) -> CallSequence | None:
    """Cut slices that begin within tiles in a format without blocks."""
    return _cut(s, s.op.begins, s.op.step)


@calls_of("index", "index_select")
def index(s: CallWriter) -> CallSequence | None:
    """Slice one dimension."""
    begins, _, step = bounds_of(s.op)
    return _cut(s, begins, step)


def bounds_of(op: object) -> tuple[list[int], list[int], list[int]]:
    """Return start, end and step of a slice along one dimension, for all dimensions."""
    assert isinstance(op, Index | IndexSelect), op
    shape = op.input.shape
    begins, ends, step = [0] * len(shape), list(shape), [1] * len(shape)
    axis = op.dim % len(shape)
    if isinstance(op, Index):
        begins[axis], ends[axis], step[axis] = op.begin, op.end, op.step
    else:
        begins[axis], step[axis] = op.begin, op.stride or 1
        ends[axis] = ends[axis] if op.stride else op.begin + op.length
    return begins, ends, step


def _cut(s: CallWriter, begins: Sequence[int], step: Sequence[int]) -> CallSequence | None:
    low = [b + e if b < 0 else b for b, e in zip(begins, s.op.input.shape, strict=True)]
    whole = set(step) <= {1} and len(low) > 1 and all(b % TILE == 0 for b in low[-2:])
    source_dtype = s.layout(0).dtype
    return compute_first_in(s, source_dtype if whole else compute_format(CUT, source_dtype))


@calls_of("reverse")
def reverse(s: CallWriter) -> CallSequence | None:
    """Gather each dimension by descending indices, as there is no flip."""
    lead = (1,) if s.op.input.rank == 1 else ()  # gathers are along one of two dimensions at least
    shape, source_dtype = (*lead, *s.op.input.shape), s.layout(0).dtype
    call_dtype = DType.BF16 if source_dtype.is_block else source_dtype
    reversed_rows = s.reshape(s.cast(0, call_dtype), shape)
    for d in (len(lead) + d for d in s.op.dimensions):
        count = shape[d]
        line = TensorType((count,), DType.UI32)
        down = s.call(Arange(type=line, start=count - 1, end=-1, step=-1, arange_dimension=0), to=Layout(DType.UI32))
        apart = s.reshape(down, [*[1] * d, count, *[1] * (len(shape) - 1 - d)])
        times = (*shape[:d], 1, *shape[d + 1 :])
        indices = s.call(Repeat(input=s.type(apart), repeat_dimensions=times), apart) if set(times) - {1} else apart
        gathered = Gather(input=s.type(reversed_rows), index=s.type(indices), dim=d)
        reversed_rows = s.call(gathered, reversed_rows, indices, to=replace(s.wanted, dtype=call_dtype))
    reversed_rows = s.reshape(reversed_rows, s.op.input.shape, to=replace(s.wanted, dtype=call_dtype))
    return s.end(s.cast(reversed_rows, s.wanted.dtype, to=s.wanted))


@calls_of("gather")
def gather(s: CallWriter) -> CallSequence | None:
    """Gather along one dimension, for rank 2 or more, by unsigned indices.

    Results that are not gathered along rows are transposed back into the memory of the indices, regardless of the
    requested memory.
    """
    indices = 1 if s.layout(1).dtype in (DType.UI32, DType.UI16) else s.cast(1, DType.UI32)
    if s.op.input.rank > 1:
        index_layout, transposed = s.layout(indices), s.op.dim % s.op.input.rank != s.op.input.rank - 1
        gather_layout = (
            s.wanted.interleave(index_layout.memory_space) if transposed and not index_layout.sharded else s.wanted
        )
        gathered = s.itself(s.op, 0, indices, to=[gather_layout])
        return s.end(
            gathered if gather_layout == s.wanted else s.call(ToLayout(input=s.type(gathered)), gathered, to=s.wanted)
        )
    x, indices = s.reshape(0, [1, s.op.input.size]), s.reshape(indices, [1, s.op.index.size])
    gathered = s.itself(Gather(input=s.type(x), index=s.type(indices), dim=1), x, indices)
    return s.end(s.reshape(gathered, s.op.results[0].shape, to=s.wanted))


@calls_of("scatter")
def scatter(s: CallWriter) -> CallSequence | None:
    """Scatter along one dimension, by replacement, addition or multiplication.

    32-bit real numbers are in rows, and so are all others if many elements, or 32-bit integers, go to one line.
    """
    call_dtype = compute_format("scatter", s.layout(0).dtype)
    x, source = s.cast(0, call_dtype), s.cast(2, call_dtype)
    lines = ((x, s.op.input), (1, s.op.index), (source, s.op.source))
    long = any(s.layout(v).dtype in _WIDE and t.shape[s.op.dim] > _LONGEST_LINE for v, t in lines)
    if not s.layout(0).tiled or not (call_dtype is DType.F32 or long):
        scattered = s.itself(s.op, x, 1, source, to=[replace(s.wanted, dtype=call_dtype)])
        return s.end(s.cast(scattered, s.wanted.dtype, to=s.wanted))
    plain = [s.untile(v) for v in (x, 1, source)]
    scattered = s.itself(s.op, *plain, to=[Layout(call_dtype, tiled=False)])
    tiled = s.call(ToLayout(input=s.type(scattered)), scattered, to=replace(s.wanted, dtype=call_dtype))
    return s.end(s.cast(tiled, s.wanted.dtype, to=s.wanted))
