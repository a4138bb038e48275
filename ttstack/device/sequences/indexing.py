"""Slices, and elements picked by index."""

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
"""What cuts tiles, by the name under which its formats stand."""

_WIDE = (DType.SI32, DType.UI32)
_LONGEST_LINE = 256
"""Elements of a line that is scattered in tiles, where integers of 32 bits are among them."""


@calls_of("slice_static")
def slice_static(s: CallWriter) -> CallSequence | None:
    """What begins within tiles is not cut in blocks of numbers."""
    return _cut(s, s.op.begins, s.op.step)


@calls_of("index", "index_select")
def index(s: CallWriter) -> CallSequence | None:
    """Bounds for one dimension."""
    begins, _, step = bounds_of(s.op)
    return _cut(s, begins, step)


def bounds_of(op: object) -> tuple[list[int], list[int], list[int]]:
    """First, past the last, and step of a slice along one dimension, for all dimensions."""
    assert isinstance(op, Index | IndexSelect), op
    shape = op.input.shape
    begins, ends, step = [0] * len(shape), list(shape), [1] * len(shape)
    at = op.dim % len(shape)
    if isinstance(op, Index):
        begins[at], ends[at], step[at] = op.begin, op.end, op.step
    else:
        begins[at], step[at] = op.begin, op.stride or 1
        ends[at] = ends[at] if op.stride else op.begin + op.length
    return begins, ends, step


def _cut(s: CallWriter, begins: Sequence[int], step: Sequence[int]) -> CallSequence | None:
    low = [b + e if b < 0 else b for b, e in zip(begins, s.op.input.shape, strict=True)]
    whole = set(step) <= {1} and len(low) > 1 and all(b % TILE == 0 for b in low[-2:])
    given = s.layout(0).dtype
    return compute_first_in(s, given if whole else compute_format(CUT, given))


@calls_of("reverse")
def reverse(s: CallWriter) -> CallSequence | None:
    """Each dimension gathered by indices that count down, since there is no flip."""
    lead = (1,) if s.op.input.rank == 1 else ()  # gathers are along one of two dimensions at least
    shape, given = (*lead, *s.op.input.shape), s.layout(0).dtype
    held = DType.BF16 if given.is_block else given
    found = s.reshape(s.cast(0, held), shape)
    for d in (len(lead) + d for d in s.op.dimensions):
        count = shape[d]
        line = TensorType((count,), DType.UI32)
        down = s.call(Arange(type=line, start=count - 1, end=-1, step=-1, arange_dimension=0), to=Layout(DType.UI32))
        apart = s.reshape(down, [*[1] * d, count, *[1] * (len(shape) - 1 - d)])
        times = (*shape[:d], 1, *shape[d + 1 :])
        at = s.call(Repeat(input=s.type(apart), repeat_dimensions=times), apart) if set(times) - {1} else apart
        gathered = Gather(input=s.type(found), index=s.type(at), dim=d)
        found = s.call(gathered, found, at, to=replace(s.wanted, dtype=held))
    found = s.reshape(found, s.op.input.shape, to=replace(s.wanted, dtype=held))
    return s.end(s.cast(found, s.wanted.dtype, to=s.wanted))


@calls_of("gather")
def gather(s: CallWriter) -> CallSequence | None:
    """Elements along one dimension, of two at least, by indices without sign.

    What is not gathered along rows is transposed back into the memory of the indices, whatever memory is asked for.
    """
    at = 1 if s.layout(1).dtype in (DType.UI32, DType.UI16) else s.cast(1, DType.UI32)
    if s.op.input.rank > 1:
        given, transposed = s.layout(at), s.op.dim % s.op.input.rank != s.op.input.rank - 1
        there = s.wanted.interleave(given.memory_space) if transposed and not given.sharded else s.wanted
        found = s.itself(s.op, 0, at, to=[there])
        return s.end(found if there == s.wanted else s.call(ToLayout(input=s.type(found)), found, to=s.wanted))
    x, at = s.reshape(0, [1, s.op.input.size]), s.reshape(at, [1, s.op.index.size])
    found = s.itself(Gather(input=s.type(x), index=s.type(at), dim=1), x, at)
    return s.end(s.reshape(found, s.op.results[0].shape, to=s.wanted))


@calls_of("scatter")
def scatter(s: CallWriter) -> CallSequence | None:
    """Elements put along one dimension, or added to or multiplied with what is there.

    Real numbers of 32 bits are in rows, and all where many places or integers of 32 bits go to one line.
    """
    held = compute_format("scatter", s.layout(0).dtype)
    x, source = s.cast(0, held), s.cast(2, held)
    lines = ((x, s.op.input), (1, s.op.index), (source, s.op.source))
    long = any(s.layout(v).dtype in _WIDE and t.shape[s.op.dim] > _LONGEST_LINE for v, t in lines)
    if not s.layout(0).tiled or not (held is DType.F32 or long):
        found = s.itself(s.op, x, 1, source, to=[replace(s.wanted, dtype=held)])
        return s.end(s.cast(found, s.wanted.dtype, to=s.wanted))
    plain = [s.untile(v) for v in (x, 1, source)]
    found = s.itself(s.op, *plain, to=[Layout(held, tiled=False)])
    tiled = s.call(ToLayout(input=s.type(found)), found, to=replace(s.wanted, dtype=held))
    return s.end(s.cast(tiled, s.wanted.dtype, to=s.wanted))
