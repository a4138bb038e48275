"""Circular buffers of attention of new tokens over a cache, as `ttnn` 0.81.1 allocates them."""

import math

from ttstack.device.device_op import DeviceOp
from ttstack.ops.decode import DecodeAttentionOp, PagedDecodeAttention, PagedScaledDotProductAttentionDecode
from ttstack.ops.types import TILE, DType, tiles
from ttstack.system_desc import ChipDesc

_MOST_CHUNK = 16
"""Tiles of keys that are taken at a time, at most: a power of two that divides those of the cache, one of pages."""
_HALF_TILE = TILE // 2
"""Heads that fit into tiles of half the height, which causal attention then has."""
_SCALARS = 3


def decode_attention_bytes(device_op: DeviceOp, op: DecodeAttentionOp, chip: ChipDesc) -> int:
    """Bytes on each core: queries, chunks of keys and values twice, scores, and results of the cores of a head.

    What is made on the way is held in bf16. The cores of a head are those of the device, not those with keys.
    """
    users, heads, _ = op.lengths()
    rows, (depth, width) = tiles(heads), map(tiles, op.widths())
    chunk, cores = chunk_tiles(op), cores_of_head(device_op, op, chip)
    if isinstance(op, PagedScaledDotProductAttentionDecode):
        cores = 1  # each takes whole heads
    streams = 2 * chunk * (depth + width) * device_op.operands[1].dtype.tile_bytes
    sink, masked = getattr(op, "attention_sink", None) is not None, chunk if op.window else 0
    held = rows * (2 * depth + 5 * width + 2 * chunk + 11 + sink + masked + (width + 2) * (cores - 1))
    height = 2 if getattr(op, "is_causal", False) and heads <= _HALF_TILE else 1
    plain = DType.BF16.tile_bytes
    return streams + held * plain // height + _SCALARS * plain + _lists(op, users, chip)


def cores_of_head(device_op: DeviceOp, op: DecodeAttentionOp, chip: ChipDesc) -> int:
    """Cores that share the keys of a head of one user."""
    return max(min(free_cores(device_op, op), chip.attention.max_cores_per_head), 1)


def free_cores(device_op: DeviceOp, op: DecodeAttentionOp) -> int:
    """Cores that there are for a head of keys of one user; 0 where there are more heads than cores."""
    return device_op.grid.cores // max(op.lengths()[0] * op.parts[1].shape[1], 1)


def chunk_tiles(op: DecodeAttentionOp) -> int:
    """Tiles of keys that a core takes at a time."""
    keys = 1 if isinstance(op, PagedDecodeAttention) else tiles(op.parts[1].shape[2])
    return min(_MOST_CHUNK, keys & -keys)


def _lists(op: DecodeAttentionOp, users: int, chip: ChipDesc) -> int:
    """Positions of all users, twice, and the pages of one."""
    entry, unit = math.ceil(DType.SI32.row_major_bytes), chip.dram.alignment_bytes
    pages = op.table.shape[-1] if isinstance(op, PagedDecodeAttention) else 0
    return (2 * math.ceil(users * entry / unit) + math.ceil(pages * entry / unit)) * unit
