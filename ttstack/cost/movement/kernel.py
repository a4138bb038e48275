"""What a kernel that moves data does: a thread that reads, math units where tiles change, a thread that writes."""

from dataclasses import dataclass, field

from ttstack.system_desc import ChipDesc
from ttstack.system_desc.interconnect import TransferDesc


@dataclass(frozen=True, slots=True)
class Transfers:
    """What one thread does for each block: transactions of one size, and waits for what is under way."""

    kind: TransferDesc
    count: float
    size: float
    """Bytes of each."""
    waits: float = 1.0
    work: float = 0.0
    """Cycles of the RISC-V core beside: addresses, copying and filling by hand."""

    def cycles(self, chip: ChipDesc) -> float:
        """Cycles of the thread for one block: what it waits for arrives after the latency, others follow each other."""
        sent = self.size / chip.noc.bytes_per_cycle(self.kind)
        issued = max(self.kind.issue_cycles, chip.movement.address_cycles, sent)
        awaited = max(self.kind.latency_cycles + sent, issued) - issued
        return self.count * issued + self.waits * awaited + self.work

    def exposed_cycles(self, chip: ChipDesc) -> float:
        """Cycles of them in which others on the network count: data is on its way, and no address worked out."""
        sent = self.size / chip.noc.bytes_per_cycle(self.kind)
        return self.count * sent + self.waits * self.kind.latency_cycles + self.work


@dataclass(frozen=True, slots=True)
class Side:
    """All that is read, or all that is written."""

    threads: tuple[Transfers, ...] = ()
    """What a core transfers for each block, in turns. None where the data stays in the core."""
    dram_bytes: float = 0.0
    """By all cores, as are the others."""
    dram_pages: float = 0.0
    noc_bytes: float = 0.0
    network: float = 0.0
    """Cycles of the busiest link or port between the cores and the banks of L1."""

    def cycles(self, chip: ChipDesc) -> float:
        """Cycles of a core for each block, alone."""
        return sum(thread.cycles(chip) for thread in self.threads)

    def exposed_cycles(self, chip: ChipDesc) -> float:
        """Cycles of them in which others on the network count."""
        return sum(thread.exposed_cycles(chip) for thread in self.threads)


@dataclass(frozen=True, slots=True)
class Kernel:
    """One program on all its cores."""

    cores: int
    blocks: float
    """Blocks of the core with the most; one is read while the one before is computed, and that before it written."""
    read: Side = field(default_factory=Side)
    write: Side = field(default_factory=Side)
    math: float = 0.0
    """Cycles of the math units for each block; none where no tile passes through them."""
    before: float = 0.0
    """Cycles before the first block."""
