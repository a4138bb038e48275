"""Streams of operands and results, repeated if their blocks do not all fit."""

import math

from ttstack.cost.data.gather import gather_stream, indirect_stream
from ttstack.cost.data.multicast import read_and_multicast_cycles
from ttstack.cost.data.shared_memory import read_apart
from ttstack.cost.data.windows import window_stream
from ttstack.cost.math.attention import attention_rereads, key_parts
from ttstack.cost.tensor_train import core_stream
from ttstack.cost.transfers import (
    LOCAL,
    Stream,
    block_rate,
    pieces,
)
from ttstack.device.device_op import DeviceOp, Spread
from ttstack.device.footprint import dst_tiles, parts, row_block, unit_bytes
from ttstack.device.halo import Halo
from ttstack.device.kernel_class import (
    inner_pages,
    is_attention,
    is_contraction,
    is_local,
    is_matmul,
    is_paged,
    is_paged_reduction,
    is_rowwise,
    keeps_rows,
    residual_of,
    row_passes,
)
from ttstack.device.layout import Layout, MemorySpace
from ttstack.device.matmul_blocks import MatmulBlocks
from ttstack.ops.generic import chain_of
from ttstack.ops.loops import Access, IndexingMap
from ttstack.ops.types import TensorType
from ttstack.ops.windows import WindowOp
from ttstack.system_desc import ChipDesc

_IN_FLIGHT = 2
"""Blocks of an operand of a matrix product that a core has room for."""


def streams(device_op: DeviceOp, chip: ChipDesc) -> tuple[list[Stream], list[Stream]]:
    """Return the streams of reads, then those of writes: results and operands that the op changes."""
    everything = list(enumerate(parts(device_op)))
    written = {*range(len(device_op.op.operands), len(everything)), *device_op.op.mutated_operands}
    reads = [_read(device_op, i, which, t, layout, chip) for i, (which, t, layout) in everything if i not in written]
    writes = [_write(device_op, which, t, layout, chip) for i, (which, t, layout) in everything if i in written]
    return reads, writes


def _read(device_op: DeviceOp, index: int, which: IndexingMap, t: TensorType, layout: Layout, chip: ChipDesc) -> Stream:
    if which.access is Access.INDIRECT and (chain := chain_of(device_op.op)):
        return core_stream(device_op, index - chain.first, t, layout, chip)
    if which.access is Access.INDIRECT:
        return indirect_stream(device_op, which, t, layout, chip)
    if which.access is Access.GATHER:
        return gather_stream(device_op, t, layout, chip, write=False)
    if is_local(device_op, which, t, layout):
        return _copied_stream(device_op, which, t, layout, chip) if is_paged_reduction(device_op) else LOCAL
    times, sharers = _rereads(device_op, index, which, chip), _sharers(device_op, which, chip)
    if which.access is Access.WINDOW and (halo := Halo.of(device_op)):
        return window_stream(device_op, which, halo, times, chip)
    return _page_stream(device_op, index, which, t, layout, times, sharers, chip)


def _sharers(device_op: DeviceOp, which: IndexingMap, chip: ChipDesc) -> int:
    """Cores among which the operand's part of a core is divided: keys of attention, one loop of its reductions."""
    passing = not set(which.loops).isdisjoint(device_op.dispatch.reductions)
    return key_parts(device_op, chip) if passing else 1


def _copied_stream(device_op: DeviceOp, which: IndexingMap, t: TensorType, layout: Layout, chip: ChipDesc) -> Stream:
    """Return the tiles of a shard that the reader copies one by one, within the core."""
    share, page, kind = _core_bytes(device_op, which, t, layout), unit_bytes(t, layout), chip.noc.local
    return Stream(share / page * (kind.latency_cycles + chip.riscv.page_cycles + page / chip.noc.bytes_per_cycle(kind)))


def _page_stream(
    device_op: DeviceOp,
    index: int,
    which: IndexingMap,
    t: TensorType,
    layout: Layout,
    times: float,
    sharers: int,
    chip: ChipDesc,
) -> Stream:
    """Return the pages of an operand, `times` each, by every core or by those that send them to the others."""
    own = which.access in (Access.MULTICAST, Access.WINDOW)
    filled = _filled_pages(device_op, t, layout)
    times = max(times, filled / max(device_op.core_pages(which), 1))
    share, page = _core_bytes(device_op, which, t, layout) * times / sharers, layout.page_bytes(t)
    senders = (pieces(device_op, which) if own else device_op.cores) * sharers
    if not own or senders >= device_op.cores:
        kind = chip.noc.link(in_l1=layout.in_l1, write=False)
        waits = _waits(device_op, index, layout, chip) * share / page
        issued = chip.noc.transfer_cycles(share, page, kind, _page_cycles(layout, chip))
        cycles = issued + waits * (kind.latency_cycles + chip.riscv.page_cycles)
        cycles += filled * layout.dtype.tile_bytes / chip.riscv.store_bytes_per_cycle
    else:
        cycles = read_and_multicast_cycles(device_op, which, layout, share, page, int(times), senders, chip)
    total = share * senders
    if layout.in_l1:
        return Stream(cycles, noc_bytes=total, own_thread=own)
    if is_paged(device_op):
        return Stream(cycles, total, total, own, bank_adjacent=layout.sharded, dram_pages=total / page)
    if layout.sharded:
        cycles = max(cycles, chip.cycles_at_rate(total, chip.dram.weights_read_bytes_per_second))
        return Stream(cycles, total, total, own, bank_adjacent=True)
    columns = index == 1 and senders == device_op.cores and is_matmul(device_op.dispatch)
    together = _block_pages(device_op) if columns else 0.0
    rate = block_rate(together, chip) if columns else _bank_rate(device_op, index, chip)
    cycles = max(cycles, chip.cycles_at_rate(total, rate))
    return Stream(cycles, total, total, own, block_pages=together, dram_pages=total / page)


def _block_pages(device_op: DeviceOp) -> float:
    """Return the pages of all columns of a core of the second operand of a matrix product, in one step along K."""
    blocks = MatmulBlocks.of(device_op)
    return blocks.in0_block_w * blocks.per_core_n


def _bank_rate(device_op: DeviceOp, index: int, chip: ChipDesc) -> float:
    """Bytes per second of the channels that have pages of an interleaved operand which cores want at the same time.

    All cores of a matrix product take the same columns of the first operand, two blocks of them at a time. Where a row
    has as many pages as there are channels, or some of their divisors, a column lies in one of them, or few.
    """
    rate = chip.dram.interleaved_read_bytes_per_second
    if index or not is_matmul(device_op.dispatch) or keeps_rows(device_op.op):
        return rate
    blocks = MatmulBlocks.of(device_op)
    if math.prod(device_op.dispatch.domain[i] for i in device_op.dispatch.parallel[:-1]) == 1:
        return rate
    return rate * min(_IN_FLIGHT * blocks.k / blocks.k_blocks / math.gcd(blocks.k, chip.dram.num_channels), 1.0)


def _filled_pages(device_op: DeviceOp, t: TensorType, layout: Layout) -> int:
    """Return the tiles of a row that the busiest reader copies into all rows of a tile, one per result."""
    result = device_op.op.results[0]
    if not is_paged(device_op) or device_op.dispatch.reductions or min(t.rank, result.rank) < 2:
        return 0
    row = t.shape[-2] == 1 < result.shape[-2] and t.shape[-1] > 1
    return device_op.core_units if row and not layout.dtype.is_block else 0


def _waits(device_op: DeviceOp, index: int, layout: Layout, chip: ChipDesc) -> float:
    """Return the number of waits of a reader per page of an operand.

    Matrix products and attention have blocks in flight, ops along rows as many pages as Dst holds tiles. Others wait
    for one page of all operands that they read, the longest for one from DRAM.
    """
    if is_paged(device_op):
        apart = read_apart(device_op)
        return float(index == next((i for i in apart if not device_op.operands[i].in_l1), min(apart)))
    first = index in (0, residual_of(device_op.op))
    if not first or layout.sharded or is_contraction(device_op.dispatch):
        return 0.0
    return 1 / dst_tiles(chip) if is_rowwise(device_op.dispatch) else 1.0


def _write(device_op: DeviceOp, which: IndexingMap, t: TensorType, layout: Layout, chip: ChipDesc) -> Stream:
    if which.access is Access.GATHER:
        return gather_stream(device_op, t, layout, chip, write=True)
    if is_attention(device_op.dispatch) and layout.in_l1:
        layout = layout.interleave(MemorySpace.L1)  # it writes pages, whoever holds them
    if is_local(device_op, which, t, layout):
        return LOCAL
    kind = chip.noc.link(in_l1=layout.in_l1, write=True)
    share = _core_bytes(device_op, which, t, layout)
    page, total = layout.page_bytes(t), layout.nbytes(t)
    cycles = chip.noc.transfer_cycles(share, page, kind, _page_cycles(layout, chip))
    if is_paged(device_op):
        cycles += share / page * (kind.latency_cycles + chip.riscv.page_cycles)
    return Stream(cycles, 0 if layout.in_l1 else total, total)


def _core_bytes(device_op: DeviceOp, which: IndexingMap, t: TensorType, layout: Layout) -> float:
    """Return the bytes of the tensor that the busiest core touches once."""
    pages = device_op.core_pages(which) * inner_pages(which, t)
    return min(pages * unit_bytes(t, layout), layout.nbytes(t))


def _page_cycles(layout: Layout, chip: ChipDesc) -> float:
    """Return the cycles of the issuing core per page: 0 for a shard, whose pages are contiguous."""
    return 0.0 if layout.sharded else chip.riscv.page_cycles


def _rereads(device_op: DeviceOp, index: int, which: IndexingMap, chip: ChipDesc) -> float:
    """Return how often each core reads its part of operand `index`; less than 1 if a mask hides some of it.

    A core of a convolution whose rows are divided holds all weights, whatever blocks of pixels it multiplies by them.
    """
    dispatch = device_op.dispatch
    if is_attention(dispatch):
        return attention_rereads(device_op, index, which, chip)
    if is_contraction(dispatch):
        blocks = MatmulBlocks.of(device_op)
        if index == 1 and device_op.spread is Spread.ROWS and isinstance(device_op.op, WindowOp):
            return 1
        return (blocks.column_blocks, blocks.row_blocks, 1)[min(index, 2)]
    if is_rowwise(dispatch) and row_block(device_op) < device_op.core_steps:
        return row_passes(dispatch)
    return 1
