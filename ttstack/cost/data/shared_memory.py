"""Total limits of memories and networks, and kernels whose cores wait for each page."""

from collections.abc import Sequence

from ttstack.cost.transfers import Stream, read_rate
from ttstack.device.device_op import DeviceOp
from ttstack.device.footprint import parts
from ttstack.device.kernel_class import (
    is_contraction,
    is_local,
    is_matmul,
    is_paged,
    is_paged_reduction,
    keeps_rows,
)
from ttstack.ops.loops import Access
from ttstack.system_desc import ChipDesc


def read_cycles(reads: Sequence[Stream], chip: ChipDesc) -> float:
    """Return the cycles in which DRAM delivers all that is read."""
    delivered = sum(chip.cycles_at_rate(s.dram_bytes, read_rate(s, chip)) for s in reads)
    pages = sum(s.dram_pages for s in reads) / chip.dram.num_channels
    return chip.pipeline.overlap_streams((delivered, pages * chip.dram.page_cycles))


def write_cycles(writes: Sequence[Stream], rate: float, chip: ChipDesc) -> float:
    """Return the cycles in which DRAM stores all writes, at `rate` bytes per second."""
    return chip.cycles_at_rate(sum(s.dram_bytes for s in writes), rate)


def shared_cycles(reads: Sequence[Stream], writes: Sequence[Stream], overlap: float, chip: ChipDesc) -> float:
    """Return the cycles of all reads, and of the share `overlap` of the writes, which take turns on the channels."""
    written = write_cycles(writes, chip.dram.interleaved_write_bytes_per_second, chip)
    return read_cycles(reads, chip) + written * overlap * chip.dram.turn_fraction


def read_apart(device_op: DeviceOp) -> list[int]:
    """Return the operands of a page kernel that a reader brings, by position.

    Shards are there already, but for reductions.
    """
    found = parts(device_op)[: len(device_op.operands)]
    brought = is_paged_reduction(device_op)
    return [i for i, part in enumerate(found) if brought or not is_local(device_op, *part)]


def takes_turns(device_op: DeviceOp) -> bool:
    """Return True if reading, computing and writing do not overlap.

    Where one tensor of an op with several operands is a shard that stays in place, tt-metal gives the pages of the
    others a single buffer.
    """
    if len(device_op.operands) < 2 or not is_paged(device_op):
        return False
    local = [is_local(device_op, *part) for part in parts(device_op)]
    return any(local) and not all(local)


def read_lanes(
    device_op: DeviceOp, reads: Sequence[Stream], least: float, between: float, chip: ChipDesc
) -> tuple[list[float], list[float]]:
    """Return the cycles of concurrent reads from DRAM and networks; one reader alternates between operands.

    The slowest DRAM lane takes at least the `least` cycles that the memory needs for all of them. Cores of page kernels
    read page by page, and contend for memory and links; they ask for nothing in the cycles `between` two reads.
    """
    dram, noc = [0.0], [0.0]
    if is_paged(device_op):
        lane = dram if any(s.from_dram for s in reads) else noc
        alone = sum(s.cycles for s in reads)
        lane[0] = _contended_read_cycles(alone, between, reads, least if lane is dram else 0.0, chip)
        return dram, noc
    in_turn = [s for s in reads if not s.own_thread]
    for lane in (in_turn, *([s] for s in reads if s.own_thread)):
        (dram if any(s.dram_bytes for s in lane) else noc).append(sum(s.cycles for s in lane))
    slowest = max(range(len(dram)), key=dram.__getitem__)
    dram[slowest] = max(dram[slowest], least)
    return dram, noc


def _contended_read_cycles(
    cycles: float, between: float, streams: Sequence[Stream], dram_cycles: float, chip: ChipDesc
) -> float:
    """Return the cycles of a reader that needs `cycles` without contention, while others read the same memories.

    A core asks for nothing in the cycles `between` its reads, in which it computes and writes: others are served then.
    """
    remote = sum(s.noc_bytes - s.dram_bytes for s in streams)
    noc_cycles = remote / chip.noc.interleaved_read_bytes_per_cycle
    return _contended(cycles + between, dram_cycles, noc_cycles, chip) - between


def _contended_write_cycles(cycles: float, streams: Sequence[Stream], dram_cycles: float, chip: ChipDesc) -> float:
    """Return the cycles of a writer that needs `cycles` without contention, while others write the same memories."""
    remote = sum(s.noc_bytes - s.dram_bytes for s in streams)
    return _contended(cycles, dram_cycles, remote / chip.noc.interleaved_write_bytes_per_cycle, chip)


def _contended(cycles: float, dram_cycles: float, noc_cycles: float, chip: ChipDesc) -> float:
    """Return the cycles with contention: cores that wait for each page collide near the peak of memory and links."""
    return chip.pipeline.overlap_pages((cycles, dram_cycles, noc_cycles))


def output_cycles(device_op: DeviceOp, writes: Sequence[Stream], chip: ChipDesc) -> float:
    """Return the cycles to write all results; one thread of each core does, in blocks or waiting for each page."""
    cycles, taken = sum(s.cycles for s in writes), write_cycles(writes, _write_rate(device_op, chip), chip)
    return _contended_write_cycles(cycles, writes, taken, chip) if is_paged(device_op) else max(cycles, taken)


def _write_rate(device_op: DeviceOp, chip: ChipDesc) -> float:
    """Return the rate at which DRAM stores results, in bytes per second.

    Of a product whose operands are sent on, the thread that writes is the one that reads weights, whose network carries
    writes less well.
    """
    dispatch, dram = device_op.dispatch, chip.dram
    if is_matmul(dispatch) and not keeps_rows(device_op.op):
        return dram.product_write_bytes_per_second
    in_blocks = is_contraction(dispatch) or any(which.access is Access.GATHER for which in dispatch.outputs)
    return dram.interleaved_write_bytes_per_second if in_blocks else dram.streamed_write_bytes_per_second
