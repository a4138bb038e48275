"""Circular buffers of kernels that look up rows, or split and concatenate heads."""

from ttstack.device.circular_buffers.permutation import permutation_bytes
from ttstack.device.circular_buffers.reshape import reshape_bytes
from ttstack.device.circular_buffers.tiles import DOUBLE, Shape, tilize
from ttstack.ops.attention import ConcatenateHeads, SplitHeads
from ttstack.ops.types import TILE, DType, tiles
from ttstack.system_desc import ChipDesc

_HEADS_FIRST = (0, 2, 1, 3)
_INDICES = 16384
"""Bytes of indices in conversion to unsigned, 1,024 at a time."""
_WIDE = 64
"""Tiles of a table row above which only one is buffered, and maximum tiles of a part of a row."""


def split_bytes(op: SplitHeads, dtype: DType) -> int:
    """Return the bytes for splitting heads; heads within tiles are reshaped and transposed."""
    batch, heads, rows, width = op.results[0].shape
    if width % TILE == 0:
        return DOUBLE * _at_once(width) * dtype.tile_bytes
    apart = (batch, rows, heads, width)
    reshaped = reshape_bytes(op.input.shape, apart, dtype)
    return max(reshaped, permutation_bytes(apart, _HEADS_FIRST, dtype))


def split_all_bytes(width: int, dtype: DType, *, transposed: bool) -> int:
    """Return the bytes for splitting queries, keys and values; transposed keys have separate buffers."""
    return (3 * 2 if transposed else _at_once(width)) * DOUBLE * dtype.tile_bytes


def _at_once(width: int) -> int:
    """Return the tiles of a head with this many columns that are moved at a time."""
    return next((n for n in (8, 4) if tiles(width) % n == 0), 2)


def join_bytes(op: ConcatenateHeads, dtype: DType) -> int:
    """Return the bytes for concatenating heads, in full rows; heads within tiles are transposed and reshaped."""
    _, heads, _, width = op.input.shape
    if width % TILE == 0:
        return DOUBLE * heads * tiles(width) * dtype.tile_bytes
    apart = tuple(op.input.shape[d] for d in _HEADS_FIRST)
    reshaped = reshape_bytes(apart, op.results[0].shape, dtype)
    return max(reshaped, permutation_bytes(op.input.shape, _HEADS_FIRST, dtype))


def lookup_bytes(indices: Shape, width: int, index: DType, dtype: DType, chip: ChipDesc) -> int:
    """Return the bytes for gathered table rows as tiles; full tiles of rows are built 32 rows at a time.

    Rows that do not fit L1 are read in equal parts.
    """
    signed = 0 if index is DType.UI32 else _INDICES
    if indices and indices[-1] % TILE == 0 and width % TILE == 0:
        row, room = tiles(width), chip.l1.size_bytes - chip.l1_base
        parts = DOUBLE * row * dtype.tile_bytes > room
        part = max(n for n in range(1, _WIDE + 1) if row % n == 0) if parts else row
        return max(signed, 2 * (DOUBLE if part <= _WIDE else 1) * part * dtype.tile_bytes)
    return max(signed, tilize((*indices, width), dtype, dtype, chip.num_cores))
