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
        description=(
            "Fraction of the nominal clock that remains while the matrix units of all cores are busy, ratio in (0, 1]."
        ),
    )


class LaunchDesc(Desc):
    """Times of starting a program on the device from a captured trace."""

    base_ns: Nanoseconds = Field(
        description=(
            "Launch of a program of one kernel that does not overlap an earlier op, without kernel "
            "text and buffers, nanoseconds."
        )
    )
    ns_per_kernel: Nanoseconds = Field(description="Extra time for each kernel after the first, nanoseconds.")
    config_ns: Nanoseconds = Field(
        description="Extra time if there are circular buffers, semaphores or common arguments, nanoseconds."
    )
    ns_per_kib: Nanoseconds = Field(
        description="Extra time for each KiB of text of all kernels together, nanoseconds per KiB."
    )
    kernel_text_bytes: Bytes = Field(description="Text of an ordinary op's kernels for all five RISC-V cores, bytes.")
    config_ring_bytes: Bytes = Field(
        description="Size of a core's buffer for kernels, including prefetched ones, bytes."
    )
    ns_per_core: Annotated[Nanoseconds, Unpriced.DESCRIBES] = Field(
        description="Extra time for each core with its own arguments, nanoseconds."
    )
    ns_per_runtime_arg: Annotated[Nanoseconds, Unpriced.DESCRIBES] = Field(
        description="Extra time for each argument of a kernel that differs between cores, nanoseconds."
    )
    ns_per_kernel_group: Nanoseconds = Field(
        description="Extra time for each group of cores with other kernels, after the first group, nanoseconds."
    )
    group_text_ns: Nanoseconds = Field(
        description="Minimum time to send the text of each group after the first, nanoseconds."
    )
    op_gap_ns: Nanoseconds = Field(
        description="Gap between two ops if the first one hides the launch of the second, nanoseconds."
    )
    start_skew_ns: Nanoseconds = Field(
        description="Time between the first and the last core's start of an op, nanoseconds."
    )


class PipelineDesc(Desc):
    """Overlap of a kernel's stages: times combine as a p-norm, a maximum with a soft knee."""

    knee_exponent: Ratio = Field(
        ge=1,
        description=(
            "Exponent p of the p-norm over math, unpacking and packing (1: no overlap, large: full overlap), ratio."
        ),
    )
    stream_exponent: Ratio = Field(
        ge=1, description="Exponent p of the p-norm over a core's compute time and its reads and writes, ratio."
    )
    page_exponent: Ratio = Field(
        ge=1,
        description=(
            "Exponent p of the p-norm over the time of one core that waits for each page, and the time "
            "of all cores together, ratio."
        ),
    )
    fill_cycles: Cycles = Field(description="Constant time of every kernel, to fill and drain its pipeline, cycles.")
    reader_cycles: Cycles = Field(description="Extra time if a reader reads operands page by page, cycles.")
    operand_cycles: Cycles = Field(
        description="Extra time for each operand after the first that a reader reads page by page, cycles."
    )
    shard_operand_cycles: Cycles = Field(
        description="Extra time for each operand after the first that is already in L1, cycles."
    )
    reduce_cycles: Cycles = Field(
        description="Extra time of a reduction kernel, to create its tile of factors, cycles."
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

    pass_cycles: Cycles = Field(description="Start and end of a pass over a row on one core, cycles.")
    tile_cycles: Cycles = Field(gt=0, description="Unpacking, computing and packing of a tile in one pass, cycles.")
    stage_cycles: Cycles = Field(
        description="A step in which cores exchange sums (gather or return), without each core's read, cycles."
    )
    weights_fraction: Ratio = Field(
        description="Visible part of the time in which one channel sends each page of weights to all cores, ratio."
    )
    rotary_factor: Ratio = Field(
        description=("Time of a pass of a rotary embedding (one tile at a time), relative to a pass of a norm, ratio.")
    )
    scan_cycles: Cycles = Field(description="Time between elements of a scan, for all lines of a tile, cycles.")


class GatherDesc(Desc):
    """Moving data without computing, page by page or row by row through an index operand."""

    index_cycles: Cycles = Field(description="Load of one index and computation of its row's address, cycles.")
    page_cycles: Cycles = Field(
        description="Extra time for each page that an op copies unchanged from reader to writer, cycles."
    )
    rows_in_flight: Count = Field(ge=1, description="Outstanding row reads of one core, count.")


class AttentionDesc(Desc):
    """The softmax inside flash attention."""

    softmax_cycles_per_tile: Cycles = Field(
        gt=0, description="Scale, maximum, exponential, sum and rescale of one 32x32 tile of scores, cycles."
    )
    query_row_cycles: Cycles = Field(
        description=(
            "Start, masked part of the diagonal, statistics and final division of one row of query tiles, cycles."
        )
    )
    decode_cycles: Cycles = Field(
        description="Extra time of attention to a cache, to look up positions and pages, cycles."
    )
    decode_chunk_tiles: Count = Field(ge=1, description="Keys that a core reads at a time, in tiles, count.")
    chunk_cycles: Cycles = Field(description="Extra time for each chunk of scores, cycles.")
    merge_cores: Count = Field(
        ge=2, description="Cores of a head whose results one core adds in a step of a tree reduction, count."
    )
    merge_cycles: Cycles = Field(description="Addition of the result of another core of the same head, cycles.")
    merge_tile_cycles: Cycles = Field(
        description="Addition of the result of another core, for each column of tiles, cycles."
    )
    key_chunk_tiles: Annotated[Count, Unpriced.LIMITS] = Field(
        ge=1, description="Keys in one iteration of the inner loop, in tiles, count."
    )
    max_cores_per_head: Count = Field(
        ge=1, description="Maximum cores that share the keys of a head in decoding, count."
    )
