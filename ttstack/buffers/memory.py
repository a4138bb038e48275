"""A memory of a chip as buffers see it."""

from dataclasses import dataclass

from ttstack.device.layout import MemorySpace
from ttstack.system_desc import ChipDesc


@dataclass(frozen=True)
class Memory:
    """What programs may use of each of the banks of one memory: addresses from `base` up to `end`, in bytes."""

    banks: int
    base: int
    end: int
    alignment: int

    @staticmethod
    def of(chip: ChipDesc, space: MemorySpace) -> "Memory":
        """L1 of the worker cores, or the channels of DRAM."""
        if space is MemorySpace.L1:
            return Memory(chip.num_cores, chip.l1_base, chip.l1_end, chip.l1.alignment_bytes)
        return Memory(chip.dram_banks, chip.dram_base, chip.dram_end, chip.dram.alignment_bytes)

    @property
    def capacity(self) -> int:
        """Bytes of one bank."""
        return self.end - self.base

    def holds(self, start: int, nbytes: int) -> bool:
        """Whether a buffer lies within."""
        return self.base <= start and start + nbytes <= self.end
