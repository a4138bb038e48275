"""Rotary positions."""

import math
from dataclasses import replace

from ttstack.device.sequences.formats import compute_format
from ttstack.device.sequences.indexing import CUT
from ttstack.device.sequences.sequence import CallSequence, CallWriter, calls_of
from ttstack.device.sequences.users import in_shards
from ttstack.ops.base import OPS
from ttstack.ops.generic import ToLayout
from ttstack.ops.indexing import SliceStatic
from ttstack.ops.rotary import RotaryEmbedding
from ttstack.ops.shape import Concat
from ttstack.ops.types import TILE, DType, TensorType

WIDEST = 256
"""Maximum width of a head for the library's op on pairs of neighbours."""


@calls_of("rotary_embedding")
def rotary_embedding(s: CallWriter) -> CallSequence | None:
    """Use the library's op if halves are whole tiles: for all rows by position, or for the users of a step.

    Neighbours are rotated only in bf16.
    """
    shape, angles = s.op.input.shape, {four(t.shape) for t in s.op.operands[1:3]}
    whole = shape[-1] == TILE or shape[-1] % (2 * TILE) == 0
    if s.op.interleaved:
        return _by_matrix(s)
    if not whole or len(shape) != 4 or len(angles) > 1:
        return _step_by_step(s)
    (table,) = angles
    tables = [s.reshape(value, table) for value in (1, 2)]
    own = _on(s.op, s.op.input, s.type(tables[0]))
    if (table == (1, 1, *shape[2:]) and shape[2] > 1) or (shape[0] == 1 and table == (1, 1, 1, shape[3])):
        return s.end(s.itself(own, 0, *tables))
    if shape[0] == 1 and table == (1, shape[1], 1, shape[3]) and shape[2] <= TILE:
        shards = [in_shards(s, value) for value in (0, *tables)]
        rotated = s.itself(own, *shards, to=[s.layout(shards[0])])
        stays = s.layout(rotated) == s.wanted
        return s.end(rotated if stays else s.call(ToLayout(input=s.type(rotated)), rotated, to=s.wanted))
    return _step_by_step(s)


def _by_matrix(s: CallWriter) -> CallSequence | None:
    """Rotate neighbours in bf16: a core processes the full second dimension, so heads are permuted to the first."""
    if s.op.trans_mat is None or s.op.input.shape[-1] > WIDEST:
        return None
    *lead, rows, width = s.op.input.shape
    x, *others = (s.cast(i, DType.BF16) for i in range(len(s.op.operands)))
    x = s.reshape(x, (math.prod(lead), 1, rows, width))
    rotated = s.itself(replace(s.op, input=s.type(x)), x, *others, to=[replace(s.wanted, dtype=DType.BF16)])
    rotated = s.reshape_from(s.type(x).shape, rotated, s.op.input.shape)
    return s.end(s.cast(rotated, s.wanted.dtype, to=s.wanted))


def four(shape: tuple[int, ...]) -> tuple[int, ...]:
    """Return the shape in four dimensions."""
    return (*(1,) * (4 - len(shape)), *shape)


def _on(op: RotaryEmbedding, x: TensorType, table: TensorType) -> RotaryEmbedding:
    return replace(op, input=x, cos_cache=table, sin_cache=table.with_dtype(op.sin_cache.dtype))


def _step_by_step(s: CallWriter) -> CallSequence | None:
    """Decompose to swapped halves, two multiplications and an addition; halves within tiles need a suitable format."""
    source_dtype = s.layout(0).dtype
    x = s.cast(0, compute_format(CUT, source_dtype) if s.op.input.shape[-1] // 2 % TILE else source_dtype)
    first, second = _half(s, x, 0), _half(s, x, 1)
    negated = _apply(s, "neg", second)
    parts = (s.type(negated), s.type(first))
    joined = s.call(Concat(inputs=parts, dim=s.op.input.rank - 1), negated, first)
    sines, cosines = _apply(s, "multiply", joined, 2), _apply(s, "multiply", x, 1)
    total = OPS["add"].on([s.type(cosines), s.type(sines)], {})
    return s.end(s.call(total, cosines, sines, to=s.wanted))


def _half(s: CallWriter, x: int, index: int) -> int:
    shape = s.op.input.shape
    half, rank = shape[-1] // 2, len(shape)
    begins, ends = (*[0] * (rank - 1), index * half), (*shape[:-1], (index + 1) * half)
    return s.call(SliceStatic(input=s.op.input, begins=begins, ends=ends, step=(1,) * rank), x)


def _apply(s: CallWriter, name: str, *operands: int) -> int:
    return s.call(OPS[name].on([s.type(v) for v in operands], {}), *operands)
