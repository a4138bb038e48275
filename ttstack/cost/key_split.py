"""Attention of new tokens: keys of a head divided over cores, where there are more cores than heads."""

import math

from ttstack.device.configs.attention import AttentionConfig
from ttstack.device.device_op import DeviceOp
from ttstack.device.footprint import attention_chunks
from ttstack.device.kernel_buffers.decode_attention import chunk_tiles
from ttstack.ops.decode import DecodeAttentionOp
from ttstack.ops.types import TILE, tiles
from ttstack.system_desc import ChipDesc


def key_parts(device_op: DeviceOp, chip: ChipDesc) -> int:
    """Cores that share the keys of one head of one user, each with whole chunks; 1 of other ops."""
    if not isinstance(device_op.op, DecodeAttentionOp):
        return 1
    free = device_op.grid.cores // max(device_op.dispatch.units, 1)
    return max(min(free, key_chunks(device_op, chip), chip.attention.max_cores_per_head), 1)


def key_chunks(device_op: DeviceOp, chip: ChipDesc) -> int:
    """Chunks of keys of a head that cores take one after the other."""
    return math.ceil(device_op.dispatch.steps / score_chunk(device_op, chip)[1])


def score_chunk(device_op: DeviceOp, chip: ChipDesc) -> tuple[int, int]:
    """Tiles of queries and of keys whose scores a core holds at a time."""
    queries, keys = attention_chunks(device_op, chip)
    if not isinstance(device_op.op, DecodeAttentionOp):
        return queries, keys
    config = device_op.config
    said = config.k_chunk_tiles if isinstance(config, AttentionConfig) else None
    if device_op.op.parts[1].shape[2] % TILE:
        said = chunk_tiles(device_op.op)  # the call says it
    return 1, min(said or chip.attention.decode_chunk_tiles, device_op.dispatch.steps)


def merge_cycles(device_op: DeviceOp, chip: ChipDesc) -> float:
    """Cycles in which the results of cores that share a head are added up, in a tree of so many of them at a time.

    A core rescales what is there and what comes, tile by tile, and adds, one result after the other.
    """
    parts, cores = key_parts(device_op, chip), chip.attention.merge_cores
    if parts == 1:
        return 0.0
    merges = 0
    while parts > 1:
        merges += min(parts, cores) - 1
        parts = math.ceil(parts / cores)
    columns = tiles(device_op.op.results[0].shape[-1])
    return merges * (chip.attention.merge_cycles + columns * chip.attention.merge_tile_cycles)
