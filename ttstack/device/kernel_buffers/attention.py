"""Circular buffers of attention over whole sequences."""

import math

from ttstack.device.device_op import DeviceOp
from ttstack.device.kernel_buffers.pieces import repeat_bytes
from ttstack.device.kernel_buffers.tiles import DOUBLE
from ttstack.ops.attention import ScaledDotProductAttention
from ttstack.ops.types import TILE, DType, tiles

_DST = 8
"""Tiles that are computed at a time."""

_STATISTICS = 5
"""Columns that a block of queries has: greatest scores and sums, as they were and as they are, and their change."""

_SCALARS = 3

_EDGES = 2
"""Tiles for the two ends of a window."""


def attention_bytes(device_op: DeviceOp, op: ScaledDotProductAttention, query: int, keys: int, workers: int) -> int:
    """Bytes on each core in blocks of `query` by `keys` tiles.

    What is made on the way is held in bf16; the result leaves by two groups of rows.
    """
    depth, width = tiles(op.query.shape[3]), tiles(op.value.shape[3])
    q, k, v = (layout.dtype.tile_bytes for layout in device_op.operands[:3])
    plain = DType.BF16.tile_bytes
    blocks = op.query.shape[0] * op.query.shape[1] * -(-tiles(op.query.shape[2]) // query)
    streams = query * depth * q * (DOUBLE if _blocks_of_core(op, blocks, query, device_op.grid.cores) > 1 else 1)
    streams += DOUBLE * keys * (depth * k + width * v)
    held = query * (keys + 2 * width + _STATISTICS) + _SCALARS
    out = DOUBLE * _row_group(query, width) * width * device_op.results[0].dtype.tile_bytes
    found = streams + _mask_bytes(device_op, op, query, keys) + held * plain + out
    return max(found, _repeated(device_op, op, workers))


def _repeated(device_op: DeviceOp, op: ScaledDotProductAttention, workers: int) -> int:
    """Bytes for a mask of one row, repeated for all queries."""
    mask, rows = op.attention_mask, op.query.shape[2]
    if mask is None or mask.shape[2] == rows:
        return 0
    return repeat_bytes(mask.shape, (1, 1, rows, 1), device_op.operands[3].dtype, workers)


def _blocks_of_core(op: ScaledDotProductAttention, blocks: int, query: int, cores: int) -> int:
    """Blocks of queries of the core that has most; causal ones come in pairs, a light and a heavy one."""
    pairs = op.is_causal and -(-tiles(op.query.shape[2]) // query) % 2 == 0
    return 2 * -(-blocks // 2 // cores) if pairs else -(-blocks // cores)


def _mask_bytes(device_op: DeviceOp, op: ScaledDotProductAttention, query: int, keys: int) -> int:
    """Two blocks of a mask that is given, else the tiles that those of padding and of the diagonal are made of."""
    if op.attention_mask is not None:
        return DOUBLE * query * keys * device_op.operands[3].dtype.tile_bytes
    padded = tiles(op.key.shape[2]) % keys or op.key.shape[2] % TILE
    short = padded or tiles(op.query.shape[2]) % query or op.query.shape[2] % TILE
    if not (op.is_causal or op.sliding_window_size or short):
        return 0
    special = _EDGES if op.sliding_window_size else int(op.is_causal)
    partial = not op.is_causal and op.key.shape[2] % TILE != 0
    return (1 + special + int(partial)) * DType.BF16.tile_bytes


def _row_group(query: int, width: int) -> int:
    """Rows of tiles of the result that are computed together, two at most."""
    pairs = [(h, w) for h in (1, 2) for w in range(1, _DST + 1) if query % h == 0 and width % w == 0 and h * w <= _DST]
    height, columns = max(pairs, key=math.prod)
    return 2 if height == 1 and 2 * columns <= _DST and query > 1 else height
