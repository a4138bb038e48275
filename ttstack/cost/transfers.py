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
    """Cycles that the busiest core spends on it, and the bytes that all cores move."""

    cycles: float
    dram_bytes: float = 0.0
    noc_bytes: float = 0.0
    own_thread: bool = False
    """Whether it runs beside the other operands' streams, not after them."""
    bank_adjacent: bool = False
    """Whether DRAM is read at the full rate of its channels: by cores next to them, or with many reads in flight."""
    block_pages: float = 0.0
    """Pages of interleaved weights, of which each core reads some columns, that it awaits together; 0 of other data."""
    dram_pages: float = 0.0
    """Pages or parts of pages that DRAM is read in, where they are not too long to matter."""

    @property
    def from_dram(self) -> bool:
        """Whether DRAM is one end of it."""
        return self.dram_bytes > 0


LOCAL = Stream(0.0)
"""Already in the core's L1."""


def read_rate(stream: Stream, chip: ChipDesc) -> float:
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
