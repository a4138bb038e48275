"""Timing that belongs to no single unit: clock, launch of programs, overlap, gather, attention."""

from collections.abc import Iterable
from typing import Annotated

from pydantic import Field

from ttstack.system_desc.base import Desc
from ttstack.system_desc.quantities import Bytes, Count, Cycles, Hertz, Nanoseconds, Ratio
from ttstack.system_desc.soft_maximum import soft_maximum
from ttstack.system_desc.unpriced import Unpriced


class ClockDesc(Desc):
    """The clock of the Tensix cores and the NoC."""

    nominal_hz: Hertz = Field(gt=0, description="Nominal AI clock, hertz.")
    sustained_fraction: Ratio = Field(
        gt=0,
        le=1,
        description="Share of the nominal clock that remains while the multipliers of all cores are busy, "
        "ratio in (0, 1].",
    )


class LaunchDesc(Desc):
    """What it takes to start a program on the device from a captured trace."""

    base_ns: Nanoseconds = Field(
        description="A program of one kernel whose launch nothing hides, without text and buffers, nanoseconds."
    )
    ns_per_kernel: Nanoseconds = Field(description="Additional for each further kernel, nanoseconds.")
    config_ns: Nanoseconds = Field(
        description="Additional for circular buffers, semaphores or common arguments, nanoseconds."
    )
    ns_per_kib: Nanoseconds = Field(
        description="Additional for each KiB of text of all kernels together, nanoseconds per KiB."
    )
    kernel_text_bytes: Bytes = Field(description="Text of an ordinary op's kernels, all five RISC-V cores, bytes.")
    config_ring_bytes: Bytes = Field(description="What a core holds of kernels, the next ones included, bytes.")
    ns_per_core: Annotated[Nanoseconds, Unpriced.DESCRIBES] = Field(
        description="Additional for each core that has arguments of its own, nanoseconds."
    )
    ns_per_runtime_arg: Annotated[Nanoseconds, Unpriced.DESCRIBES] = Field(
        description="Additional for each argument of each kernel that differs from core to core, nanoseconds."
    )
    ns_per_kernel_group: Nanoseconds = Field(
        description="Additional for each group of cores with other kernels after the first, nanoseconds."
    )
    group_text_ns: Nanoseconds = Field(
        description="Least time to send the text of each group after the first, nanoseconds."
    )
    op_gap_ns: Nanoseconds = Field(
        description="From the end of an op to the next when the op before hides the launch, nanoseconds."
    )
    start_skew_ns: Nanoseconds = Field(description="From the first to the last core's start of an op, nanoseconds.")


class PipelineDesc(Desc):
    """How the stages of a kernel overlap: times combine as a p-norm, a maximum with a soft knee."""

    knee_exponent: Ratio = Field(
        ge=1, description="p of the p-norm over math, unpacking and packing: 1 is no overlap, large is perfect, ratio."
    )
    stream_exponent: Ratio = Field(
        ge=1, description="The same over what a core computes and what it reads and writes, ratio."
    )
    page_exponent: Ratio = Field(
        ge=1, description="The same over what a core that waits for each page takes alone, and what all take, ratio."
    )
    fill_cycles: Cycles = Field(description="Constant of every kernel: fill and drain of its pipeline, cycles.")
    reader_cycles: Cycles = Field(description="Additional for a reader that brings operands page by page, cycles.")
    operand_cycles: Cycles = Field(
        description="Additional for each operand after the first that such a reader brings, cycles."
    )
    shard_operand_cycles: Cycles = Field(
        description="Additional for each operand after the first that lies where it is needed, cycles."
    )
    reduce_cycles: Cycles = Field(
        description="Additional for a kernel that reduces: the tile of factors that it multiplies by, cycles."
    )

    def overlap_units(self, times: Iterable[float]) -> float:
        """Combine the times of math, unpacking and packing, or of others that overlap as well as these."""
        return soft_maximum(times, self.knee_exponent)

    def overlap_streams(self, times: Iterable[float], exponent: float | None = None) -> float:
        """Combine the times of streams and of the math units; `exponent` replaces that of the device."""
        return soft_maximum(times, exponent or self.stream_exponent)

    def overlap_pages(self, times: Iterable[float]) -> float:
        """Combine the times of cores that wait for each page, and of the memory and links that they share."""
        return soft_maximum(times, self.page_exponent)


class RowsDesc(Desc):
    """Norms, softmax and scans, whose kernels pass over each row of tiles several times."""

    pass_cycles: Cycles = Field(description="Start and end of a pass over a row, on one core, cycles.")
    tile_cycles: Cycles = Field(gt=0, description="A tile in one pass: unpacked, computed, packed, cycles.")
    stage_cycles: Cycles = Field(
        description="A step of an exchange of sums, gathering or sending back, but for each core's read, cycles."
    )
    weights_fraction: Ratio = Field(
        description="Of the time in which one channel gives each page of weights to all cores, what nothing hides, "
        "ratio."
    )
    rotary_factor: Ratio = Field(
        description="A pass of a rotary embedding, which goes tile by tile through buffers of one tile, over one of a "
        "norm, ratio."
    )
    scan_cycles: Cycles = Field(description="One element of a scan to the next, for all lines of a tile, cycles.")


class GatherDesc(Desc):
    """Moving data without computing, page by page or row by row through an index operand."""

    index_cycles: Cycles = Field(description="Load of one index and the address of its row, per index, cycles.")
    page_cycles: Cycles = Field(
        description="Additional for each page that an op moves as it is, between reader and writer, cycles."
    )
    rows_in_flight: Count = Field(ge=1, description="Row reads that one core has outstanding, count.")


class AttentionDesc(Desc):
    """The softmax inside flash attention."""

    softmax_cycles_per_tile: Cycles = Field(
        gt=0, description="Scale, maximum, exponential, sum and rescale of one 32x32 tile of scores, cycles."
    )
    query_row_cycles: Cycles = Field(
        description="Start, diagonal waste, statistics and final division of one row of query tiles, cycles."
    )
    decode_cycles: Cycles = Field(
        description="Additional for attention to a cache: positions and pages are looked up, cycles."
    )
    decode_chunk_tiles: Count = Field(ge=1, description="Keys that a core takes at a time, in tiles, count.")
    chunk_cycles: Cycles = Field(description="Additional for each chunk of scores, cycles.")
    merge_cores: Count = Field(
        ge=2, description="Cores of a head whose results one of them adds up, one by one, in a step of a tree, count."
    )
    merge_cycles: Cycles = Field(description="Adding the result of another core that shares the head, cycles.")
    merge_tile_cycles: Cycles = Field(description="The same, for each column of tiles of the result, cycles.")
    key_chunk_tiles: Annotated[Count, Unpriced.LIMITS] = Field(
        ge=1, description="Keys that one pass of the inner loop takes, in tiles, count."
    )
    max_cores_per_head: Count = Field(ge=1, description="Cores that share the keys of a head in decoding, count.")
