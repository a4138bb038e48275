"""Operands that several cores need: one core reads, and sends to the others."""

import math

from ttstack.cost.transfers import link_kind
from ttstack.ops.dispatch import Map
from ttstack.program.device_op import DeviceOp, Spread
from ttstack.program.layout import Layout
from ttstack.program.matmul_blocks import MatmulBlocks
from ttstack.system_desc import ChipDesc


def pieces(device_op: DeviceOp, which: Map) -> int:
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


def multicast_cycles(
    device_op: DeviceOp, layout: Layout, nbytes: float, page: float, rereads: int, chip: ChipDesc
) -> float:
    """Cycles until a core has its `nbytes` in blocks along the reduction, each announced and acknowledged."""
    noc, clock = chip.noc, chip.clock_hz
    blocks = MatmulBlocks.of(device_op).k_blocks * rereads
    if layout.in_l1 and layout.sharded:
        return nbytes / noc.multicast.bytes_per_cycle + blocks * noc.multicast.latency_cycles
    if layout.in_l1:
        read = page / noc.l1_read.bytes_per_cycle + chip.riscv.page_cycles
        sent = nbytes / noc.multicast.bytes_per_cycle
        return nbytes / page * read + sent + blocks * noc.multicast.latency_cycles
    rate = chip.dram.multicast_sender_bytes_per_second / clock
    if layout.sharded:
        rate = link_kind(chip, in_l1=False, write=False).bytes_per_cycle
    return nbytes / rate + blocks * noc.multicast.latency_cycles
