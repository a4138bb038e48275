"""Timing of kernels that move data and compute nothing."""

from collections.abc import Iterable

from pydantic import Field

from ttstack.system_desc.base import Desc
from ttstack.system_desc.quantities import BytesPerCycle, Count, Cycles, Ratio, Share
from ttstack.system_desc.soft_maximum import soft_maximum


class TilePaddingDesc(Desc):
    """Older kernels that fill up tiles on a single core, one tile after the other."""

    tile_cycles: Cycles = Field(description="Time to fill a tile with padding before its rows are read, cycles.")
    row_cycles: Cycles = Field(description="Read of one row of a tile, cycles.")


class PixelFetchDesc(Desc):
    """Older kernels that fetch the pixels of neighbours one by one, not in runs."""

    pixel_cycles: Cycles = Field(description="Minimum time for each pixel, cycles.")


class MovementDesc(Desc):
    """Copies, changes of layout, transposes, slices, lookups: work of their threads in addition to transfers."""

    start_cycles: Cycles = Field(description="Constant time of a data movement kernel, cycles.")
    address_cycles: Cycles = Field(
        description="Minimum time between transfers with a computed address, on a RISC-V core, cycles."
    )
    math_start_cycles: Cycles = Field(description="Extra time if tiles pass through the math units, cycles.")
    tilize_cycles: Cycles = Field(description="Tilizing of one tile in the math units, cycles.")
    untilize_row_cycles: Cycles = Field(description="Untilizing of a row of tiles in the math units, cycles.")
    untilize_cycles: Cycles = Field(description="Extra time of untilizing for each tile of the row, cycles.")
    wide_untilize_cycles: Cycles = Field(
        description=(
            "Untilizing of a tile in the math units, in rows that exceed the packer's width for untilizing, cycles."
        )
    )
    halo_fraction: Share = Field(
        description="Rate of reading pixels of neighbouring cores, relative to a link, ratio in (0, 1]."
    )
    update_cycles: Cycles = Field(
        description="Copy of rows from tiles to tiles of a cache. Twice this time if formats differ, cycles."
    )
    element_cycles: Cycles = Field(description="Copy of a single element by a RISC-V core, cycles.")
    copy_bytes_per_cycle: BytesPerCycle = Field(
        gt=0, description="Rate of copying half rows within L1 by a RISC-V core, bytes per cycle."
    )
    pages_in_flight: Count = Field(ge=1, description="Pages of its own shard that a core sends before it waits, count.")
    head_tiles: Count = Field(
        ge=1,
        description=(
            "Maximum tiles of a head that head kernels read before they wait. With 1 (older releases), "
            "a core processes whole rows of heads, count."
        ),
    )
    window_readers: Count = Field(
        ge=1, description="Threads that gather windows of a convolution, if not busy with weights, count."
    )
    contention_exponent: Ratio = Field(
        ge=1, description="Exponent p of the p-norm over the times of a thread's issue and of the networks, ratio."
    )
    link_fraction: Share = Field(
        description=(
            "Rate of the busiest link for pages that cores read from or write to any L1, relative to "
            "the link's peak, ratio in (0, 1]."
        )
    )
    dram_fraction: Share = Field(
        description="Rate of concurrent reads and writes of pages, relative to the peak of DRAM, ratio in (0, 1]."
    )
    pixel_fetch: PixelFetchDesc | None = Field(
        default=None, description="Times of releases that read halo pixels one by one, or null; a section."
    )
    tile_padding: TilePaddingDesc | None = Field(
        default=None, description="Times of releases that pad tiles on a single core, or null; a section."
    )

    def contend(self, times: Iterable[float]) -> float:
        """Combine the issue time of a thread with the concurrent time of the networks."""
        return soft_maximum(times, self.contention_exponent)
