"""One operand or result on its way between memory and the cores."""

from dataclasses import dataclass


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
