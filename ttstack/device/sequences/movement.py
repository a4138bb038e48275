"""Data movement."""

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
    """Reshape in a supported format; rows of tiles are untilized first."""
    if s.layout(0).tiled and not s.wanted.tiled:
        rows = s.call(ToLayout(input=s.type(0)), 0, to=s.wanted)
        return s.end(s.reshape(rows, s.op.results[0].shape, to=s.wanted))
    return compute_first_in(s, compute_format("reshape", s.layout(0).dtype))


@calls_of("permute", "transpose", "broadcast", "repeat")
def in_own_format(s: CallWriter) -> CallSequence | None:
    """Call the op in the format of its operand."""
    return compute_first_in(s, s.layout(0).dtype)


@calls_of("repeat_interleave")
def repeat_interleave(s: CallWriter) -> CallSequence | None:
    """Repeat in the operand's format, except for a vector, which the library reshapes."""
    source_dtype = s.layout(0).dtype
    return compute_first_in(s, compute_format("reshape", source_dtype) if s.op.input.rank == 1 else source_dtype)


@calls_of("concat")
def concat(s: CallWriter) -> CallSequence | None:
    """Concatenate along a dimension; not in block formats if parts end within tiles."""
    axis, rank = s.op.dim % s.op.results[0].rank, s.op.results[0].rank
    whole = axis < rank - 2 or all(t.shape[axis] % TILE == 0 for t in s.op.operands)
    formats = {s.layout(i).dtype for i in range(len(s.op.operands))}
    common_dtype = s.layout(0).dtype if len(formats) == 1 else s.wanted.dtype
    call_dtype = common_dtype if whole else compute_format(CUT, common_dtype)
    if axis == rank - 2 and not whole:
        return _joined_in_rows(s, call_dtype)
    return compute_in(s, [call_dtype] * len(s.op.operands), call_dtype)


def _joined_in_rows(s: CallWriter, call_dtype: DType) -> CallSequence | None:
    """Untilize parts that end within tiles for the concatenation, as the library does."""
    row_layout = Layout(call_dtype, tiled=False, memory_space=s.wanted.memory_space)
    rows = [_as_rows(s, i, row_layout) if s.layout(i).tiled else i for i in range(len(s.op.operands))]
    joined = s.itself(s.op, *rows, to=[row_layout])
    return s.end(joined if row_layout == s.wanted else s.call(ToLayout(input=s.type(joined)), joined, to=s.wanted))


def _as_rows(s: CallWriter, operand: int, row_layout: Layout) -> int:
    """Untilize an operand; block formats are untilized directly, as other formats need a cast."""
    x = operand if s.layout(operand).dtype.is_block else s.cast(operand, row_layout.dtype)
    return s.call(ToLayout(input=s.type(x)), x, to=row_layout)


@calls_of("pad")
def pad(s: CallWriter) -> CallSequence | None:
    """Pad in rows if elements in front shift the others within tiles.

    Padding within tiles is in place, so a copy is padded, as the tensor may have other uses. Only matrices can be
    padded by tiles, not vectors.
    """
    source, wanted, pads = s.layout(0), s.wanted, s.op.padding
    if not any(pads) and source != wanted:
        return s.end(s.call(ToLayout(input=s.type(0)), 0, to=wanted))
    call_dtype = compute_format("pad", source.dtype)
    if source.tiled and any(pads[::2]):
        return _padded_in_rows(s, call_dtype)
    x, inside = s.cast(0, call_dtype), source.tiled and source.matrix(s.op.input) == wanted.matrix(s.op.results[0])
    x = s.call(OPS["clone"].on([s.op.input], {}), x, to=s.layout(x)) if inside and x == 0 else x
    own, line = s.op, source.tiled and not inside and s.op.input.rank == 1
    if line:
        x = s.reshape(x, [1, s.op.input.size])
        own = Pad(input=s.type(x), padding=(0, 0, *pads), value=s.op.value)
    padded = s.itself(own, x, to=[replace(wanted, dtype=call_dtype)])
    padded = s.reshape(padded, s.op.results[0].shape) if line else padded
    return s.end(s.cast(padded, wanted.dtype, to=wanted))


def _padded_in_rows(s: CallWriter, source_dtype: DType) -> CallSequence | None:
    row_dtype = DType.BF16 if source_dtype.is_block else source_dtype
    x = s.cast(s.cast(0, source_dtype), row_dtype)
    plain = s.call(ToLayout(input=s.type(x)), x, to=Layout(row_dtype, tiled=False))
    rows = s.itself(s.op, plain, to=[Layout(row_dtype, tiled=False)])
    tiled = s.call(ToLayout(input=s.type(rows)), rows, to=replace(s.wanted, dtype=row_dtype))
    return s.end(s.cast(tiled, s.wanted.dtype, to=s.wanted))
