"""Rows that are divided over cores: their parts of each sum are gathered, added up, and sent to all of them."""

import math

from ttstack.device.device_op import DeviceOp, Spread
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
    rows, read, sent = device_op.core_units, chip.noc.l1_read, chip.noc.multicast
    tile = DType.BF16.tile_bytes
    rate = chip.noc.bytes_per_cycle(read)
    gathered = sum(read.latency_cycles + math.ceil(rows / n) * n * tile / rate for n in gathers)
    back = sent.latency_cycles + rows * tile / chip.noc.bytes_per_cycle(sent)
    sums = sum(math.ceil(op.count) for op in device_op.dispatch.work if op.name.startswith("reduce_"))
    return sums * (gathered + back)
