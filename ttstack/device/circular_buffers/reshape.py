"""Circular buffers of the reshape kernel for tiles: a list of the runs of elements of a result tile."""

import math
from functools import lru_cache

import numpy as np

from ttstack.device.circular_buffers.tiles import Shape, fill_padding, in_plain_format, matrix
from ttstack.ops.types import TILE, DType, tiles

_FACE = 16
"""Rows and columns of a face, a quarter of a tile, whose elements are contiguous."""
_RUN_BYTES = 16
"""Bytes of one run: a page, two offsets, and a number of elements."""
_ALIGNED = 16
_SEEN = 64
"""Number of analyzed result tiles from each end; the others are similar."""


def reshape_bytes(source: Shape, target: Shape, dtype: DType) -> int:
    """Return the bytes for a reshape: a tile, and a list of the runs from each page."""
    runs = _runs(_flat(source), _flat(target))
    listed = _RUN_BYTES * (runs + runs % _ALIGNED)
    nbytes = in_plain_format(dtype, lambda plain: listed + plain.tile_bytes)
    return max(nbytes, fill_padding(target, dtype)) if dtype.is_block else nbytes


def _flat(shape: Shape) -> tuple[int, int, int]:
    height, width = matrix(shape)
    return math.prod(shape[:-2]), height, width


@lru_cache(maxsize=4096)
def _runs(source: tuple[int, int, int], target: tuple[int, int, int]) -> int:
    """Return the entries of the longest list: for each page of a tile, as many as the page with most runs."""
    lead, height, width = target
    count = lead * tiles(height) * tiles(width)
    pages = range(count) if count <= 2 * _SEEN else (*range(_SEEN), *range(count - _SEEN, count))
    return max((_runs_of_tile(page, source, target) for page in pages), default=0)


def _runs_of_tile(page: int, source_shape: tuple[int, int, int], target: tuple[int, int, int]) -> int:
    _, height, width = target
    down, across = tiles(height), tiles(width)
    lead, rest = divmod(page, down * across)
    top, left = (TILE * side for side in divmod(rest, across))
    rows, columns = np.arange(top, min(top + TILE, height)), np.arange(left, min(left + TILE, width))
    inside = _offsets(rows[:, None] % TILE, columns % TILE).ravel()
    elements = ((lead * height + rows[:, None]) * width + columns).ravel()
    source, offsets = _addresses(elements, source_shape)
    broken = (np.diff(source) != 0) | (np.diff(offsets) != 1) | (np.diff(inside) != 1)
    starts = source[np.concatenate(([True], broken))]
    _, runs = np.unique(starts, return_counts=True)
    return int(runs.size * runs.max())


def _addresses(elements: np.ndarray, shape: tuple[int, int, int]) -> tuple[np.ndarray, np.ndarray]:
    """Return the page of each element, and its offset there."""
    _, height, width = shape
    rows, column = np.divmod(elements, width)
    lead, row = np.divmod(rows, height)
    page = (lead * tiles(height) + row // TILE) * tiles(width) + column // TILE
    return page, _offsets(row % TILE, column % TILE)


def _offsets(row: np.ndarray, column: np.ndarray) -> np.ndarray:
    """Return the offsets of elements in a tile: by faces, each row by row."""
    return ((row // _FACE * 2 + column // _FACE) * _FACE + row % _FACE) * _FACE + column % _FACE
