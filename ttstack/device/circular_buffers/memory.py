"""Circular buffers of changes of layout, copies, and writes into caches."""

from ttstack.device.circular_buffers.permutation import permutation_bytes
from ttstack.device.circular_buffers.tiles import DOUBLE, fill_padding, is_ragged, tilize, typecast, untilize
from ttstack.device.device_op import DeviceOp
from ttstack.device.layout import Layout
from ttstack.ops.kv_cache import UpdateCache
from ttstack.ops.types import TILE, DType, TensorType, tiles

_INDEX_PAGE = 4096
"""Bytes for the positions that rows are written to."""


def layout_bytes(t: TensorType, source: Layout, target: Layout, cores: int) -> int:
    """Bytes for tiles or rows first, then the format, then the memory; what shards hold is their own buffer."""
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
    """Bytes for two pages on their way."""
    return DOUBLE * layout.page_bytes(t)


def cache_bytes(device_op: DeviceOp, op: UpdateCache) -> int:
    """Bytes of a row for each user: transposed and padded, then tiles of the cache that it is written into, as rows."""
    users, (_, heads, _, width) = op.users, op.cache.shape
    cache, row_dtype = (layout.dtype for layout in device_op.operands[:2])
    columns = tiles(width)
    apart = users == op.input.shape[0]
    transposed = permutation_bytes(op.input.shape, (2, 0, 1, 3) if apart else (0, 2, 1, 3), row_dtype)
    filled = fill_padding((1, users, heads, width), row_dtype) if heads < TILE else 0
    return max(transposed, filled, rows_bytes(users, columns, cache, row_dtype))


def rows_bytes(users: int, columns: int, cache: DType, row_dtype: DType) -> int:
    """Bytes for `columns` tiles of a cache for all users that rows are written into, and where."""
    plain = DType.BF16 if row_dtype.is_block else row_dtype
    return (DOUBLE + users) * columns * cache.tile_bytes + 2 * DOUBLE * columns * plain.tile_bytes + _INDEX_PAGE
