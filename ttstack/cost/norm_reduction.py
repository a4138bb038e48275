"""Rows that are divided over cores: their parts of each sum are gathered, added up, and sent to all of them."""

import math

from ttstack.device.device_op import DeviceOp, Spread
from ttstack.ops.normalization import GroupNorm
from ttstack.ops.types import DType
from ttstack.system_desc import ChipDesc


def row_exchange_cycles(device_op: DeviceOp, chip: ChipDesc) -> float:
    """Cycles in which the cores that share a row wait for its sums.

    tt-metal's sharded norms: each core adds up its part; the sums of some rows each are gathered by the cores that
    share them, and all sums multicast. Width shards on several rows of cores take a second stage, down a column.
    """
    gathers = [device_op.row_cores]
    if device_op.spread is Spread.COLUMNS and device_op.row_cores > device_op.grid.cols:
        gathers = [device_op.grid.cols, math.ceil(device_op.row_cores / device_op.grid.cols)]
    times, rows = _exchanges(device_op)
    read, sent = chip.noc.l1_read, chip.noc.multicast
    tile, step = DType.BF16.tile_bytes, chip.rows.stage_cycles
    each = read.latency_cycles + chip.riscv.page_cycles + tile / chip.noc.bytes_per_cycle(read)
    gathered = sum(step + math.ceil(rows / n) * n * each for n in gathers)
    back = step + rows * tile / chip.noc.bytes_per_cycle(sent)
    sums = sum(math.ceil(op.count) for op in device_op.dispatch.work if op.name.startswith("reduce_"))
    return times * sums * (gathered + back)


def _exchanges(device_op: DeviceOp) -> tuple[int, int]:
    """Exchanges of each sum, and tiles in each: of all rows at once, but of one group of channels after the other."""
    op, units = device_op.op, device_op.core_units
    return (math.ceil(units * op.groups_of_tile), 1) if isinstance(op, GroupNorm) else (1, units)
