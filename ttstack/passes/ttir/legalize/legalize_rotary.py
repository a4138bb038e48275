"""Rotary embeddings of neighbours in the form of their kernel: rows of whole tiles, a table of positions.

Narrower rows are padded with zeros, which stay zeros.
"""

from collections.abc import Sequence

from ttstack.dialects.base import definition_of
from ttstack.dialects.ttir import views
from ttstack.dialects.ttir.build import broadcast_to, constant, elementwise, permute_dims, reshape_to, with_leading_ones
from ttstack.dialects.ttir.builders import ttir
from ttstack.dialects.types import read_type
from ttstack.mlir import ir
from ttstack.ops.rotary import RotaryEmbedding, fills_tiles, turn_matrix
from ttstack.ops.types import TILE, TensorType
from ttstack.passes.rewriting.pattern import Pattern
from ttstack.passes.ttir.queries.fill import cut_to, fill

_SWAPPED = (0, 2, 1, 3)
_WIDEST = 1024
"""Maximum width of a row that fits into L1 eleven times."""


def _fit(op: ir.Operation) -> list[ir.Value] | None:
    """Add the kernel's matrix to the op; without a kernel, multiply by a matrix as wide as a row."""
    rotary, (x, cos, sin, *_) = definition_of(op), op.operands
    assert isinstance(rotary, RotaryEmbedding)
    if not rotary.interleaved or _has_kernel(rotary):
        return None
    result, shape = None, rotary.input.shape
    width = shape[-1] + -shape[-1] % TILE
    if len(shape) <= len(_SWAPPED) and width <= _WIDEST and fills_tiles(rotary, shape[-1]):
        rows = fill(with_leading_ones(x, len(_SWAPPED)), len(_SWAPPED) - 1, width)
        result = _in_tiles(rows, *(with_leading_ones(_fill_table(v, width), len(_SWAPPED)) for v in (cos, sin)))
    if result is None:
        return [_by_product(x, cos, sin)]
    return [cut_to(reshape_to(result, (*shape[:-1], width)), shape)]


def _fill_table(table: ir.Value, width: int) -> ir.Value:
    """Pad a table for rows padded with zeros, whose factor can be any number: the table's own padding value."""
    last = read_type(table.type).rank - 1
    pad = views.Pad.of(table)
    if pad is None or any(pad.padding[:-1]):
        return fill(table, last, width)
    return fill(pad.input, last, width, pad.value)


def _refill(op: ir.Operation) -> list[ir.Value] | None:
    """`pad(slice(rotary_embedding(pad(x))))` = `rotary_embedding(pad(x))` if both pads append equally many zeros."""
    pad = views.Pad(op)
    cut = views.SliceStatic.of(pad.input)
    rotary = None if cut is None else views.RotaryEmbedding.of(cut.input)
    filled = None if rotary is None else views.Pad.of(rotary.input)
    if cut is None or rotary is None or filled is None or rotary.result_type != pad.result_type:
        return None
    is_filled = pad.value == filled.value == 0 and pad.padding == filled.padding
    return [cut.input] if is_filled and not any(cut.begins) and set(cut.step) == {1} else None


def _has_kernel(op: RotaryEmbedding) -> bool:
    """Return True if it has the form that `_in_tiles` builds."""
    shape, tables = op.input.shape, {op.cos_cache.shape, op.sin_cache.shape}
    return op.trans_mat is not None and tables == {(1, 1, *shape[2:])} and shape[-1] <= _WIDEST and len(shape) == 4


def _in_tiles(x: ir.Value, cos: ir.Value, sin: ir.Value) -> ir.Value | None:
    """Reshape rows with consecutive positions, or one common position; None for other positions."""
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
    """Swap neighbours by a matmul with a 0/1 matrix."""
    result = read_type(x.type)
    width = result.shape[-1]
    rotated = ttir.matmul(x, constant(turn_matrix(width), TensorType((width, width), result.dtype)))
    still, moved = (elementwise("multiply", v, by, result=result) for v, by in ((x, cos), (rotated, sin)))
    return ttir.add(still, moved)


ROTARY: Sequence[tuple[str, Pattern]] = ((f"ttir.{RotaryEmbedding.mnemonic}", _fit), ("ttir.pad", _refill))
