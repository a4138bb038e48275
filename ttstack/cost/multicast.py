"""Operands that several cores need: one core reads, and sends to the others."""

import math

from ttstack.cost.transfers import dram_cycles, link_kind, transfer_cycles
from ttstack.device.device_op import DeviceOp, Spread
from ttstack.device.layout import Layout
from ttstack.device.matmul_blocks import MatmulBlocks
from ttstack.ops.loops import IndexingMap
from ttstack.system_desc import ChipDesc


def pieces(device_op: DeviceOp, which: IndexingMap) -> int:
    """Parts into which the spread cuts the operand; cores that hold the same part share one sender."""
    loops = set(which.loops)
    lead, last = device_op.dispatch.parallel[:-1], device_op.dispatch.parallel[-1:]
    match device_op.spread:
        case Spread.FLAT:
            return device_op.cores
        case Spread.ROWS:
            return _cut(device_op, loops, lead, device_op.grid.cores)
        case Spread.COLUMNS:
            return _cut(device_op, loops, last, device_op.grid.cores)
        case Spread.BLOCKS:
            by_row = _cut(device_op, loops, lead, device_op.grid.rows)
            return by_row * _cut(device_op, loops, last, device_op.grid.cols)


def _cut(device_op: DeviceOp, used: set[int | None], loops: tuple[int, ...], cores: int) -> int:
    if not used.intersection(loops):
        return 1
    units = math.prod(device_op.dispatch.domain[i] for i in loops)
    return -(-units // max(-(-units // cores), 1))


def multicast_cycles(device_op: DeviceOp, nbytes: float, rereads: int, chip: ChipDesc) -> float:
    """Cycles in which a core is sent its `nbytes` block by block, its sender waiting for all to have each."""
    noc = chip.noc
    blocks = MatmulBlocks.of(device_op).k_blocks * rereads
    return nbytes / noc.bytes_per_cycle(noc.multicast) + blocks * noc.multicast.latency_cycles


def read_and_multicast_cycles(
    device_op: DeviceOp, layout: Layout, nbytes: float, page: float, rereads: int, senders: int, chip: ChipDesc
) -> float:
    """Cycles until a core has its `nbytes`: its sender reads a block, then sends it, and waits for all to have it."""
    sent = multicast_cycles(device_op, nbytes, rereads, chip)
    if layout.in_l1 and layout.sharded:
        return sent
    read = transfer_cycles(nbytes, page, link_kind(chip, in_l1=layout.in_l1, write=False), chip.riscv.page_cycles, chip)
    if not layout.in_l1 and not layout.sharded:
        read = max(read, dram_cycles(nbytes * senders, chip.dram.interleaved_read_bytes_per_second, chip))
    return read + sent
