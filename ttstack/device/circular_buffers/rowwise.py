"""Circular buffers of kernels that keep rows in a core: norms of the last dimension, and softmax."""

from ttstack.device.device_op import DeviceOp
from ttstack.device.kernel_class import is_centred, residual_of, softmax_mask, sum_dtype, wide_sums
from ttstack.device.layout import Grid, Layout, MemoryLayout
from ttstack.ops.types import TILE, DType
from ttstack.system_desc import ChipDesc

_DOUBLE = 2
_BLOCK = 8
"""Number of tiles computed at a time; half as many with 32-bit sums."""
_PIECE = 80
"""Tiles of a row that a softmax buffers if full rows do not fit."""
_WHOLE_COLUMNS = 512 * 1024
"""Maximum bytes of full columns that a softmax buffers."""
_UNEVEN = (5, 7)
"""Numbers of tiles that a softmax does not compute at a time."""
_LONG = 112
"""Tiles of a row that a norm buffers if full rows do not fit; weights, 32 bits, and 32-bit sums reduce it."""


def norm_block(device_op: DeviceOp, chip: ChipDesc) -> int:
    """Return the tiles of a row that a norm buffers: all, padded to blocks for interleaved tensors, if they fit."""
    if device_op.operands[0].sharded:
        return device_op.core_steps
    block = _block(device_op)
    whole = -(-device_op.dispatch.steps // block) * block
    if _interleaved_norm(device_op, whole, pieces=False) <= chip.l1_usable_bytes:
        return whole
    source, *scales = _source_and_scales(device_op)
    return min(whole, _LONG * block // _BLOCK // (2 if scales or source.dtype is DType.F32 else 1))


def norm_bytes(device_op: DeviceOp, chip: ChipDesc) -> int:
    """Return the bytes on each core of a norm."""
    if device_op.operands[0].sharded:
        return _sharded_norm(device_op)
    block = norm_block(device_op, chip)
    return _interleaved_norm(device_op, block, pieces=block < device_op.dispatch.steps)


def read_ahead(device_op: DeviceOp) -> int:
    """Return the read-ahead tiles of each summand of a norm's residual addition: two blocks."""
    return _DOUBLE * _block(device_op)


def _block(device_op: DeviceOp) -> int:
    return _BLOCK // 2 if wide_sums(device_op) else _BLOCK


def _source_and_scales(device_op: DeviceOp) -> list[Layout]:
    """Return the layouts of the normalized operand, then of weight and bias, without a residual."""
    residual = residual_of(device_op.op)
    return [layout for i, layout in enumerate(device_op.operands) if i != residual]


def _interleaved_norm(device_op: DeviceOp, stored: int, *, pieces: bool) -> int:
    """Return the bytes of rows of operand, centred and squared values, weight and bias; of result blocks and scalars.

    A row in pieces also has its running sum, and is copied unless centred. With a residual, the sum is buffered, and
    the operands in blocks.
    """
    source, *scales = (layout.dtype.tile_bytes for layout in _source_and_scales(device_op))
    result, block, sums = device_op.results[0].dtype, _block(device_op), sum_dtype(device_op).tile_bytes
    centred, copied, added = is_centred(device_op.op), pieces, 0
    if (residual := residual_of(device_op.op)) is not None:
        added = read_ahead(device_op) * (source + device_op.operands[residual].dtype.tile_bytes)
        source, copied = sums, False
    rows = stored * (source + sum(scales) + (1 + (centred or copied)) * sums) + added
    blocks = _DOUBLE * block * result.tile_bytes + _BLOCK * sums + (_DOUBLE * block * sums if scales else 0)
    scalars = _DOUBLE * ((1 + centred) * sums + 2 * DType.BF16.tile_bytes)
    return rows + blocks + scalars + (sums if pieces else 0)


def _sharded_norm(device_op: DeviceOp) -> int:
    """Return the bytes of shards of intermediates, and of statistics that the cores of a row exchange.

    Rows that do not fill their tiles have a mask, and a masked copy if centred. A sum with a residual uses the buffer
    of later squares.
    """
    source, *scales = _source_and_scales(device_op)
    source_type = device_op.op.operands[0]
    height, width = source.shard(source_type)
    tile = sum_dtype(device_op).tile_bytes
    centred, ragged = is_centred(device_op.op), source_type.shape[-1] % TILE != 0
    exchanged, joined = _exchanged(source.grid or Grid(1, 1), source.memory_layout, height)
    statistics = 3 * height + exchanged + joined
    if centred:
        statistics += 2 * height + exchanged
    shards = 3 if centred and ragged else 2
    inner = (statistics + shards * height * width) * tile
    scalars = (2 + (width if ragged else 0)) * DType.BF16.tile_bytes + tile
    return inner + scalars + width * sum(layout.dtype.tile_bytes for layout in scales)


def _exchanged(grid: Grid, kind: MemoryLayout, height: int) -> tuple[int, int]:
    """Return the tiles of one row's statistics that its cores send, in two stages, and the joined rows."""
    if kind is MemoryLayout.WIDTH_SHARDED and min(grid.rows, grid.cols) > 1:
        return grid.cols + grid.rows - 1, -(-height // grid.cols)
    _, cores = kind.cuts(grid)
    return cores, -(-height // cores)


def softmax_bytes(device_op: DeviceOp, chip: ChipDesc, *, stable: bool) -> int:
    """Return the bytes on each core of a softmax along rows, in full or, if they do not fit, in pieces.

    With a mask it also buffers the mask, masked rows, and blocks of scaled rows.
    """
    source, result = device_op.operands[0].dtype.tile_bytes, device_op.results[0].dtype.tile_bytes
    sums, mask = sum_dtype(device_op).tile_bytes, softmax_mask(device_op.op)
    block, width = _softmax_block(device_op.dispatch.steps, _block(device_op))
    scaler = (DType.F32 if device_op.operands[0].dtype is DType.F32 else DType.BF16).tile_bytes
    scalars = (3 if stable else 2) * sums + scaler + DType.BF16.tile_bytes
    added = row = 0
    if mask is not None:
        row = device_op.operands[mask].dtype.tile_bytes + sums
        added, scalars = width * row + block * sums, scalars + DType.BF16.tile_bytes
    stored = width * sums + _DOUBLE * block * result + scalars + added
    ragged = device_op.op.operands[0].shape[-1] % TILE != 0
    if stable and not ragged and mask is None:
        whole = stored + width * source
    else:
        whole = stored + _DOUBLE * block * source + (width * sums if stable else 0)
    if whole <= chip.l1_usable_bytes:
        return whole
    return _PIECE * (source + 2 * sums + row) + _DOUBLE * block * result + scalars + 3 * sums


def across_bytes(device_op: DeviceOp, *, leading: bool) -> int:
    """Return the bytes on each core of a softmax along columns, in full if they fit, or along a leading dimension."""
    source = device_op.operands[0].dtype
    tile, sums = source.tile_bytes, sum_dtype(device_op).tile_bytes
    if leading:
        return 5 * (tile + (sums if wide_sums(device_op) else tile))
    scalars = 3 * (DType.F32 if source is DType.F32 else DType.BF16).tile_bytes
    whole = _DOUBLE * device_op.dispatch.steps * (tile + sums) + scalars + 3 * sums
    return whole if whole <= _WHOLE_COLUMNS else 4 * tile + scalars + 6 * sums


def _softmax_block(width: int, most: int) -> tuple[int, int]:
    """Return the tiles computed at a time, and those of a row padded to them if that needs fewer blocks."""
    divisor = max((d for d in range(1, most + 1) if width % d == 0 and d not in _UNEVEN), default=1)
    block = divisor if width // divisor <= -(-width // most) else most
    return block, -(-width // block) * block
