"""The address range of a chip's memory."""

from dataclasses import dataclass

from ttstack.device.layout import MemorySpace
from ttstack.system_desc import ChipDesc


@dataclass(frozen=True)
class Memory:
    """The range of each bank of a memory that programs may use: from `base` up to `end`, in bytes."""

    banks: int
    base: int
    end: int
    alignment: int

    @staticmethod
    def of(chip: ChipDesc, space: MemorySpace) -> "Memory":
        """Return the L1 of worker cores, or the channels of DRAM."""
        if space is MemorySpace.L1:
            return Memory(chip.num_cores, chip.l1_base, chip.l1_end, chip.l1.alignment_bytes)
        return Memory(chip.dram_banks, chip.dram_base, chip.dram_end, chip.dram.alignment_bytes)

    @property
    def capacity(self) -> int:
        """Bytes of one bank."""
        return self.end - self.base

    def holds(self, start: int, nbytes: int) -> bool:
        """Return True if a buffer is within the range."""
        return self.base <= start and start + nbytes <= self.end
