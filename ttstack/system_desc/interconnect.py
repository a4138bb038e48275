"""What connects: the networks on chip, Ethernet between chips, PCIe to the host."""

import math
from collections.abc import Iterable, Iterator
from typing import Annotated

from pydantic import Field

from ttstack.system_desc.base import Desc, Fault, power_of_two
from ttstack.system_desc.quantities import (
    Bytes,
    BytesPerCycle,
    BytesPerSecond,
    Count,
    Cycles,
    Grid,
    Index,
    Nanoseconds,
    Ratio,
    Share,
)
from ttstack.system_desc.soft_maximum import soft_maximum
from ttstack.system_desc.unpriced import Unpriced


class TransferDesc(Desc):
    """Transfers of one kind by one core: latency + bytes / rate for the first, max(issue, bytes / rate) for others."""

    latency_cycles: Cycles = Field(
        description="From the request to the first data or the acknowledgement, on average over all cores; of a "
        "multicast without reserving the way to the last receiver, cycles."
    )
    issue_cycles: Cycles = Field(description="Least time from one request to the next, cycles.")
    link_fraction: Share = Field(description="Long transfers of one core, of the rate of a link, ratio in (0, 1].")


class NocDesc(Desc):
    """The networks on chip: unidirectional tori in opposite directions."""

    num_nocs: Count = Field(ge=1, description="Networks, count.")
    grid: Grid = Field(description="Routers, rows and columns.")
    worker_rows: tuple[Index, ...] = Field(
        min_length=1, description="Row of routers that each row of Tensix tiles is on, index."
    )
    worker_columns: tuple[Index, ...] = Field(
        min_length=1, description="Column of routers of each column of Tensix tiles, index."
    )
    link_bytes_per_cycle: BytesPerCycle = Field(gt=0, description="One link between routers, bytes per cycle.")
    port_fraction: Share = Field(
        description="What one worker core injects or absorbs on one network, of the rate of a link, ratio in (0, 1]."
    )
    max_packet_bytes: Annotated[Bytes, Unpriced.DESCRIBES] = Field(
        gt=0, description="Largest payload of a packet, bytes."
    )
    hop_cycles: Cycles = Field(description="From router to router, cycles.")
    interface_cycles: Annotated[Cycles, Unpriced.DESCRIBES] = Field(
        description="Between a core's interface and its router, cycles."
    )
    local: TransferDesc = Field(description="Within one core's L1; a section.")
    l1_read: TransferDesc = Field(description="Reads of another core's L1; a section.")
    l1_write: TransferDesc = Field(description="Writes to another core's L1; a section.")
    dram_read: TransferDesc = Field(description="Reads of DRAM; a section.")
    dram_write: TransferDesc = Field(description="Writes to DRAM; a section.")
    multicast: TransferDesc = Field(description="Linked multicast to a rectangle of cores; a section.")
    interleaved_read_bytes_per_cycle: BytesPerCycle = Field(
        gt=0, description="All cores together, reading pages that lie anywhere in L1, bytes per cycle."
    )
    interleaved_write_bytes_per_cycle: BytesPerCycle = Field(
        gt=0, description="All cores together, writing pages that lie anywhere in L1, bytes per cycle."
    )
    contention_exponent: Ratio = Field(
        ge=1, description="p of the p-norm over the loads of links, ports and issuing cores, ratio."
    )

    @property
    def port_bytes_per_cycle(self) -> float:
        """What one worker core injects or absorbs on one network."""
        return self.port_fraction * self.link_bytes_per_cycle

    def bytes_per_cycle(self, kind: TransferDesc) -> float:
        """The rate of one core's long transfers of a kind."""
        return kind.link_fraction * self.link_bytes_per_cycle

    def contend(self, times: Iterable[float]) -> float:
        """Combine the loads of links, ports and issuing cores."""
        return soft_maximum(times, self.contention_exponent)

    def link(self, *, in_l1: bool, write: bool) -> TransferDesc:
        """Return the rates of reading or writing another core's L1, or DRAM."""
        if in_l1:
            return self.l1_write if write else self.l1_read
        return self.dram_write if write else self.dram_read

    def latency_cycles(self, kind: TransferDesc, *, rows: bool, columns: bool) -> float:
        """Return the cycles from a request to its answer, between cores in other `rows`, other `columns`, or both.

        The networks are rings of one direction: request and answer together go round each ring that they use once,
        however near the ends are. The figure of the kind is the mean over all cores.
        """
        high, wide = self.grid
        around = (rows - 1 + 1 / len(self.worker_rows)) * high + (columns - 1 + 1 / len(self.worker_columns)) * wide
        return kind.latency_cycles + self.hop_cycles * around

    def batch_cycles(self, count: float, size: float, kind: TransferDesc, latency: float | None = None) -> float:
        """Return the cycles of one core for `count` transactions of `size` bytes and the barrier after them."""
        sent = size / self.bytes_per_cycle(kind)
        first = (kind.latency_cycles if latency is None else latency) + sent
        return first + max(count - 1, 0) * max(kind.issue_cycles, sent)

    def reservation_cycles(self, hops: float) -> float:
        """Return the cycles in which a multicast reserves its way to the last receiver, and hears that it has it."""
        return 2 * self.hop_cycles * hops

    def multicast_cycles(
        self, count: float, size: float, hops: float, latency: float | None = None, *, linked: bool = True
    ) -> float:
        """Return the cycles of one sender for `count` multicasts of `size` bytes and the barrier after them.

        Linked ones keep the way of the first; others reserve it for each packet.
        """
        kind = self.multicast
        sent, reserved = size / self.bytes_per_cycle(kind), self.reservation_cycles(hops)
        start = kind.latency_cycles if latency is None else latency
        if linked:
            return start + reserved + sent + max(count - 1, 0) * max(kind.issue_cycles, sent)
        return start + count * (math.ceil(size / self.max_packet_bytes) * reserved + sent)

    def transfer_cycles(self, nbytes: float, size: float, kind: TransferDesc, page_cycles: float) -> float:
        """Return the cycles of one core for `nbytes` in transactions of `size` bytes, many in flight.

        The issuing core spends `page_cycles` on each transaction, in addition to those of the kind.
        """
        if nbytes <= 0:
            return 0.0
        size = max(min(size, nbytes), 1)
        each = max(kind.issue_cycles + page_cycles, size / self.bytes_per_cycle(kind))
        return nbytes / size * each


class FabricDesc(Desc):
    """Packets that go from chip to chip one after the other, by the pattern of all traffic."""

    line_packet_ns: Annotated[Nanoseconds, Unpriced.DESCRIBES] = Field(
        description="Least time of a packet along a line, nanoseconds."
    )
    exchange_packet_ns: Nanoseconds = Field(
        description="The same where neighbours or all chips of a ring send to each other, nanoseconds."
    )
    mesh_packet_ns: Annotated[Nanoseconds, Unpriced.DESCRIBES] = Field(
        description="The same over both axes of a mesh, nanoseconds."
    )
    atomic_ns: Nanoseconds = Field(description="Additional for a packet that counts where it arrives, nanoseconds.")
    multicast_atomic_ns: Annotated[Nanoseconds, Unpriced.DESCRIBES] = Field(
        description="The same of packets that go to many chips, nanoseconds."
    )


class EthernetDesc(Desc):
    """The Ethernet links of one chip."""

    num_links: Annotated[Count, Unpriced.DESCRIBES] = Field(ge=0, description="Links of the chip, count.")
    link_bytes_per_second: BytesPerSecond = Field(gt=0, description="Peak per link and direction, bytes per second.")
    effective_fraction: Share = Field(
        description="Of the peak per link and direction, with packets of 2 to 4 KiB, ratio in (0, 1]."
    )
    hop_ns: Nanoseconds = Field(description="A small packet to the neighbouring chip, nanoseconds.")
    setup_ns: Nanoseconds = Field(
        description="Of a round of a collective, until all chips have joined in, nanoseconds."
    )
    step_ns: Nanoseconds = Field(
        description="Of a round of a collective that reduces, or that sends another part to each chip: handing on a "
        "share from neighbour to neighbour, nanoseconds."
    )
    gather_step_ns: Nanoseconds = Field(description="Of a gather, for each share that arrives, nanoseconds.")
    packet_bytes: Bytes = Field(gt=0, description="Of a packet of a collective, bytes.")
    wire_fraction: Share = Field(description="Long packets, of the peak per link and direction, ratio in (0, 1].")
    own_gather_fraction: Share = Field(
        description="Of the peak per link and direction, what a chip sends of its own share in a gather, "
        "ratio in (0, 1]."
    )
    own_exchange_fraction: Share = Field(
        description="The same where it sends another part to each chip, ratio in (0, 1]."
    )
    reduce_fraction: Share = Field(
        description="Of what a link carries, shares that are reduced on their way, ratio in (0, 1]."
    )
    fabric: FabricDesc | None = Field(default=None, description="Packets by pattern of traffic, or null; a section.")
    core_unreserved_base: Annotated[Bytes, Unpriced.DESCRIBES] = Field(
        description="First address of an Ethernet core's L1 that programs may use, byte address."
    )

    def wire_ns(self, nbytes: float) -> float:
        """Nanoseconds for which a packet occupies the wire of a link."""
        return nbytes / (self.wire_fraction * self.link_bytes_per_second) * 1e9

    def carried_fraction(self, *, ring: bool) -> float:
        """Share of the peak that a link carries of long packets: what the wire does, or the routers of a ring."""
        wire_ns = self.wire_ns(self.packet_bytes)
        router_ns = self.fabric.exchange_packet_ns + self.fabric.atomic_ns if ring and self.fabric else 0.0
        return self.wire_fraction * wire_ns / max(wire_ns, router_ns)

    @property
    def effective_bytes_per_second(self) -> float:
        """What one link carries in one direction."""
        return self.effective_fraction * self.link_bytes_per_second


class PcieDesc(Desc):
    """The chip's PCIe interface to the host."""

    peak_bytes_per_second: BytesPerSecond = Field(gt=0, description="Of the lanes per direction, bytes per second.")
    to_device_fraction: Share = Field(description="Long writes of the host, of the peak, ratio in (0, 1].")
    from_device_fraction: Share = Field(description="Long reads of the host, of the peak, ratio in (0, 1].")
    latency_ns: Nanoseconds = Field(description="Of one DMA transfer, nanoseconds.")
    page_ns: Nanoseconds = Field(description="Handling of each page of a buffer, nanoseconds.")
    to_device_call_ns: Nanoseconds = Field(description="Of a write beside its bytes, nanoseconds.")
    from_device_call_ns: Nanoseconds = Field(description="Of a read beside its bytes, nanoseconds.")
    alignment_bytes: Annotated[Bytes, Unpriced.DESCRIBES] = Field(gt=0, description="Alignment of transfers, bytes.")

    def relations(self) -> tuple[Iterable[Fault], ...]:
        """The alignment is a power of two."""
        return (self._alignment_faults(),)

    def _alignment_faults(self) -> Iterator[Fault]:
        yield from power_of_two(self.alignment_bytes)

    @property
    def to_device_bytes_per_second(self) -> float:
        """Long writes of the host."""
        return self.to_device_fraction * self.peak_bytes_per_second

    @property
    def from_device_bytes_per_second(self) -> float:
        """Long reads of the host."""
        return self.from_device_fraction * self.peak_bytes_per_second
