"""Interconnects: the networks on chip, Ethernet between chips, PCIe to the host."""

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
        description=(
            "Mean latency from a request to its first data or acknowledgement. For multicasts, without "
            "the path reservation to the last receiver, cycles."
        )
    )
    issue_cycles: Cycles = Field(description="Minimum time between requests, cycles.")
    link_fraction: Share = Field(description="Rate of long transfers of one core, relative to a link, ratio in (0, 1].")


class NocDesc(Desc):
    """The networks on chip: unidirectional tori in opposite directions."""

    num_nocs: Count = Field(ge=1, description="Number of networks, count.")
    grid: Grid = Field(description="Grid of routers, rows and columns.")
    worker_rows: tuple[Index, ...] = Field(min_length=1, description="Router row of each row of Tensix tiles, index.")
    worker_columns: tuple[Index, ...] = Field(
        min_length=1, description="Router column of each column of Tensix tiles, index."
    )
    link_bytes_per_cycle: BytesPerCycle = Field(gt=0, description="Rate of one link between routers, bytes per cycle.")
    port_fraction: Share = Field(
        description=(
            "Rate at which one worker core sends or receives on one network, relative to a link, ratio in (0, 1]."
        )
    )
    max_packet_bytes: Annotated[Bytes, Unpriced.DESCRIBES] = Field(
        gt=0, description="Largest payload of a packet, bytes."
    )
    hop_cycles: Cycles = Field(description="Latency from router to router, cycles.")
    interface_cycles: Annotated[Cycles, Unpriced.DESCRIBES] = Field(
        description="Latency between a core and its router, cycles."
    )
    local: TransferDesc = Field(description="Transfers within one core's L1; a section.")
    l1_read: TransferDesc = Field(description="Reads of another core's L1; a section.")
    l1_write: TransferDesc = Field(description="Writes to another core's L1; a section.")
    dram_read: TransferDesc = Field(description="Reads of DRAM; a section.")
    dram_write: TransferDesc = Field(description="Writes to DRAM; a section.")
    multicast: TransferDesc = Field(description="Linked multicast to a rectangle of cores; a section.")
    interleaved_read_bytes_per_cycle: BytesPerCycle = Field(
        gt=0, description="Rate of all cores together for reading pages from any L1, bytes per cycle."
    )
    interleaved_write_bytes_per_cycle: BytesPerCycle = Field(
        gt=0, description="Rate of all cores together for writing pages to any L1, bytes per cycle."
    )
    contention_exponent: Ratio = Field(
        ge=1, description="Exponent p of the p-norm over the loads of links, ports and issuing cores, ratio."
    )

    @property
    def port_bytes_per_cycle(self) -> float:
        """Bytes per cycle that one worker core injects or absorbs on one network."""
        return self.port_fraction * self.link_bytes_per_cycle

    def bytes_per_cycle(self, kind: TransferDesc) -> float:
        """Return the rate of one core's long transfers of a kind."""
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
        """Return the cycles in which a multicast reserves its path and gets the acknowledgement."""
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
        description="Minimum time of a packet along a line, nanoseconds."
    )
    exchange_packet_ns: Nanoseconds = Field(
        description="Minimum time of a packet if neighbours or all chips of a ring exchange data, nanoseconds."
    )
    mesh_packet_ns: Annotated[Nanoseconds, Unpriced.DESCRIBES] = Field(
        description="Minimum time of a packet in an exchange over both axes of a mesh, nanoseconds."
    )
    atomic_ns: Nanoseconds = Field(
        description="Extra time of a packet with an atomic increment at its destination, nanoseconds."
    )
    multicast_atomic_ns: Annotated[Nanoseconds, Unpriced.DESCRIBES] = Field(
        description="Extra time of a multicast packet with an atomic increment at its destinations, nanoseconds."
    )


class EthernetDesc(Desc):
    """The Ethernet links of one chip."""

    num_links: Annotated[Count, Unpriced.DESCRIBES] = Field(ge=0, description="Links of the chip, count.")
    link_bytes_per_second: BytesPerSecond = Field(gt=0, description="Peak per link and direction, bytes per second.")
    effective_fraction: Share = Field(
        description=(
            "Achieved rate with packets of 2 to 4 KiB, relative to the peak per link and direction, ratio in (0, 1]."
        )
    )
    hop_ns: Nanoseconds = Field(description="Latency of a small packet to the neighbouring chip, nanoseconds.")
    setup_ns: Nanoseconds = Field(description="Time until all chips have joined a round of a collective, nanoseconds.")
    step_ns: Nanoseconds = Field(
        description=(
            "Time to forward a share to a neighbour, in collectives that reduce or that send different "
            "data to each chip, nanoseconds."
        )
    )
    gather_step_ns: Nanoseconds = Field(description="Time of a gather for each received share, nanoseconds.")
    packet_bytes: Bytes = Field(gt=0, description="Size of a packet in collectives, bytes.")
    wire_fraction: Share = Field(
        description="Rate of long packets, relative to the peak per link and direction, ratio in (0, 1]."
    )
    own_gather_fraction: Share = Field(
        description=(
            "Rate at which a chip sends its own share in a gather, relative to the peak per link and "
            "direction, ratio in (0, 1]."
        )
    )
    own_exchange_fraction: Share = Field(
        description=(
            "Rate at which a chip sends different data to each chip, relative to the peak per link and "
            "direction, ratio in (0, 1]."
        )
    )
    reduce_fraction: Share = Field(
        description="Rate of shares that are reduced on the way, relative to the rate of the link, ratio in (0, 1]."
    )
    fabric: FabricDesc | None = Field(
        default=None, description="Times of packets by traffic pattern, or null; a section."
    )
    core_unreserved_base: Annotated[Bytes, Unpriced.DESCRIBES] = Field(
        description="First address of an Ethernet core's L1 that programs may use, byte address."
    )

    def wire_ns(self, nbytes: float) -> float:
        """Return the nanoseconds for which a packet occupies the wire of a link."""
        return nbytes / (self.wire_fraction * self.link_bytes_per_second) * 1e9

    def carried_fraction(self, *, ring: bool) -> float:
        """Return the link's fraction of the peak for long packets, limited by the wire or a ring's routers."""
        wire_ns = self.wire_ns(self.packet_bytes)
        router_ns = self.fabric.exchange_packet_ns + self.fabric.atomic_ns if ring and self.fabric else 0.0
        return self.wire_fraction * wire_ns / max(wire_ns, router_ns)

    @property
    def effective_bytes_per_second(self) -> float:
        """Bytes per second of one link in one direction."""
        return self.effective_fraction * self.link_bytes_per_second


class PcieDesc(Desc):
    """The chip's PCIe interface to the host."""

    peak_bytes_per_second: BytesPerSecond = Field(
        gt=0, description="Peak of all lanes per direction, bytes per second."
    )
    to_device_fraction: Share = Field(
        description="Rate of long writes by the host, relative to the peak, ratio in (0, 1]."
    )
    from_device_fraction: Share = Field(
        description="Rate of long reads by the host, relative to the peak, ratio in (0, 1]."
    )
    latency_ns: Nanoseconds = Field(description="Latency of one DMA transfer, nanoseconds.")
    page_ns: Nanoseconds = Field(description="Time for each page of a buffer, nanoseconds.")
    to_device_call_ns: Nanoseconds = Field(description="Time of a write in addition to its bytes, nanoseconds.")
    from_device_call_ns: Nanoseconds = Field(description="Time of a read in addition to its bytes, nanoseconds.")
    alignment_bytes: Annotated[Bytes, Unpriced.DESCRIBES] = Field(gt=0, description="Alignment of transfers, bytes.")

    def relations(self) -> tuple[Iterable[Fault], ...]:
        """Return the alignment is a power of two."""
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
