"""Attention of new tokens: keys of a head divided over cores, where there are more cores than heads."""

import math

from ttstack.device.configs.attention import AttentionConfig
from ttstack.device.device_op import DeviceOp
from ttstack.ops.decode import DecodeAttentionOp
from ttstack.ops.types import tiles
from ttstack.system_desc import ChipDesc


def key_parts(device_op: DeviceOp, chip: ChipDesc) -> int:
    """Cores that share the keys of one head of one user, each with whole chunks; 1 of other ops."""
    if not isinstance(device_op.op, DecodeAttentionOp):
        return 1
    free = device_op.grid.cores // max(device_op.dispatch.units, 1)
    return max(min(free, key_chunks(device_op, chip), chip.attention.max_cores_per_head), 1)


def key_chunks(device_op: DeviceOp, chip: ChipDesc) -> int:
    """Chunks of keys of a head that cores take one after the other."""
    config = device_op.config
    said = config.k_chunk_tiles if isinstance(config, AttentionConfig) else None
    return math.ceil(device_op.dispatch.steps / (said or chip.attention.decode_chunk_tiles))


def chunk_cycles(device_op: DeviceOp, chip: ChipDesc) -> float:
    """Cycles of a core between its chunks of keys, for all heads that it has."""
    if not isinstance(device_op.op, DecodeAttentionOp):
        return 0.0
    each = math.ceil(key_chunks(device_op, chip) / key_parts(device_op, chip))
    return device_op.core_units * (each - 1) * chip.attention.chunk_cycles


def merge_cycles(device_op: DeviceOp, chip: ChipDesc) -> float:
    """Cycles in which one core adds up the results of those that share a head, one after the other.

    Each step rescales what is there and what comes, tile by tile, and adds.
    """
    parts = key_parts(device_op, chip)
    if parts == 1:
        return 0.0
    columns = tiles(device_op.op.results[0].shape[-1])
    return (parts - 1) * (chip.attention.merge_cycles + columns * chip.attention.merge_tile_cycles)
