"""A data movement kernel: a reader thread, math units if tiles change, a writer thread; and its terms."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum

from ttstack.cost.data.links import READS, WRITES, Load, bank_routers, exchange_load, reshard_load, worker_routers
from ttstack.cost.exposed_time import skew_ns
from ttstack.cost.terms import Term
from ttstack.device.layout import Grid, Layout
from ttstack.system_desc import ChipDesc
from ttstack.system_desc.interconnect import NocDesc, TransferDesc


class Link(Enum):
    """Medium of a thread's transfers: the core's own L1, the L1 of other cores, or DRAM."""

    LOCAL = "within the core's L1"
    L1_READ = "from another core's L1"
    L1_WRITE = "to another core's L1"
    DRAM_READ = "from DRAM"
    DRAM_WRITE = "to DRAM"

    @staticmethod
    def to(layout: Layout, *, write: bool) -> "Link":
        """Return the link to the memory of a layout."""
        if layout.in_l1:
            return Link.L1_WRITE if write else Link.L1_READ
        return Link.DRAM_WRITE if write else Link.DRAM_READ

    def rates(self, noc: NocDesc) -> TransferDesc:
        """Return the rates of the link."""
        if self is Link.LOCAL:
            return noc.local
        return noc.link(in_l1=self in (Link.L1_READ, Link.L1_WRITE), write=self in (Link.L1_WRITE, Link.DRAM_WRITE))


@dataclass(frozen=True, slots=True)
class Transfers:
    """Work of one thread per block: transactions of one size, and waits for those in flight."""

    link: Link
    count: float
    size: float
    """Bytes of each."""
    waits: float = 1.0
    work: float = 0.0
    """Cycles of the RISC-V core beside: addresses, copying and filling by hand."""

    def cycles(self, chip: ChipDesc) -> float:
        """Return the cycles of the thread for one block: latency for awaited transfers, and issue time for others."""
        rates = self.link.rates(chip.noc)
        sent = self.size / chip.noc.bytes_per_cycle(rates)
        issued = max(rates.issue_cycles, chip.movement.address_cycles, sent)
        awaited = max(rates.latency_cycles + sent, issued) - issued
        return self.count * issued + self.waits * awaited + self.work

    def exposed_cycles(self, chip: ChipDesc) -> float:
        """Return the cycles that contend on the network: data is in transit, and no address is computed."""
        rates = self.link.rates(chip.noc)
        sent = self.size / chip.noc.bytes_per_cycle(rates)
        return self.count * sent + self.waits * rates.latency_cycles + self.work


@dataclass(frozen=True, slots=True)
class BankRoute:
    """Each of `cores` of a grid exchanges the same with each bank of the memory of a layout."""

    layout: Layout
    grid: Grid
    cores: int
    write: bool

    def cycles_per_byte(self, chip: ChipDesc) -> float:
        """Return the cycles of the busiest link or port for a byte of all that moves."""
        workers, banks = worker_routers(chip, self.grid)[: self.cores], bank_routers(chip, self.layout)
        route = (workers, banks, WRITES) if self.write else (banks, workers, READS)
        share = chip.movement.link_fraction if self.layout.in_l1 else 1.0
        return load_cycles(exchange_load(chip.noc.grid, *route), share, chip)


def load_cycles(load: Load, share: float, chip: ChipDesc) -> float:
    """Return the cycles of the busiest link, at a share of its rate, or port, for a byte of all that moves."""
    link, port = load
    return max(link / (share * chip.noc.link_bytes_per_cycle), port / chip.noc.port_bytes_per_cycle)


@dataclass(frozen=True, slots=True)
class ShardRoute:
    """Pages of a matrix go from shards of one layout to shards of another."""

    source: Layout
    target: Layout
    pages: tuple[int, int]

    def cycles_per_byte(self, chip: ChipDesc) -> float:
        """Return the cycles of the busiest link or port for a byte of all that moves."""
        return load_cycles(reshard_load(chip, self.source, self.target, self.pages), 1.0, chip)


@dataclass(frozen=True, slots=True)
class Side:
    """All reads, or all writes."""

    threads: tuple[Transfers, ...] = ()
    """Transfers of a core per block, in turns. Empty if the data stays in the core."""
    dram_bytes: float = 0.0
    """Bytes of all cores, as for the other fields."""
    dram_pages: float = 0.0
    noc_bytes: float = 0.0
    route: BankRoute | ShardRoute | None = None
    """Cores and banks of `noc_bytes`; None if links and ports are not limiting."""

    def cycles(self, chip: ChipDesc) -> float:
        """Return the cycles of one core per block, without contention."""
        return sum(thread.cycles(chip) for thread in self.threads)

    def network_cycles(self, chip: ChipDesc) -> float:
        """Return the cycles of the busiest link or port."""
        return self.noc_bytes * self.route.cycles_per_byte(chip) if self.route else 0.0

    def exposed_cycles(self, chip: ChipDesc) -> float:
        """Return the cycles of them in which others on the network count."""
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
    """Cycles of the math units per block; 0 if no tiles pass through them."""
    before: float = 0.0
    """Cycles before the first block."""


def movement_terms(kernel: Kernel, chip: ChipDesc) -> tuple[dict[Term, float], Mapping[Term, list[float]]]:
    """Return nanoseconds by term, and the overlapping streams: the first read and the last write do not overlap."""
    movement, ns = chip.movement, chip.cycles_to_ns(1)
    first = 1 / max(kernel.blocks, 1.0)
    dram = chip.dram
    reads = _side_cycles(kernel.read, kernel.blocks, dram.interleaved_read_bytes_per_second, chip)
    writes = _side_cycles(kernel.write, kernel.blocks, dram.interleaved_write_bytes_per_second, chip)
    both = _channel_cycles(kernel.read, chip) + _channel_cycles(kernel.write, chip)
    from_dram = kernel.read.dram_bytes > 0
    start = kernel.before + movement.start_cycles + (movement.math_start_cycles if kernel.math else 0.0)
    terms = {
        Term.COMPUTE: kernel.math * kernel.blocks * ns,
        Term.UNPACK: 0.0,
        Term.PACK: 0.0,
        Term.DRAM: max(reads if from_dram else 0.0, both) * ns,
        Term.NOC: 0.0 if from_dram else reads * ns,
        Term.WRITER: writes * ns,
        Term.WAIT: reads * first * ns,
        Term.TAIL: writes * first * ns,
        Term.FILL: start * ns,
        Term.SKEW: skew_ns(kernel.cores, chip),
        Term.THROTTLE: 0.0,
    }
    rest = 1 - first
    shared = both * rest if kernel.read.dram_bytes and kernel.write.dram_bytes else 0.0
    lanes = {
        Term.COMPUTE: [terms[Term.COMPUTE]],
        Term.DRAM: [max(reads * rest if from_dram else 0.0, shared) * ns],
        Term.NOC: [terms[Term.NOC] * rest],
        Term.WRITER: [writes * rest * ns],
    }
    return terms, lanes


def _side_cycles(side: Side, blocks: float, rate: float, chip: ChipDesc) -> float:
    """Return the cycles of one direction: the core's thread, the networks and the memory."""
    memory = max(chip.cycles_at_rate(side.dram_bytes, rate), _page_cycles(side, chip))
    exposed = side.exposed_cycles(chip) * blocks
    contended = chip.movement.contend((exposed, side.network_cycles(chip)))
    return chip.pipeline.overlap_streams((max(side.cycles(chip) * blocks, contended), memory))


def _channel_cycles(side: Side, chip: ChipDesc) -> float:
    """Return the cycles in which the channels of DRAM are taken: by bytes, or by pages that are too short to matter."""
    rate = chip.movement.dram_fraction * chip.dram.peak_bytes_per_second
    return max(chip.cycles_at_rate(side.dram_bytes, rate), _page_cycles(side, chip))


def _page_cycles(side: Side, chip: ChipDesc) -> float:
    return side.dram_pages / chip.dram.num_channels * chip.dram.page_cycles
