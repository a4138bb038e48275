"""The memories of a chip: L1 of each worker core, and DRAM."""

from collections.abc import Iterator
from typing import Self

from pydantic import Field, model_validator

from ttstack.system_desc.base import Desc, Fault, reject
from ttstack.system_desc.quantities import Bytes, BytesPerCycle, BytesPerSecond, Count, Cycles, Grid, Index

Coordinate = tuple[Index, Index]


def _alignment(value: int) -> Iterator[Fault]:
    if value & (value - 1):
        yield ("alignment_bytes",), f"must be a power of two, not {value}"


class L1Desc(Desc):
    """The SRAM of one worker core.

    A core may have less than its reserved regions take: then nothing is usable, and the compiler says which
    op does not fit.
    """

    size_bytes: Bytes = Field(gt=0, description="Size of one core's L1, bytes.")
    unreserved_base: Bytes = Field(description="First address that programs may use, byte address.")
    reserved_top_bytes: Bytes = Field(description="Bytes at the top kept for the runtime's own small buffers, bytes.")
    alignment_bytes: Bytes = Field(gt=0, description="Alignment of buffers and NoC transfers in L1, bytes.")
    num_banks: Count = Field(ge=1, description="SRAM banks of one core's L1, count.")
    bank_port_bytes_per_cycle: BytesPerCycle = Field(gt=0, description="Rate of one bank's port, bytes per cycle.")

    @model_validator(mode="after")
    def _check(self) -> Self:
        reject("L1Desc", self._faults(), self)
        return self

    def _faults(self) -> Iterator[Fault]:
        yield from _alignment(self.alignment_bytes)


class DramDesc(Desc):
    """The DRAM of one chip: its channels are the banks over which interleaved buffers are spread."""

    num_channels: Count = Field(ge=1, description="DRAM channels, each one bank of interleaved buffers, count.")
    channel_size_bytes: Bytes = Field(gt=0, description="Size of one channel, bytes.")
    unreserved_base: Bytes = Field(description="First address of a channel that programs may use, byte address.")
    unreserved_end: Bytes = Field(gt=0, description="First address after what programs may use, byte address.")
    alignment_bytes: Bytes = Field(gt=0, description="Alignment of buffers and NoC transfers in DRAM, bytes.")
    grid: Grid = Field(description="Logical grid of the DRAM banks, rows and columns.")
    bank_workers: tuple[Coordinate, ...] = Field(
        description="For each channel the logical worker (x, y) nearest to it, coordinates.",
    )
    routers: tuple[Coordinate, ...] = Field(
        description="For each channel the router (column, row) that workers reach it through, coordinates.",
    )
    peak_bytes_per_second: BytesPerSecond = Field(gt=0, description="Peak of the DRAM pins of all channels, bytes/s.")
    bank_adjacent_read_bytes_per_second: BytesPerSecond = Field(
        gt=0, description="All channels, each read by the core next to it (DRAM-sharded), bytes per second."
    )
    interleaved_read_bytes_per_second: BytesPerSecond = Field(
        gt=0, description="All channels, interleaved pages read by all cores, bytes per second."
    )
    interleaved_write_bytes_per_second: BytesPerSecond = Field(
        gt=0, description="All channels, interleaved pages written by all cores, bytes per second."
    )
    streamed_write_bytes_per_second: BytesPerSecond = Field(
        gt=0, description="The same by ops that wait for each page to be written, bytes per second."
    )
    page_cycles: Cycles = Field(description="Least time of a channel for each page that is read of it, cycles.")
    channel_read_bytes_per_second: BytesPerSecond = Field(gt=0, description="Reads of one channel, bytes per second.")
    channel_write_bytes_per_second: BytesPerSecond = Field(gt=0, description="Writes of one channel, bytes per second.")

    @model_validator(mode="after")
    def _check(self) -> Self:
        reject("DramDesc", self._faults(), self)
        return self

    def _faults(self) -> Iterator[Fault]:
        yield from _alignment(self.alignment_bytes)
        if self.unreserved_end <= self.unreserved_base:
            yield ("unreserved_end",), f"must lie above unreserved_base {self.unreserved_base}"
        if self.unreserved_end > self.channel_size_bytes:
            yield ("unreserved_end",), f"lies beyond the channel of {self.channel_size_bytes} bytes"
        if self.grid[0] * self.grid[1] != self.num_channels:
            yield (
                ("grid",),
                f"{self.grid[0]}x{self.grid[1]} is not the number of channels, {self.num_channels}",
            )
        if len(self.bank_workers) != self.num_channels:
            yield ("bank_workers",), f"{len(self.bank_workers)} workers for {self.num_channels} channels"
        if len(self.routers) != self.num_channels:
            yield ("routers",), f"{len(self.routers)} routers for {self.num_channels} channels"
        yield from self._rate_faults()

    def _rate_faults(self) -> Iterator[Fault]:
        for name in ("bank_adjacent_read", "interleaved_read", "interleaved_write"):
            field = f"{name}_bytes_per_second"
            if getattr(self, field) > self.peak_bytes_per_second:
                yield (field,), f"exceeds peak_bytes_per_second {self.peak_bytes_per_second:g}"
