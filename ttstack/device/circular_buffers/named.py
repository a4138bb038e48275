"""Circular buffers of kernels for single ops, as the library's program factories allocate them."""

import math
from collections.abc import Callable
from typing import Any

from ttstack.device.call_name import call_kind
from ttstack.device.circular_buffers.collective import collective_bytes
from ttstack.device.circular_buffers.indexing import gather_bytes, scatter_bytes
from ttstack.device.circular_buffers.memory import rows_bytes
from ttstack.device.circular_buffers.reduction import argmax_bytes
from ttstack.device.circular_buffers.row_moves import row_bytes
from ttstack.device.circular_buffers.tiles import DOUBLE
from ttstack.device.device_op import DeviceOp
from ttstack.device.group_norm import share_of
from ttstack.device.kernel_class import is_scan
from ttstack.device.program_config import MatmulConfig
from ttstack.ops.attention import SplitQueryKeyValueDecode
from ttstack.ops.base import Op
from ttstack.ops.indexing import Gather, Scatter
from ttstack.ops.kv_cache import FillCache, PagedFillCache, PagedUpdateCache
from ttstack.ops.matmul import SparseMatmul
from ttstack.ops.normalization import GroupNorm
from ttstack.ops.pool import Upsample2d
from ttstack.ops.reduction import Argmax
from ttstack.ops.rotary import RotaryEmbedding
from ttstack.ops.sort import Sort, Topk
from ttstack.ops.types import DType, tiles
from ttstack.system_desc import ChipDesc

_POOLED = {"max_pool2d": 8, "avg_pool2d": 10}
"""Tiles of window rows, of results, and of a mean's divisor."""
_SCANNED = 8
"""Tiles of a running sum, and of its summand."""
_SORTED, _BARRIER = 6, 1024
"""Additional tiles of values and of positions in a sort; bytes of a barrier."""
_SORTING_CORES, _EXCHANGED, _PEERS, _WIDE_ROW = 64, 8, 3, 1 << 16
"""Cores that share longer rows; tiles of values and positions exchanged, and of small numbers; 32-bit position
limit."""
_MANY_COLUMNS, _MOST_CORES, _LEAST_TILES = 1024, 16, 4
"""Minimum columns for cores to share an argmax, the maximum number of cores, and their minimum tiles."""
_BLENDED = 8192
"""Bytes of tiles of weights and sums for interpolated pixels."""
_USERS = 64
"""Maximum number of users written at once, one per core."""
_SPARSITY = 64
"""Bytes to which the list of used blocks is rounded up."""
_BY_HOST = "arange"
"""Ops whose result the host writes."""
_INTO_SHARDS = (SplitQueryKeyValueDecode,)
"""Ops whose kernels read rows into the shards of their results, without a buffer."""
_GROUP_SCALARS = 4
"""Tiles of sums' scalars and epsilon; and as many tiles of sums, in the operand's format."""


def named_bytes(device_op: DeviceOp, chip: ChipDesc) -> int | None:
    """Return the bytes on each core; None for ops without such a kernel."""
    if is_scan(device_op.op):
        return _scan(device_op)
    if call_kind(device_op.op) == _BY_HOST or isinstance(device_op.op, _INTO_SHARDS):
        return 0
    if (exchanged := collective_bytes(device_op)) is not None:
        return exchanged
    if kernel_bytes := _KERNELS.get(type(device_op.op)):
        return kernel_bytes(device_op, device_op.op)
    around = _AMONG_OTHERS.get(type(device_op.op))
    return None if around is None else around(device_op, device_op.op, chip)


def pool_bytes(op: Op) -> int | None:
    """Return the bytes of a pool's buffers, without the pixels of its windows; None for other ops."""
    pooled_tiles = _POOLED.get(op.mnemonic)
    return None if pooled_tiles is None else pooled_tiles * DType.BF16.tile_bytes


def _scan(device_op: DeviceOp) -> int:
    """Return the bytes of rows in transfer, the running result, and a 32-bit tile for 32-bit numbers or products.

    Scans along leading dimensions, which 32-bit ones are transposed to, have one more.
    """
    dtype, nest = device_op.operands[0].dtype, device_op.dispatch
    wide = dtype is not DType.BF16 or any(tile_op.name.endswith("prod") for tile_op in nest.work)
    leading = dtype is DType.F32 or (dtype.is_float and min(nest.reductions, default=0) < len(nest.domain) - 2)
    return _SCANNED * dtype.tile_bytes + (int(wide) + int(leading)) * DType.F32.tile_bytes


def _sort(device_op: DeviceOp, op: Sort) -> int:
    """Return the bytes of rows of values and positions, padded to a power of two of tiles.

    Long rows are divided over 64 cores.
    """
    width = op.input.shape[op.dim] if op.input.rank else 1
    columns = max(1 << (tiles(width) - 1).bit_length(), 2)
    if columns <= _SORTING_CORES:
        return (columns + _SORTED) * _pair(device_op) + _BARRIER
    pair = _pair(device_op) if width < _WIDE_ROW else device_op.operands[0].dtype.tile_bytes + DType.UI32.tile_bytes
    return (columns // _SORTING_CORES + _EXCHANGED) * pair + _PEERS * DType.BF16.tile_bytes


def _topk(device_op: DeviceOp, op: Topk) -> int:
    width, kept = op.input_tensor.shape[op.dim], tiles(op.k)
    half = _pair(device_op) // 2
    if width < _MANY_COLUMNS:
        return (12 + 6 * kept) * half
    cores = min(_MOST_CORES, tiles(width) // _LEAST_TILES)
    own, gathered = -(-tiles(width) // cores), cores * kept
    return (12 + 2 * gathered + 2 * max(own, gathered)) * half


def _pair(device_op: DeviceOp) -> int:
    """Return the bytes of a tile of values and one of positions, of equal width."""
    return 2 * device_op.operands[0].dtype.tile_bytes


def _paged_update(device_op: DeviceOp, op: PagedUpdateCache) -> int:
    """Return the bytes of cache tiles for all users, as rows, and of one user's pages."""
    users, columns = min(op.input.shape[1], _USERS), tiles(op.cache.shape[3])
    pages = 0 if op.page_table is None else op.page_table.shape[1] * DType.SI32.row_major_bytes
    return rows_bytes(users, columns, *(layout.dtype for layout in device_op.operands[:2])) + math.ceil(pages)


def _paged_fill(device_op: DeviceOp, op: PagedFillCache) -> int:
    """Return the bytes of two rows of tiles, the pages of a user, and the number of each named user."""
    pages = row_bytes(op.page_table.shape[1], DType.SI32)
    named = 0 if op.batch_idx_tensor is None else math.ceil(op.batch_idx_tensor.size * DType.SI32.row_major_bytes)
    return DOUBLE * tiles(op.cache.shape[3]) * device_op.operands[1].dtype.tile_bytes + pages + named


def _sparse(device_op: DeviceOp, op: SparseMatmul) -> int:
    """Return the bytes on each core: a block of columns, double-buffered operands, sums, and the block list."""
    rows, depth = tiles(op.a.shape[2]), tiles(op.a.shape[3])
    columns = -(-tiles(op.b.shape[3]) // device_op.grid.cores)
    block = math.gcd(depth, (device_op.config.in0_block_w or 1) if isinstance(device_op.config, MatmulConfig) else 1)
    a, b = (layout.dtype.tile_bytes for layout in device_op.operands[:2])
    used = math.ceil(op.sparsity.shape[-1] * DType.BF16.row_major_bytes / _SPARSITY) * _SPARSITY
    return DOUBLE * block * (rows * a + columns * b) + rows * columns * device_op.results[0].dtype.tile_bytes + used


def _upsample(device_op: DeviceOp, op: Upsample2d) -> int:
    channels = op.input.shape[-1]
    if op.mode != "bilinear":
        return row_bytes(channels, device_op.operands[0].dtype)
    return _BLENDED + 16 * math.ceil(channels * DType.BF16.row_major_bytes)


def _rotary(device_op: DeviceOp, op: RotaryEmbedding) -> int:
    """Return the bytes of rows with split halves, cosines and sines; for shards only of intermediates.

    With a matrix for neighbours: double-buffered operands and results except the matrix, and three products of a row.
    """
    width, plain = tiles(op.input.shape[-1]), DType.BF16.tile_bytes
    if op.trans_mat is not None:
        return (1 + 11 * width) * plain
    x, table = (layout.dtype.tile_bytes for layout in device_op.operands[:2])
    if device_op.operands[0].sharded:
        return width * (x + 2 * table) + plain
    one_row = 2 * width * plain if op.cos_cache.shape[-2] == 1 else 0
    rows = 6 * width * x + 4 * width * table + one_row
    return rows if width == 1 else rows + x + 2 * table + plain  # halves of a tile are not apart


def _group_norm(device_op: DeviceOp, op: GroupNorm) -> int:
    """Return the bytes of circular buffers on each core of a group norm on its shards.

    These are two buffers for one sample's group, numbers by channel, masks of two groups, sums and scalars.
    """
    share, source_bytes = share_of(device_op, op), device_op.operands[0].dtype.tile_bytes
    computed = share.height * (share.samples * share.width + share.span)
    by_channel = sum(t is not None for t in (op.weight, op.bias)) * share.width
    (mask,) = op.operand_positions("input_mask")
    masks = DOUBLE * share.span * device_op.operands[mask].dtype.tile_bytes
    return (computed + _GROUP_SCALARS) * source_bytes + (by_channel + _GROUP_SCALARS) * DType.BF16.tile_bytes + masks


def _fill_cache(device_op: DeviceOp, op: FillCache) -> int:  # noqa: ARG001  as the others are called
    return DOUBLE * device_op.operands[0].dtype.tile_bytes


_KERNELS: dict[type[Any], Callable[[DeviceOp, Any], int]] = {
    FillCache: _fill_cache,
    GroupNorm: _group_norm,
    PagedFillCache: _paged_fill,
    PagedUpdateCache: _paged_update,
    RotaryEmbedding: _rotary,
    Sort: _sort,
    SparseMatmul: _sparse,
    Topk: _topk,
    Upsample2d: _upsample,
}
_AMONG_OTHERS: dict[type[Any], Callable[[DeviceOp, Any, ChipDesc], int | None]] = {
    Argmax: argmax_bytes,
    Gather: gather_bytes,
    Scatter: scatter_bytes,
}
"""Ops whose kernels run after layout changes and permutations, which use all cores."""
