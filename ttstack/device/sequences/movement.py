"""Ops that move elements."""

from dataclasses import replace

from ttstack.device.layout import Layout
from ttstack.device.sequences.formats import compute_first_in, compute_format, compute_in
from ttstack.device.sequences.indexing import CUT
from ttstack.device.sequences.sequence import CallSequence, CallWriter, calls_of
from ttstack.ops.base import OPS
from ttstack.ops.generic import ToLayout
from ttstack.ops.shape import Pad
from ttstack.ops.types import TILE, DType


@calls_of("reshape", "squeeze", "unsqueeze")
def reshape(s: CallWriter) -> CallSequence | None:
    """The same elements under another shape, in a format that the kernel takes; rows of tiles become rows first."""
    if s.layout(0).tiled and not s.wanted.tiled:
        rows = s.call(ToLayout(input=s.type(0)), 0, to=s.wanted)
        return s.end(s.reshape(rows, s.op.results[0].shape, to=s.wanted))
    return compute_first_in(s, compute_format("reshape", s.layout(0).dtype))


@calls_of("permute", "transpose", "broadcast", "repeat")
def in_own_format(s: CallWriter) -> CallSequence | None:
    """What gives the format of its operand."""
    return compute_first_in(s, s.layout(0).dtype)


@calls_of("repeat_interleave")
def repeat_interleave(s: CallWriter) -> CallSequence | None:
    """In the format of the operand, but of a line, which the library reshapes for it."""
    given = s.layout(0).dtype
    return compute_first_in(s, compute_format("reshape", given) if s.op.input.rank == 1 else given)


@calls_of("concat")
def concat(s: CallWriter) -> CallSequence | None:
    """Tensors joined along a dimension; where they end within tiles, not in blocks of numbers."""
    at, rank = s.op.dim % s.op.results[0].rank, s.op.results[0].rank
    whole = at < rank - 2 or all(t.shape[at] % TILE == 0 for t in s.op.operands)
    formats = {s.layout(i).dtype for i in range(len(s.op.operands))}
    given = s.layout(0).dtype if len(formats) == 1 else s.wanted.dtype
    held = given if whole else compute_format(CUT, given)
    if at == rank - 2 and not whole:
        return _joined_in_rows(s, held)
    return compute_in(s, [held] * len(s.op.operands), held)


def _joined_in_rows(s: CallWriter, held: DType) -> CallSequence | None:
    """Tiles that end within others are rows while they are joined, as the library does by itself."""
    made = Layout(held, tiled=False, memory_space=s.wanted.memory_space)
    rows = [_as_rows(s, i, made) if s.layout(i).tiled else i for i in range(len(s.op.operands))]
    joined = s.itself(s.op, *rows, to=[made])
    return s.end(joined if made == s.wanted else s.call(ToLayout(input=s.type(joined)), joined, to=s.wanted))


def _as_rows(s: CallWriter, operand: int, made: Layout) -> int:
    """Rows of tiles; those of blocks are untilized as they are, which reads no other format."""
    x = operand if s.layout(operand).dtype.is_block else s.cast(operand, made.dtype)
    return s.call(ToLayout(input=s.type(x)), x, to=made)


@calls_of("pad")
def pad(s: CallWriter) -> CallSequence | None:
    """Elements in front shift the others within tiles, in rows.

    What fits into its tiles stays in its memory there, so that a copy is padded: the tensor may be read again. Tiles
    are added to a matrix alone, not to one dimension.
    """
    given, wanted, pads = s.layout(0), s.wanted, s.op.padding
    if not any(pads) and given != wanted:
        return s.end(s.call(ToLayout(input=s.type(0)), 0, to=wanted))
    held = compute_format("pad", given.dtype)
    if given.tiled and any(pads[::2]):
        return _padded_in_rows(s, held)
    x, inside = s.cast(0, held), given.tiled and given.matrix(s.op.input) == wanted.matrix(s.op.results[0])
    x = s.call(OPS["clone"].on([s.op.input], {}), x, to=s.layout(x)) if inside and x == 0 else x
    own, line = s.op, given.tiled and not inside and s.op.input.rank == 1
    if line:
        x = s.reshape(x, [1, s.op.input.size])
        own = Pad(input=s.type(x), padding=(0, 0, *pads), value=s.op.value)
    padded = s.itself(own, x, to=[replace(wanted, dtype=held)])
    padded = s.reshape(padded, s.op.results[0].shape) if line else padded
    return s.end(s.cast(padded, wanted.dtype, to=wanted))


def _padded_in_rows(s: CallWriter, given: DType) -> CallSequence | None:
    held = DType.BF16 if given.is_block else given
    x = s.cast(s.cast(0, given), held)
    plain = s.call(ToLayout(input=s.type(x)), x, to=Layout(held, tiled=False))
    rows = s.itself(s.op, plain, to=[Layout(held, tiled=False)])
    tiled = s.call(ToLayout(input=s.type(rows)), rows, to=replace(s.wanted, dtype=held))
    return s.end(s.cast(tiled, s.wanted.dtype, to=s.wanted))
