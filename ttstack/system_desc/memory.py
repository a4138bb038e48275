"""The memories of a chip: L1 of each worker core, and DRAM."""

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
    Ratio,
    Share,
)
from ttstack.system_desc.unpriced import Unpriced

Coordinate = tuple[Index, Index]
_PER_CHANNEL = {"grid": "banks", "bank_workers": "workers", "routers": "routers"}
"""Fields that name something for each channel."""


def _alignment(memory: "L1Desc | DramDesc") -> Iterator[Fault]:
    """Yield faults: alignments must be powers of two, and start addresses must be multiples of them."""
    odd = list(power_of_two(memory.alignment_bytes))
    yield from odd
    if not odd and memory.unreserved_base % memory.alignment_bytes:
        yield ("unreserved_base",), f"must be a multiple of alignment_bytes, {memory.alignment_bytes}"


class L1Desc(Desc):
    """The SRAM of one worker core."""

    size_bytes: Annotated[Bytes, Unpriced.LIMITS] = Field(gt=0, description="Size of one core's L1, bytes.")
    unreserved_base: Annotated[Bytes, Unpriced.LIMITS] = Field(
        description="First address that programs may use, byte address."
    )
    reserved_top_bytes: Annotated[Bytes, Unpriced.LIMITS] = Field(
        description="Bytes at the top of L1 that are reserved for small buffers of the runtime, bytes."
    )
    alignment_bytes: Annotated[Bytes, Unpriced.LIMITS] = Field(
        gt=0, description="Alignment of buffers and NoC transfers in L1, bytes."
    )
    num_banks: Annotated[Count, Unpriced.DESCRIBES] = Field(ge=1, description="SRAM banks of one core's L1, count.")
    bank_port_bytes_per_cycle: Annotated[BytesPerCycle, Unpriced.DESCRIBES] = Field(
        gt=0, description="Rate of one bank's port, bytes per cycle."
    )

    def relations(self) -> tuple[Iterable[Fault], ...]:
        """Alignment, and that the reserved regions leave something."""
        return (_alignment(self), self._size_faults())

    def _size_faults(self) -> Iterator[Fault]:
        if self.unreserved_base + self.reserved_top_bytes >= self.size_bytes:
            reserved = f"unreserved_base {self.unreserved_base} and reserved_top_bytes {self.reserved_top_bytes}"
            yield ("size_bytes",), f"{self.size_bytes} bytes leave nothing after {reserved}"


class DramDesc(Desc):
    """The DRAM of one chip: its channels are the banks over which interleaved buffers are spread."""

    num_channels: Count = Field(ge=1, description="DRAM channels, each one bank of interleaved buffers, count.")
    channel_size_bytes: Annotated[Bytes, Unpriced.DESCRIBES] = Field(gt=0, description="Size of one channel, bytes.")
    unreserved_base: Annotated[Bytes, Unpriced.LIMITS] = Field(
        description="First address of a channel that programs may use, byte address."
    )
    unreserved_end: Annotated[Bytes, Unpriced.LIMITS] = Field(
        gt=0, description="End of the addresses that programs may use, byte address."
    )
    alignment_bytes: Annotated[Bytes, Unpriced.LIMITS] = Field(
        gt=0, description="Alignment of buffers and NoC transfers in DRAM, bytes."
    )
    grid: Annotated[Grid, Unpriced.DESCRIBES] = Field(description="Logical grid of the DRAM banks, rows and columns.")
    bank_workers: Annotated[tuple[Coordinate, ...], Unpriced.DESCRIBES] = Field(
        description="Logical worker (x, y) nearest to each channel, coordinates.",
    )
    routers: tuple[Coordinate, ...] = Field(
        description="Router (column, row) through which workers access each channel, coordinates.",
    )
    peak_bytes_per_second: BytesPerSecond = Field(gt=0, description="Peak of the DRAM pins of all channels, bytes/s.")
    bank_adjacent_read_fraction: Share = Field(
        description=(
            "Rate of reading if each channel is read by the core next to it (DRAM-sharded), relative "
            "to the peak, ratio in (0, 1]."
        )
    )
    interleaved_read_fraction: Share = Field(
        description="Rate of reading interleaved pages by all cores, relative to the peak, ratio in (0, 1]."
    )
    block_read_fraction: Share = Field(
        description=(
            "Rate of reading interleaved weights by all cores, each some columns, relative to the "
            "peak, ratio in (0, 1]."
        )
    )
    interleaved_write_fraction: Share = Field(
        description="Rate of writing interleaved pages by all cores, relative to the peak, ratio in (0, 1]."
    )
    product_write_fraction: Share = Field(
        description=(
            "Rate of writing matmul results on the network that also carries weights, relative to the "
            "peak, ratio in (0, 1]."
        )
    )
    streamed_write_fraction: Share = Field(
        description=(
            "Rate of writing matmul results in ops that wait for each page, relative to the peak, ratio in (0, 1]."
        )
    )
    weights_read_fraction: Share = Field(
        description="Rate of reading DRAM-sharded weights of a matmul, relative to the peak, ratio in (0, 1]."
    )
    turn_fraction: Ratio = Field(
        le=1, description="Delay of concurrent reads, relative to the time of writes, ratio in [0, 1]."
    )
    page_cycles: Cycles = Field(description="Minimum time of a channel for each page read, cycles.")
    channel_read_fraction: Annotated[Share, Unpriced.DESCRIBES] = Field(
        description="Rate of reading one channel, relative to the channel's share of the peak, ratio in (0, 1]."
    )
    channel_write_fraction: Annotated[Share, Unpriced.DESCRIBES] = Field(
        description="Rate of writing one channel, relative to the channel's share of the peak, ratio in (0, 1]."
    )

    def relations(self) -> tuple[Iterable[Fault], ...]:
        """Alignment, the usable range of a channel, and that every channel has its bank, worker and router."""
        return (_alignment(self), self._range_faults(), self._end_faults(), *map(self._count_faults, _PER_CHANNEL))

    def _range_faults(self) -> Iterator[Fault]:
        if self.unreserved_end <= self.unreserved_base:
            yield ("unreserved_end",), f"must be above unreserved_base {self.unreserved_base}"

    def _end_faults(self) -> Iterator[Fault]:
        if self.unreserved_end > self.channel_size_bytes:
            yield ("unreserved_end",), f"is beyond the channel of {self.channel_size_bytes} bytes"

    def _count_faults(self, name: str) -> Iterator[Fault]:
        given = getattr(self, name)
        found = given[0] * given[1] if name == "grid" else len(given)
        if found != self.num_channels:
            what = f"{given[0]}x{given[1]} is not" if name == "grid" else f"{found} {_PER_CHANNEL[name]} for"
            yield (name,), f"{what} the number of channels, {self.num_channels}"

    @property
    def bank_adjacent_read_bytes_per_second(self) -> float:
        """All channels, each read by the core next to it."""
        return self.bank_adjacent_read_fraction * self.peak_bytes_per_second

    @property
    def interleaved_read_bytes_per_second(self) -> float:
        """All channels, interleaved pages read by all cores."""
        return self.interleaved_read_fraction * self.peak_bytes_per_second

    @property
    def block_read_bytes_per_second(self) -> float:
        """All channels, interleaved weights read by all cores, each its columns of a block."""
        return self.block_read_fraction * self.peak_bytes_per_second

    @property
    def interleaved_write_bytes_per_second(self) -> float:
        """All channels, interleaved pages written by all cores."""
        return self.interleaved_write_fraction * self.peak_bytes_per_second

    @property
    def product_write_bytes_per_second(self) -> float:
        """Results of matrix products, interleaved pages."""
        return self.product_write_fraction * self.peak_bytes_per_second

    @property
    def weights_read_bytes_per_second(self) -> float:
        """Return the read rate of DRAM-sharded weights of a matmul."""
        return self.weights_read_fraction * self.peak_bytes_per_second

    @property
    def streamed_write_bytes_per_second(self) -> float:
        """Return the write rate of matmul results in ops that wait for each page."""
        return self.streamed_write_fraction * self.peak_bytes_per_second

    @property
    def channel_read_bytes_per_second(self) -> float:
        """Reads of one channel."""
        return self.channel_read_fraction * self.peak_bytes_per_second / self.num_channels

    @property
    def channel_write_bytes_per_second(self) -> float:
        """Writes of one channel."""
        return self.channel_write_fraction * self.peak_bytes_per_second / self.num_channels
