"""Reductions, scans, softmax, and sorting."""

import math
from collections.abc import Sequence
from dataclasses import replace

from ttstack.device.circular_buffers.tiles import is_ragged
from ttstack.device.layout import Layout
from ttstack.device.sequences.formats import compute_first_in, compute_format
from ttstack.device.sequences.sequence import CallSequence, CallWriter, calls_of
from ttstack.ops.base import OPS
from ttstack.ops.eltwise import Typecast
from ttstack.ops.generic import ToLayout
from ttstack.ops.indexing import SliceStatic
from ttstack.ops.shape import Pad
from ttstack.ops.types import TILE, DType, tiles

USERS = 32
"""Number of users whose tokens are sampled at a time."""


@calls_of("sum", "mean", "max", "min")
def reduction(s: CallWriter) -> CallSequence | None:
    """Call it in a supported format; partly filled tiles are padded as plain numbers in DRAM."""
    source_dtype = s.layout(0).dtype
    if not (source_dtype.is_block and is_ragged(s.type(0).shape)):
        return compute_first_in(s, compute_format(s.kind, source_dtype))
    plain = s.cast(0, DType.BF16, to=Layout(DType.BF16))
    reduced = s.itself(None, plain, to=[replace(s.wanted, dtype=DType.BF16)])
    return s.end(s.cast(reduced, s.wanted.dtype, to=s.wanted))


@calls_of("softmax", "global_avg_pool2d")
def in_own_format(s: CallWriter) -> CallSequence | None:
    """Call the op in the format of its operand."""
    return compute_first_in(s, s.layout(0).dtype)


@calls_of("prod")
def prod(s: CallWriter) -> CallSequence | None:
    """Reduce one dimension after the other, last one first."""
    call_dtype, keep = compute_format("prod", s.layout(0).dtype), s.op.operands[0].rank == s.op.results[0].rank
    reduced, to = s.cast(0, call_dtype), replace(s.wanted, dtype=call_dtype)
    for dim in sorted(_reduced(s), reverse=True):
        own = OPS["prod"].on([s.type(reduced)], {"dim_arg": (dim,), "keep_dim": keep})
        reduced = s.itself(own, reduced, to=[to])
    return s.end(s.cast(reduced, s.wanted.dtype, to=s.wanted))


def _reduced(s: CallWriter) -> tuple[int, ...]:
    """Return the reduced dimensions, for a dispatch from its nest."""
    return s.op.program.reductions if s.is_dispatch else s.op.dims


@calls_of("reduce_and", "reduce_or")
def truth(s: CallWriter) -> CallSequence | None:
    """Compute the minimum or maximum of ones and zeros."""
    source, x = s.layout(0), s.type(0)
    ones = s.call(Typecast(input=x.with_dtype(DType.F32), dtype=DType.I1), 0, to=source)
    reduced = s.itself(s.op, ones, to=[replace(s.wanted, dtype=source.dtype)])
    return s.end(s.cast(reduced, s.wanted.dtype, to=s.wanted))


@calls_of("argmax")
def argmax(s: CallWriter) -> CallSequence | None:
    """Return unsigned positions; for all elements, from rows."""
    x = s.cast(0, compute_format("argmax", s.layout(0).dtype))
    if len(_reduced(s)) == s.op.operands[0].rank and (s.is_dispatch or not s.op.dim_arg):
        x = s.untile(x)
    positions = s.itself(s.op, x, to=[replace(s.wanted, dtype=DType.UI32)])
    return s.end(s.cast(positions, s.wanted.dtype, to=s.wanted))


@calls_of("topk", "sort")
def ordered(s: CallWriter) -> CallSequence | None:
    """Return values, then positions, which are 16-bit if the values are and the extent fits."""
    call_dtype, (values, positions) = compute_format(s.kind, s.layout(0).dtype), s.whole.results
    t, dim = s.op.ordered_operand()
    wide = call_dtype is DType.F32 or t.shape[dim] > 1 << 16
    layouts = [replace(values, dtype=call_dtype), replace(positions, dtype=DType.UI32 if wide else DType.UI16)]
    first = s.itself(s.op, s.cast(0, call_dtype), to=layouts)
    return s.end(s.cast(first, values.dtype, to=values), s.cast(first + 1, positions.dtype, to=positions))


@calls_of("sampling")
def sampling(s: CallWriter) -> CallSequence | None:
    """Sample a token for each of 32 users, from candidates in four dimensions, in a power of two of tiles.

    For fewer users, the other samples are dropped; padding candidates have probability 0.
    """
    users, candidates = s.op.input_values.shape
    more, width = max(USERS - users, 0), TILE << (tiles(candidates) - 1).bit_length()
    call_dtype = compute_format("sampling", s.layout(0).dtype)
    rows = [s.reshape(x, [1, 1, users, candidates]) for x in (s.cast(0, call_dtype), 1)]
    around = (0, 0, 0, 0, 0, more, 0, width - candidates)
    rows = [_pad(s, x, around, number) for x, number in zip(rows, (-math.inf, 0), strict=True)]
    lines = [_pad(s, x, (0, more), 1) for x in (2, s.cast(3, DType.BF16), s.cast(4, DType.BF16))]
    names, values = list(s.op.operand_specs()), (*rows, *lines)
    own = {n: s.type(v) for n, v in zip(names, values, strict=True)}
    own |= {n: own[n].with_shape(own[n].shape[2:]) for n in names[:2]}
    plain = Layout(DType.UI32, tiled=False)
    tokens = s.itself(replace(s.op, **own), *values, to=[plain])
    if more:
        cut = SliceStatic(input=s.type(tokens), begins=(0,), ends=(users,), step=(1,))
        tokens = s.call(cut, tokens, to=plain)
    tiled = replace(s.wanted, dtype=DType.UI32)
    tokens = tokens if tiled == plain else s.call(ToLayout(input=s.type(tokens)), tokens, to=tiled)
    return s.end(s.cast(tokens, s.wanted.dtype, to=s.wanted))


def _pad(s: CallWriter, value: int, padding: Sequence[int], number: float) -> int:
    return s.call(Pad(input=s.type(value), padding=tuple(padding), value=number), value) if any(padding) else value
