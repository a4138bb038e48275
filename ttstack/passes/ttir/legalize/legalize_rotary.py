"""Rotary embeddings of neighbours in the form that their kernel takes: rows of whole tiles, a table of their places."""

from collections.abc import Sequence

from ttstack.dialects.base import definition_of
from ttstack.dialects.ttir.build import broadcast_to, constant, elementwise, permute_dims, reshape_to, with_leading_ones
from ttstack.dialects.ttir.builders import ttir
from ttstack.dialects.types import read_type
from ttstack.mlir import ir
from ttstack.ops.rotary import RotaryEmbedding, turn_matrix
from ttstack.ops.types import TILE, TensorType
from ttstack.passes.rewriting.pattern import Pattern

_SWAPPED = (0, 2, 1, 3)
_WIDEST = 1024
"""Elements of a row that fit into L1 eleven times."""


def _fit(op: ir.Operation) -> list[ir.Value] | None:
    """The op with the matrix of its kernel; where no kernel takes it, a product with one as wide as a row."""
    rotary, (x, cos, sin, *_) = definition_of(op), op.operands
    assert isinstance(rotary, RotaryEmbedding)
    if not rotary.interleaved or _has_kernel(rotary):
        return None
    result, width = None, rotary.input.shape[-1]
    if rotary.input.rank <= len(_SWAPPED) and width % TILE == 0 and width <= _WIDEST:
        four = [with_leading_ones(v, len(_SWAPPED)) for v in (x, cos, sin)]
        result = _in_tiles(four[0], four[1], four[2])
    return [_by_product(x, cos, sin) if result is None else reshape_to(result, rotary.input.shape)]


def _has_kernel(op: RotaryEmbedding) -> bool:
    """Return True if it has the form that `_in_tiles` builds."""
    shape, tables = op.input.shape, {op.cos_cache.shape, op.sin_cache.shape}
    return op.trans_mat is not None and tables == {(1, 1, *shape[2:])} and shape[-1] <= _WIDEST and len(shape) == 4


def _in_tiles(x: ir.Value, cos: ir.Value, sin: ir.Value) -> ir.Value | None:
    """Rows that have places one after the other, or one place together; None where places differ in another way."""
    (lead, outer, rows, width), positions = read_type(x.type).shape, read_type(cos.type).shape[:3]
    if positions != read_type(sin.type).shape[:3]:
        return None
    if positions == (1, outer, 1) and outer > 1:
        cos, sin = (permute_dims(t, _SWAPPED) for t in (cos, sin))
        swapped = _in_tiles(permute_dims(x, _SWAPPED), cos, sin)
        return None if swapped is None else permute_dims(swapped, _SWAPPED)
    users = (1, lead, outer * rows, width)  # heads of a token are rows, and users those who have them
    if positions == (lead, 1, 1) and lead > 1 and 1 in (outer, rows):
        cos, sin = (reshape_to(t, (1, lead, 1, width)) for t in (cos, sin))
        return _in_tiles(reshape_to(x, users), cos, sin)
    if positions not in ((1, 1, 1), (1, 1, rows)):
        return None
    shape = users if positions == (1, 1, 1) and 1 in (outer, rows) else (lead, outer, rows, width)
    cos, sin = (broadcast_to(t, (1, 1, *shape[2:])) for t in (cos, sin))
    matrix = constant(turn_matrix(TILE)[None, None], TensorType((1, 1, TILE, TILE), read_type(x.type).dtype))
    return ttir.rotary_embedding(reshape_to(x, shape), cos, sin, matrix, interleaved=True)


def _by_product(x: ir.Value, cos: ir.Value, sin: ir.Value) -> ir.Value:
    """Neighbours change places by a product with a matrix of ones."""
    result = read_type(x.type)
    width = result.shape[-1]
    rotated = ttir.matmul(x, constant(turn_matrix(width), TensorType((width, width), result.dtype)))
    still, moved = (elementwise("multiply", v, by, result=result) for v, by in ((x, cos), (rotated, sin)))
    return ttir.add(still, moved)


ROTARY: Sequence[tuple[str, Pattern]] = ((f"ttir.{RotaryEmbedding.mnemonic}", _fit),)
