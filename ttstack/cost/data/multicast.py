"""Operands of products that one core reads and sends to several by multicast."""

from ttstack.cost.data.links import span_hops
from ttstack.device.device_op import DeviceOp, Spread
from ttstack.device.layout import Layout
from ttstack.device.matmul_blocks import MatmulBlocks
from ttstack.ops.loops import IndexingMap
from ttstack.system_desc import ChipDesc


def multicast_cycles(device_op: DeviceOp, which: IndexingMap, nbytes: float, rereads: int, chip: ChipDesc) -> float:
    """Return the cycles in which a core is sent its `nbytes` block by block, its sender waiting for all to have each.

    Where cores read columns of weights of their own, blocks of the other operand run ahead of them: the sender hears
    that there is room for the next block, which is half of a latency, and waits for nothing else.
    """
    noc, blocks = chip.noc, max(MatmulBlocks.of(device_op).k_blocks * rereads, 1)
    latency = noc.multicast.latency_cycles * (0.5 if device_op.spread is Spread.COLUMNS else 1.0)
    return blocks * noc.multicast_cycles(1, nbytes / blocks, _receiver_hops(device_op, which, chip), latency)


def _receiver_hops(device_op: DeviceOp, which: IndexingMap, chip: ChipDesc) -> float:
    """Hops from the sender of an operand to the last core that it sends to: along its row, down its column, or both."""
    rows, columns = device_op.grid.rows, device_op.grid.cols
    if device_op.spread is Spread.BLOCKS:
        last = device_op.dispatch.parallel[-1] in which.loops
        rows, columns = (rows, 1) if last else (1, columns)
    return span_hops(chip, rows, columns)


def read_and_multicast_cycles(
    device_op: DeviceOp,
    which: IndexingMap,
    layout: Layout,
    nbytes: float,
    page: float,
    rereads: int,
    senders: int,
    chip: ChipDesc,
) -> float:
    """Return the cycles until a core has its `nbytes`: its sender reads a block, multicasts it, and waits."""
    sent = multicast_cycles(device_op, which, nbytes, rereads, chip)
    if layout.in_l1 and layout.sharded:
        return sent
    read = chip.noc.transfer_cycles(
        nbytes, page, chip.noc.link(in_l1=layout.in_l1, write=False), chip.riscv.page_cycles
    )
    if not layout.in_l1 and not layout.sharded:
        read = max(read, chip.cycles_at_rate(nbytes * senders, chip.dram.interleaved_read_bytes_per_second))
    return read + sent
