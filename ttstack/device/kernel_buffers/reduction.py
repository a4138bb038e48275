"""Circular buffers of reductions, a kernel for each dimension: sums over leading ones add up whole tiles."""

from collections.abc import Collection, Iterator

from ttstack.device.kernel_buffers.permutation import permutation_bytes
from ttstack.device.kernel_buffers.reshape import reshape_bytes
from ttstack.device.kernel_buffers.tiles import DOUBLE, Shape, fill_padding, matrix
from ttstack.ops.types import DType, tiles

_TILES_ADDED = 8
"""Most tiles that are added up at a time."""

_ROW_PIECE = 4
"""Tiles of a row that are read at a time, of rows that have as many."""

KINDS = ("sum", "mean", "max", "min")
"""Reductions with kernels of their own."""


def reduction_bytes(kind: str, shape: Shape, dims: Collection[int], made: Shape, dtype: DType) -> int:
    """Bytes of all kernels of a reduction along `dims`, and of the change to the shape `made` after it."""
    matrix_dims = [d for d in (len(shape) - 1, len(shape) - 2) if d in dims]
    leading = [d for d in dims if d < len(shape) - 2]
    order = [*leading, *matrix_dims] if kind == "sum" else [*matrix_dims, *leading]
    found = [fill_padding(shape, dtype), *_steps(kind, shape, order, dtype)]
    kept = tuple(1 if d in dims else extent for d, extent in enumerate(shape))
    return max(found) if matrix(kept) == matrix(made) else max(*found, reshape_bytes(kept, made, dtype))


def _steps(kind: str, shape: Shape, order: list[int], dtype: DType) -> Iterator[int]:
    """Bytes of each kernel; what is left to be added up is held in 32 bits."""
    rank, given = len(shape), dtype
    at_once = kind == "mean" and {rank - 2, rank - 1} <= set(order)
    wide = DType.F32 if dtype is DType.BF16 and kind in ("sum", "mean") and not at_once else dtype
    for number, d in enumerate(order):
        made = dtype if number == len(order) - 1 else wide
        if d >= rank - 2:
            wide_rows = d == rank - 1 and tiles(shape[d]) >= _ROW_PIECE
            yield _step(given, made, _ROW_PIECE if wide_rows else 1)
        elif kind == "sum" and dtype is not DType.F32:
            yield _added(shape[d], given, made)
        else:
            yield from _turned(shape, d, given, made)
        given = made


def _step(given: DType, made: DType, at_once: int = 1) -> int:
    """Two buffers of each stream, and the number that is multiplied by."""
    factor = DType.F32 if given is DType.F32 else DType.BF16
    return DOUBLE * (at_once * given.tile_bytes + made.tile_bytes) + factor.tile_bytes


def _added(extent: int, given: DType, made: DType) -> int:
    """As many tiles as divide all that are added up."""
    at_once = max((n for n in range(1, _TILES_ADDED + 1) if extent % n == 0), default=1)
    return DOUBLE * (at_once * given.tile_bytes + made.tile_bytes) + DType.BF16.tile_bytes


def _turned(shape: Shape, d: int, given: DType, made: DType) -> Iterator[int]:
    """Rows change place with the dimension, which is then reduced as they are."""
    order = list(range(len(shape)))
    order[d], order[-2] = order[-2], order[d]
    turned = tuple(shape[i] for i in order)
    left = tuple(1 if i == len(shape) - 2 else extent for i, extent in enumerate(turned))
    yield permutation_bytes(shape, tuple(order), given)
    yield _step(given, made)
    yield permutation_bytes(left, tuple(order), made)
