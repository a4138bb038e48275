"""Timing that belongs to no single unit: clock, launch of programs, overlap, gather, attention."""

from pydantic import Field

from ttstack.system_desc.base import Desc
from ttstack.system_desc.quantities import Bytes, Count, Cycles, Hertz, Nanoseconds, Ratio


class ClockDesc(Desc):
    """The clock of the Tensix cores and the NoC."""

    nominal_hz: Hertz = Field(gt=0, description="Nominal AI clock, hertz.")
    sustained_fraction: Ratio = Field(
        gt=0,
        le=1,
        description="Share of the nominal clock that long compute-bound kernels keep, ratio in (0, 1].",
    )
    throttle_onset_ns: Nanoseconds = Field(
        description="Compute-bound kernels that are longer run at the sustained clock, nanoseconds."
    )


class LaunchDesc(Desc):
    """What it takes to start a program on the device from a captured trace."""

    base_ns: Nanoseconds = Field(description="A program whose launch nothing hides, without kernel text, nanoseconds.")
    ns_per_kib: Nanoseconds = Field(
        description="Additional for each KiB of text of all kernels together, nanoseconds per KiB."
    )
    kernel_text_bytes: Bytes = Field(description="Text of an ordinary op's kernels, all five RISC-V cores, bytes.")
    ns_per_runtime_arg: Nanoseconds = Field(description="Additional for each runtime argument per core, nanoseconds.")
    ns_per_kernel_group: Nanoseconds = Field(
        description="Additional for each group of cores with other kernels after the first, nanoseconds."
    )
    op_gap_ns: Nanoseconds = Field(
        description="From the end of an op to the next when the op before hides the launch, nanoseconds."
    )
    start_skew_ns: Nanoseconds = Field(description="From the first to the last core's start of an op, nanoseconds.")


class PipelineDesc(Desc):
    """How the stages of a kernel overlap: times combine as a p-norm, a maximum with a soft knee."""

    knee_exponent: Ratio = Field(ge=1, description="p of the p-norm: 1 is no overlap, large is perfect overlap, ratio.")
    fill_cycles: Cycles = Field(description="Constant of every kernel: fill and drain of its pipeline, cycles.")
    writer_tail_fraction: Ratio = Field(
        le=1,
        description="Share of an interleaved DRAM output's write that no compute hides in a matmul, ratio.",
    )


class GatherDesc(Desc):
    """Reading rows through an index operand (embedding, gather)."""

    index_cycles: Cycles = Field(description="Load of one index and the address of its row, per index, cycles.")
    rows_in_flight: Count = Field(ge=1, description="Row reads that one core has outstanding, count.")


class AttentionDesc(Desc):
    """The softmax inside flash attention."""

    softmax_cycles_per_tile: Cycles = Field(
        gt=0, description="Scale, maximum, exponential, sum and rescale of one 32x32 tile of scores, cycles."
    )
    query_row_cycles: Cycles = Field(
        description="Start, diagonal waste, statistics and final division of one row of query tiles, cycles."
    )
    key_chunk_tiles: Count = Field(ge=1, description="Keys that one pass of the inner loop takes, in tiles, count.")
