"""Circular buffers of auxiliary kernels: typecasts, padding, untilize and tilize."""

from bisect import bisect_left
from collections.abc import Callable

from ttstack.ops.types import TILE, DType, tiles

DOUBLE = 2
"""Number of tiles of a stream: one is filled while the other is used."""
_MOST_COLUMNS = 32
"""Maximum tiles of a row for a core to build full rows with few rows."""
Shape = tuple[int, ...]


def typecast(source: DType, target: DType) -> int:
    """Return the bytes for a typecast of tiles."""
    return DOUBLE * (source.tile_bytes + target.tile_bytes)


def in_plain_format(dtype: DType, nbytes: Callable[[DType], int]) -> int:
    """Return the bytes of a kernel without block formats: tiles are cast to bf16 before it, and back after it."""
    return max(typecast(dtype, DType.BF16), nbytes(DType.BF16)) if dtype.is_block else nbytes(dtype)


def matrix(shape: Shape) -> tuple[int, int]:
    """Return the last two extents."""
    height, width = (1, 1, *shape)[-2:]
    return height, width


def tile_matrix(shape: Shape) -> tuple[int, int]:
    """Return rows and columns of tiles, with leading dimensions merged into rows."""
    height, width = matrix(shape)
    lead = 1
    for extent in shape[:-2]:
        lead *= extent
    return lead * tiles(height), tiles(width)


def is_ragged(shape: Shape) -> bool:
    """Return True if rows or columns do not fill their tiles."""
    return any(extent % TILE for extent in matrix(shape))


def fill_padding(shape: Shape, dtype: DType) -> int:
    """Return the bytes of tile padding: a tile for padded rows, and one for padded columns."""
    ragged = sum(extent % TILE != 0 for extent in matrix(shape))
    if not ragged:
        return 0
    return in_plain_format(dtype, lambda plain: (2 * DOUBLE + ragged) * plain.tile_bytes)


def untilize(shape: Shape, dtype: DType, cores: int) -> int:
    """Return the bytes for untilize; block formats become bf16."""
    rows, columns = tile_matrix(shape)
    target = DType.BF16 if dtype.is_block else dtype
    each = dtype.tile_bytes + target.tile_bytes
    if is_ragged(shape):
        return _row_block(rows, columns, cores) * each
    if target is DType.BF16:
        return DOUBLE * -(-columns // max(cores // max(rows, 1), 1)) * each
    return _row_block(rows, columns, cores) * (DOUBLE if rows > cores else 1) * each


def tilize(shape: Shape, source: DType, target: DType, cores: int) -> int:
    """Return the bytes for tilize."""
    rows, columns = tile_matrix(shape)
    return _row_block(rows, columns, cores) * (source.tile_bytes + target.tile_bytes)


def _row_block(rows: int, columns: int, cores: int) -> int:
    """Return the tiles of a row that a core processes: all, or the sides of square blocks if these use more cores."""
    whole = -(-rows // max(-(-rows // cores), 1))
    if columns <= _MOST_COLUMNS or not (rows > _MOST_COLUMNS or columns > rows):
        return columns
    side = 1 + bisect_left(range(1, columns), True, key=lambda a: -(-columns // a) * -(-rows // a) < cores)
    return side if -(-columns // side) * -(-rows // side) > whole else columns
