"""Circular buffers of layout changes, copies, and writes into caches."""

from ttstack.device.circular_buffers.permutation import permutation_bytes
from ttstack.device.circular_buffers.tiles import DOUBLE, fill_padding, is_ragged, tilize, typecast, untilize
from ttstack.device.device_op import DeviceOp
from ttstack.device.layout import Layout
from ttstack.ops.kv_cache import UpdateCache
from ttstack.ops.types import TILE, DType, TensorType, tiles

_INDEX_PAGE = 4096
"""Bytes of the positions of written rows."""


def layout_bytes(t: TensorType, source: Layout, target: Layout, cores: int) -> int:
    """Return the bytes of a layout change: tiling first, then format, then memory; shards are their own buffers."""
    nbytes = 0
    if source.tiled != target.tiled and source.sharded:
        nbytes = DOUBLE * source.shard(t)[1] * target.dtype.tile_bytes if source.tiled and is_ragged(t.shape) else 0
    elif source.tiled and not target.tiled:
        nbytes = untilize(t.shape, source.dtype, cores)
    elif target.tiled and not source.tiled:
        nbytes = tilize(t.shape, source.dtype, target.dtype, cores)
    elif source.dtype != target.dtype and source.tiled:
        nbytes = typecast(source.dtype, target.dtype)
    elif not (source.sharded or target.sharded):
        nbytes = copy_bytes(t, source)
    return nbytes


def copy_bytes(t: TensorType, layout: Layout) -> int:
    """Return the bytes of two pages in transfer."""
    return DOUBLE * layout.page_bytes(t)


def cache_bytes(device_op: DeviceOp, op: UpdateCache) -> int:
    """Return the bytes of a row for each user: transposed and padded, then written into untilized cache tiles."""
    users, (_, heads, _, width) = op.users, op.cache.shape
    cache, row_dtype = (layout.dtype for layout in device_op.operands[:2])
    columns = tiles(width)
    apart = users == op.input.shape[0]
    transposed = permutation_bytes(op.input.shape, (2, 0, 1, 3) if apart else (0, 2, 1, 3), row_dtype)
    filled = fill_padding((1, users, heads, width), row_dtype) if heads < TILE else 0
    return max(transposed, filled, rows_bytes(users, columns, cache, row_dtype))


def rows_bytes(users: int, columns: int, cache: DType, row_dtype: DType) -> int:
    """Return the bytes of `columns` cache tiles for all users, and of the rows' positions."""
    plain = DType.BF16 if row_dtype.is_block else row_dtype
    return (DOUBLE + users) * columns * cache.tile_bytes + 2 * DOUBLE * columns * plain.tile_bytes + _INDEX_PAGE
