"""Streams between memory and cores, and the rates at which DRAM delivers them."""

import math
from dataclasses import dataclass

from ttstack.device.device_op import DeviceOp, Spread
from ttstack.ops.loops import IndexingMap
from ttstack.system_desc import ChipDesc

_ROUNDS = 2
"""Rounds over the channels that the cores of a matrix product have under way: two blocks."""


@dataclass(frozen=True, slots=True)
class Stream:
    """Cost of one operand's transfers: cycles of the busiest core, and bytes of all cores."""

    cycles: float
    dram_bytes: float = 0.0
    noc_bytes: float = 0.0
    own_thread: bool = False
    """True if it overlaps with the other operands' streams."""
    bank_adjacent: bool = False
    """True if DRAM is read at its full rate: by adjacent cores, or with many reads in flight."""
    block_pages: float = 0.0
    """Pages of interleaved weights, of some columns per core, that a core awaits together; 0 for other data."""
    dram_pages: float = 0.0
    """Pages or parts of pages that are read from DRAM, if they are short enough to matter."""

    @property
    def from_dram(self) -> bool:
        """True if DRAM is one end of it."""
        return self.dram_bytes > 0


LOCAL = Stream(0.0)
"""Already in the core's L1."""


def read_rate(stream: Stream, chip: ChipDesc) -> float:
    """Return the bytes per second that all channels deliver of a stream."""
    if stream.bank_adjacent:
        return chip.dram.bank_adjacent_read_bytes_per_second
    return block_rate(stream.block_pages, chip) if stream.block_pages else chip.dram.interleaved_read_bytes_per_second


def block_rate(pages: float, chip: ChipDesc) -> float:
    """Return the bytes per second of all channels if each core awaits this many pages of its columns together.

    Up to two rounds over the channels cores stay in step; of more, the rest comes as other interleaved pages do.
    """
    dram = chip.dram
    share = min(_ROUNDS * dram.num_channels / pages, 1.0)
    return dram.block_read_bytes_per_second * share + dram.interleaved_read_bytes_per_second * (1 - share)


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
