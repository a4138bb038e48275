"""Circular buffers of permutation kernels."""

from ttstack.device.circular_buffers.tiles import DOUBLE, Shape, in_plain_format, matrix
from ttstack.ops.types import TILE, DType

_FACE = 16
"""Rows and columns of a face, a quarter of a tile."""
_WHOLE = 4
"""Rank of a transposition, and of dimensions that a permutation of block formats keeps."""


def is_transposition(order: tuple[int, ...]) -> bool:
    """Return True if two adjacent dimensions of at most four are swapped, which has a special kernel."""
    moved = [d for d, source in enumerate(order) if d != source]
    return len(order) <= _WHOLE and len(moved) == 2 and moved[1] == moved[0] + 1


def permutation_bytes(shape: Shape, order: tuple[int, ...], dtype: DType) -> int:
    """Return the bytes for a tensor whose dimension `i` was dimension `order[i]`."""
    rank = max(len(shape), _WHOLE)
    added = rank - len(shape)
    shape, order = (1,) * added + shape, (*range(added), *(d + added for d in order))
    moved = [d for d, source in enumerate(order) if d != source]
    permuted = tuple(shape[d] for d in order)
    if moved == [rank - 2, rank - 1]:
        return 2 * DOUBLE * dtype.tile_bytes
    if not moved or moved[-1] < rank - 2:
        return DOUBLE * dtype.tile_bytes
    if moved == [1, 2] and rank == _WHOLE:
        return in_plain_format(dtype, lambda plain: DOUBLE * plain.tile_bytes + _padding(permuted, _FACE**2, plain))
    if rank > _WHOLE:
        return _permuted(order, permuted, dtype)
    return in_plain_format(dtype, lambda plain: _permuted(order, permuted, plain))


def _permuted(order: tuple[int, ...], permuted: Shape, dtype: DType) -> int:
    """Return the bytes if rows are split; tiles transposed before or after have separate buffers."""
    rank = len(order)
    last = order[-1]
    turns = 1 if last == rank - 1 else 2 if last == rank - 2 else 3
    return turns * DOUBLE * dtype.tile_bytes + _padding(permuted, _FACE, dtype)


def _padding(shape: Shape, elements: int, dtype: DType) -> int:
    """Return the bytes of padding of rows that do not fill their tiles."""
    return elements * (1 if dtype.is_block else dtype.row_major_bytes) if matrix(shape)[0] % TILE else 0
