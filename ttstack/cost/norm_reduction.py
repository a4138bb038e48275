"""Rows that are divided over cores: their parts of each sum are gathered, added up, and sent to all of them."""

import math

from ttstack.device.device_op import DeviceOp, Spread
from ttstack.device.group_norm import share_of
from ttstack.ops.normalization import GroupNorm
from ttstack.ops.types import DType
from ttstack.system_desc import ChipDesc


def row_exchange_cycles(device_op: DeviceOp, chip: ChipDesc) -> float:
    """Cycles in which the cores that share a row wait for its sums; none where each core has rows of its own.

    tt-metal's sharded norms: each core adds up its part; the sums of some rows each are gathered by the cores that
    share them, and all sums multicast. Width shards on several rows of cores take a second stage, down a column.
    """
    if isinstance(device_op.op, GroupNorm):
        return _group_exchange_cycles(device_op, device_op.op, chip)
    if device_op.row_cores <= 1:
        return 0.0
    gathers = [device_op.row_cores]
    if device_op.spread is Spread.COLUMNS and device_op.row_cores > device_op.grid.cols:
        gathers = [device_op.grid.cols, math.ceil(device_op.row_cores / device_op.grid.cols)]
    rows, read, step = device_op.core_units, chip.noc.l1_read, chip.rows.stage_cycles
    each = read.latency_cycles + chip.riscv.page_cycles + _TILE / chip.noc.bytes_per_cycle(read)
    gathered = sum(step + math.ceil(rows / n) * n * each for n in gathers)
    return _sums(device_op) * (gathered + _back_cycles(rows, chip))


def _group_exchange_cycles(device_op: DeviceOp, op: GroupNorm, chip: ChipDesc) -> float:
    """Group after group: one core reads a number of each that shares it, one after the other, and its own too."""
    share, read = share_of(device_op, op), chip.noc.l1_read
    gathered = chip.rows.stage_cycles + share.sharing * (read.latency_cycles + read.issue_cycles)
    return share.groups * share.samples * _sums(device_op) * (gathered + _back_cycles(1, chip))


_TILE = DType.BF16.tile_bytes


def _sums(device_op: DeviceOp) -> int:
    """Sums that are exchanged of each row."""
    return sum(math.ceil(op.count) for op in device_op.dispatch.work if op.name.startswith("reduce_"))


def _back_cycles(rows: int, chip: ChipDesc) -> float:
    """Cycles until all cores have the sums of so many rows."""
    return chip.rows.stage_cycles + rows * _TILE / chip.noc.bytes_per_cycle(chip.noc.multicast)
