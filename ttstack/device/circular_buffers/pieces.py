"""Circular buffers of kernels that slice, concatenate, pad and repeat tensors."""

from collections.abc import Sequence

from ttstack.device.circular_buffers.row_moves import has_kernel_of_its_own, sliced_rows
from ttstack.device.circular_buffers.tiles import (
    DOUBLE,
    Shape,
    fill_padding,
    in_plain_format,
    is_ragged,
    tile_matrix,
    tilize,
    typecast,
    untilize,
)
from ttstack.ops.types import TILE, DType

_PAGES = 8
"""Number of tiles copied at a time if whole tiles are repeated."""


def slice_bytes(
    source: Shape, begins: Sequence[int], target: Shape, step: Sequence[int], dtype: DType, cores: int
) -> int:
    """Return the bytes for a slice; one that begins within tiles is cut from rows."""
    whole = all(begin % TILE == 0 for begin in begins[-2:]) and all(by == 1 for by in step) and len(source) > 1
    if dtype.is_block and not whole:
        return in_plain_format(dtype, lambda plain: slice_bytes(source, begins, target, step, plain, cores))
    if whole:
        return DOUBLE * dtype.tile_bytes
    around = max(untilize(source, dtype, cores), tilize(target, dtype, dtype, cores))
    return max(around, sliced_rows(source, begins, target, step, dtype, cores))


def pad_bytes(source: Shape, target: Shape, dtype: DType) -> int:
    """Return the bytes for padding: within tiles first, then in additional tiles."""
    inside = fill_padding(source, dtype)
    if tile_matrix(source) == tile_matrix(target):
        return inside
    return max(inside, in_plain_format(dtype, lambda plain: DOUBLE * plain.tile_bytes))


def concat_bytes(shapes: Sequence[Shape], target: Shape, dim: int, dtype: DType, cores: int) -> int:
    """Return the bytes for a concatenation: by tiles, by shifted rows of tiles, or by rows."""
    axis = dim % len(target)
    if axis < len(target) - 2 or all(shape[axis] % TILE == 0 for shape in shapes):
        return DOUBLE * dtype.tile_bytes
    if dtype.is_block:
        return in_plain_format(dtype, lambda plain: concat_bytes(shapes, target, dim, plain, cores))
    if axis == len(target) - 1 and dtype.is_float:
        source_tiles = sum(tile_matrix(shape)[1] for shape in shapes)
        return (DOUBLE + 1) * (source_tiles + tile_matrix(target)[1]) * dtype.tile_bytes
    return max(tilize(target, dtype, dtype, cores), *(untilize(shape, dtype, cores) for shape in shapes))


def repeat_bytes(source: Shape, counts: Sequence[int], dtype: DType, cores: int) -> int:
    """Return the bytes for repeating a tensor; rows that do not fill tiles are repeated as rows."""
    written = has_kernel_of_its_own(source)
    if not is_ragged(source) or (written and max(counts[-2:]) == 1):
        return _PAGES * dtype.tile_bytes if written else 0
    target = tuple(extent * count for extent, count in zip(source, counts, strict=True))
    rows = DType.BF16 if dtype.is_block else dtype
    unpadded = untilize(source, dtype, cores)
    if rows is dtype is DType.BF16 and written:
        unpadded = DOUBLE * unpadded
    return max(unpadded, tilize(target, rows, dtype, cores))


def interleaved_repeat_bytes(source: Shape, target: Shape, dim: int, dtype: DType, cores: int) -> int:
    """Return the bytes for repeating each slice; rows, columns and block formats are repeated by rows."""
    if dim % len(source) < len(source) - 2 and not dtype.is_block:
        return _PAGES * dtype.tile_bytes
    plain = DType.BF16 if dtype.is_block else dtype
    transposed = 0
    if dim % len(source) == len(source) - 1:
        transposed, source, target = 2 * DOUBLE * plain.tile_bytes, _permuted(source), _permuted(target)
    around = max(transposed, untilize(source, plain, cores), tilize(target, plain, plain, cores))
    return max(around, typecast(dtype, plain)) if dtype.is_block else around


def _permuted(shape: Shape) -> Shape:
    """Return the shape with rows and columns swapped."""
    return (*(1, *shape)[:-2], shape[-1], (1, *shape)[-2])
