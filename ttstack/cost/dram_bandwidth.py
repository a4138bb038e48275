"""What DRAM allows all cores together."""

from collections.abc import Sequence

from ttstack.cost.data_stream import Stream
from ttstack.cost.overlap import soft_maximum
from ttstack.cost.transfers import dram_cycles
from ttstack.system_desc import ChipDesc

_ROUNDS = 2
"""Rounds over the channels that the cores of a matrix product have under way: two blocks."""


def read_cycles(reads: Sequence[Stream], chip: ChipDesc) -> float:
    """Cycles in which DRAM delivers all that is read."""
    delivered = sum(dram_cycles(s.dram_bytes, _read_rate(s, chip), chip) for s in reads)
    pages = sum(s.dram_pages for s in reads) / chip.dram.num_channels
    return soft_maximum((delivered, pages * chip.dram.page_cycles), chip.pipeline.stream_exponent)


def _read_rate(stream: Stream, chip: ChipDesc) -> float:
    """Bytes per second that all channels deliver of a stream."""
    if stream.bank_adjacent:
        return chip.dram.bank_adjacent_read_bytes_per_second
    return block_rate(stream.block_pages, chip) if stream.block_pages else chip.dram.interleaved_read_bytes_per_second


def block_rate(pages: float, chip: ChipDesc) -> float:
    """Bytes per second that all channels deliver to cores that each await so many pages of their columns together.

    Up to two rounds over the channels cores stay in step; of more, the rest comes as other interleaved pages do.
    """
    dram = chip.dram
    share = min(_ROUNDS * dram.num_channels / pages, 1.0)
    return dram.block_read_bytes_per_second * share + dram.interleaved_read_bytes_per_second * (1 - share)


def write_cycles(writes: Sequence[Stream], rate: float, chip: ChipDesc) -> float:
    """Cycles in which DRAM takes all that is written, at `rate` bytes per second."""
    return dram_cycles(sum(s.dram_bytes for s in writes), rate, chip)


def shared_cycles(reads: Sequence[Stream], writes: Sequence[Stream], overlap: float, chip: ChipDesc) -> float:
    """Cycles of all reads, and of the share `overlap` of the writes, which take turns on the channels."""
    written = write_cycles(writes, chip.dram.interleaved_write_bytes_per_second, chip)
    return read_cycles(reads, chip) + written * overlap * chip.dram.turn_fraction
