"""Attention of new tokens: keys of a head divided over cores, where there are more cores than heads."""

import math

from ttstack.device.device_op import DeviceOp
from ttstack.device.footprint import attention_chunks
from ttstack.ops.decode import DecodeAttention
from ttstack.ops.types import DType, tiles
from ttstack.system_desc import ChipDesc


def key_parts(device_op: DeviceOp, chip: ChipDesc) -> int:
    """Cores that share the keys of one head of one user, each with whole chunks; 1 of other ops."""
    if not isinstance(device_op.op, DecodeAttention):
        return 1
    chunks = math.ceil(device_op.dispatch.steps / attention_chunks(device_op, chip)[1])
    free = device_op.grid.cores // max(device_op.dispatch.units, 1)
    return max(min(free, chunks, chip.attention.max_cores_per_head), 1)


def merge_cycles(device_op: DeviceOp, chip: ChipDesc) -> float:
    """Cycles in which the results of cores that share a head are added up, by halves.

    Each step moves one core's result and its statistics to another, which rescales both and adds.
    """
    parts = key_parts(device_op, chip)
    if parts == 1:
        return 0.0
    moved = tiles(device_op.op.results[0].shape[-1]) + 2
    write = chip.noc.l1_write
    sent = write.latency_cycles + moved * DType.BF16.tile_bytes / chip.noc.bytes_per_cycle(write)
    added = moved * chip.attention.softmax_cycles_per_tile / 2
    return math.ceil(math.log2(parts)) * (sent + added)
