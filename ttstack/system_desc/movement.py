"""Timing of kernels that move data and compute nothing."""

from collections.abc import Iterable

from pydantic import Field

from ttstack.system_desc.base import Desc
from ttstack.system_desc.quantities import BytesPerCycle, Count, Cycles, Ratio, Share
from ttstack.system_desc.soft_maximum import soft_maximum


class TilePaddingDesc(Desc):
    """Older kernels that fill up tiles on a single core, one tile after the other."""

    tile_cycles: Cycles = Field(description="Filling a tile before rows are read into it, cycles.")
    row_cycles: Cycles = Field(description="Reading one row of a tile, cycles.")


class PixelFetchDesc(Desc):
    """Older kernels that fetch the pixels of neighbours one by one, not in runs."""

    pixel_cycles: Cycles = Field(description="Least time for each pixel, cycles.")


class MovementDesc(Desc):
    """Copies, changes of layout, transposes, slices, lookups: what their threads need beside their transfers."""

    start_cycles: Cycles = Field(description="Constant of every such kernel, cycles.")
    address_cycles: Cycles = Field(
        description="Of a RISC-V core, least time from one transfer to the next whose address it works out, cycles."
    )
    math_start_cycles: Cycles = Field(description="Additional where tiles pass through the math units, cycles.")
    tilize_cycles: Cycles = Field(description="Of the math units, a tile made of rows, cycles.")
    untilize_row_cycles: Cycles = Field(description="Of the math units, a row of tiles made into rows, cycles.")
    untilize_cycles: Cycles = Field(description="Additional for each tile of it, cycles.")
    wide_untilize_cycles: Cycles = Field(
        description="Of the math units, each tile of a row that is wider than the packer writes as rows, cycles."
    )
    halo_fraction: Share = Field(
        description="Pixels that cores get from their neighbours, of the rate of a link, ratio in (0, 1]."
    )
    update_cycles: Cycles = Field(
        description="Rows taken out of tiles and put into those of a cache; twice that where formats differ, cycles."
    )
    element_cycles: Cycles = Field(description="Of a RISC-V core, one element copied by itself, cycles.")
    copy_bytes_per_cycle: BytesPerCycle = Field(
        gt=0, description="Of a RISC-V core, halves of rows copied within its L1, bytes per cycle."
    )
    pages_in_flight: Count = Field(
        ge=1, description="Pages of its own shard that a core sends off before it waits, count."
    )
    head_tiles: Count = Field(
        ge=1,
        description="Tiles of a head that kernels of heads read before they wait, at most; with 1, of older releases, "
        "whole rows of heads stay in a core, count.",
    )
    window_readers: Count = Field(
        ge=1, description="Threads that put the windows of a convolution together where weights leave them time, count."
    )
    contention_exponent: Ratio = Field(
        ge=1, description="p of the p-norm over what a thread issues and what networks carry at the same time, ratio."
    )
    link_fraction: Share = Field(
        description="What the busiest link carries of pages that cores read from or write to all of L1, of its rate, "
        "ratio in (0, 1]."
    )
    dram_fraction: Share = Field(
        description="Pages read and written at the same time, of the peak of DRAM, ratio in (0, 1]."
    )
    pixel_fetch: PixelFetchDesc | None = Field(
        default=None, description="Of releases that fetch pixels of neighbours one by one, or null; a section."
    )
    tile_padding: TilePaddingDesc | None = Field(
        default=None, description="Of releases that fill up tiles on a single core, or null; a section."
    )

    def contend(self, times: Iterable[float]) -> float:
        """Combine what a thread issues and what networks carry at the same time."""
        return soft_maximum(times, self.contention_exponent)
