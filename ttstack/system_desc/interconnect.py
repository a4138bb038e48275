"""What connects: the networks on chip, Ethernet between chips, PCIe to the host."""

from pydantic import Field

from ttstack.system_desc.base import Desc
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
)


class TransferDesc(Desc):
    """Transfers of one kind by one core: n of them take about latency + n * max(issue, bytes / rate)."""

    latency_cycles: Cycles = Field(description="From the request to the first data, cycles.")
    issue_cycles: Cycles = Field(description="Least time from one request to the next, cycles.")
    bytes_per_cycle: BytesPerCycle = Field(gt=0, description="Rate of long transfers of one core, bytes per cycle.")


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
    port_bytes_per_cycle: BytesPerCycle = Field(
        gt=0, description="What one worker core injects or absorbs on one network, bytes per cycle."
    )
    max_packet_bytes: Bytes = Field(gt=0, description="Largest payload of a packet, bytes.")
    hop_cycles: Cycles = Field(description="From router to router, cycles.")
    interface_cycles: Cycles = Field(description="Between a core's interface and its router, cycles.")
    local: TransferDesc = Field(description="Within one core's L1; a section.")
    l1_read: TransferDesc = Field(description="Reads of another core's L1; a section.")
    l1_write: TransferDesc = Field(description="Writes to another core's L1; a section.")
    dram_read: TransferDesc = Field(description="Reads of DRAM; a section.")
    dram_write: TransferDesc = Field(description="Writes to DRAM; a section.")
    multicast: TransferDesc = Field(description="Linked multicast to a rectangle of cores; a section.")
    contention_exponent: Ratio = Field(
        ge=1, description="p of the p-norm over the loads of links, ports and issuing cores, ratio."
    )


class EthernetDesc(Desc):
    """The Ethernet links of one chip."""

    num_links: Count = Field(ge=0, description="Links of the chip, count.")
    link_bytes_per_second: BytesPerSecond = Field(gt=0, description="Peak per link and direction, bytes per second.")
    effective_bytes_per_second: BytesPerSecond = Field(
        gt=0, description="Measured per link and direction with packets of 2 to 4 KiB, bytes per second."
    )
    hop_ns: Nanoseconds = Field(description="A small packet to the neighbouring chip, nanoseconds.")
    setup_ns: Nanoseconds = Field(description="Of a collective, until all chips have joined in, nanoseconds.")
    core_unreserved_base: Bytes = Field(
        description="First address of an Ethernet core's L1 that programs may use, byte address."
    )


class PcieDesc(Desc):
    """The chip's PCIe interface to the host."""

    peak_bytes_per_second: BytesPerSecond = Field(gt=0, description="Of the lanes per direction, bytes per second.")
    to_device_bytes_per_second: BytesPerSecond = Field(gt=0, description="Long writes of the host, bytes per second.")
    from_device_bytes_per_second: BytesPerSecond = Field(gt=0, description="Long reads of the host, bytes per second.")
    latency_ns: Nanoseconds = Field(description="Of one DMA transfer, nanoseconds.")
    page_ns: Nanoseconds = Field(description="Handling of each page of a buffer, nanoseconds.")
    to_device_call_ns: Nanoseconds = Field(description="Of a write beside its bytes, nanoseconds.")
    from_device_call_ns: Nanoseconds = Field(description="Of a read beside its bytes, nanoseconds.")
    alignment_bytes: Bytes = Field(gt=0, description="Alignment of transfers, bytes.")
