"""Compute units of a Tensix core: matrix unit, vector unit, unpackers, packers and the small RISC-V cores."""

from typing import Annotated

from pydantic import Field

from ttstack.system_desc.base import Desc, Frozen
from ttstack.system_desc.quantities import BytesPerCycle, Count, Cycles, Share
from ttstack.system_desc.unpriced import Unpriced

PositiveCycles = Annotated[Cycles, Field(gt=0)]


class FidelityCycles(Desc):
    """Cycles at each math fidelity, that is with 1 to 4 passes over the multipliers' bits."""

    lofi: Cycles = Field(gt=0, description="Cycles at LoFi, which needs one pass, cycles.")
    hifi2: Cycles = Field(gt=0, description="Cycles at HiFi2, which needs two passes, cycles.")
    hifi3: Cycles = Field(gt=0, description="Cycles at HiFi3, which needs three passes, cycles.")
    hifi4: Cycles = Field(gt=0, description="Cycles at HiFi4, which needs four passes, cycles.")

    def at(self, fidelity: str) -> float:
        """Return the cycles at `fidelity`: LoFi, HiFi2, HiFi3 or HiFi4."""
        return getattr(self, fidelity.lower())


_NARROW_BITS = 16
"""Maximum bits of elements that fit the matrix unit's source registers."""


class MatrixUnitDesc(Desc):
    """The matrix unit (FPU) of one core; a tile is 32x32 elements."""

    matmul_cycles_per_tile: FidelityCycles = Field(description="Product of two 32x32 tiles, cycles.")
    product_overhead_cycles: Cycles = Field(description="Overhead between tile products, at any fidelity, cycles.")
    subblock_cycles: Cycles = Field(
        description="Handover of a subblock of output tiles from math to packer, for each k block, cycles."
    )
    sharded_weights_cycles: Cycles = Field(
        description=(
            "Extra time of a matmul with DRAM-sharded weights, to send activations to the readers and "
            "results back, cycles."
        )
    )
    multiply_cycles_per_tile: Annotated[FidelityCycles, Unpriced.DESCRIBES] = Field(
        description="Elementwise multiply of a tile, cycles."
    )
    eltwise_cycles_per_tile: Cycles = Field(
        gt=0, description="Elementwise add or subtract of a tile, at any fidelity, cycles."
    )
    copy_cycles_per_tile: Cycles = Field(gt=0, description="Copy of an unpacked tile to Dst, cycles.")
    wide_copy_cycles_per_tile: Cycles = Field(
        description="Extra time for a tile of a 32-bit format, which the unpacker copies to Dst, cycles."
    )
    reduce_cycles_per_tile: FidelityCycles = Field(description="Sum or mean along a tile's rows, cycles.")
    reduce_down_fraction: Share = Field(
        description="Sum or mean along a tile's columns, relative to one along its rows, ratio in (0, 1]."
    )
    reduce_max_cycles_per_tile: Cycles = Field(
        gt=0, description="Maximum along a tile's rows or columns, at any fidelity, cycles."
    )
    instruction_latency_cycles: Annotated[Cycles, Unpriced.DESCRIBES] = Field(
        description="Latency from the issue of an instruction to its result, cycles."
    )

    def copy_cycles(self, bits: int) -> float:
        """Return the cycles to copy a tile with elements of this many bits to Dst."""
        return self.copy_cycles_per_tile + (self.wide_copy_cycles_per_tile if bits > _NARROW_BITS else 0)


class VectorUnitDesc(Desc):
    """The vector unit (SFPU) of one core."""

    lanes: Annotated[Count, Unpriced.DESCRIBES] = Field(ge=1, description="32-bit lanes per instruction, count.")
    instruction_cycles: Annotated[Cycles, Unpriced.DESCRIBES] = Field(
        gt=0, description="Time of an instruction on all lanes, cycles."
    )
    default_cycles_per_tile: Cycles = Field(
        gt=0, description="Time of a function that is not in `cycles_per_tile`, cycles per tile."
    )
    start_cycles: Cycles = Field(
        description=(
            "Minimum time per tile of a function after the first, because kernels initialize the unit "
            "for each tile, cycles."
        )
    )
    cycles_per_tile: Annotated[dict[str, PositiveCycles], Frozen] = Field(
        description="Time by function (the op's mnemonic), cycles per 32x32 tile."
    )

    def cycles_of(self, function: str) -> float:
        """Return the cycles per tile of `function`: its own figure, or the default."""
        return self.cycles_per_tile.get(function, self.default_cycles_per_tile)


class UnpackerDesc(Desc):
    """The two unpackers that bring tiles from L1 to the source registers."""

    bytes_per_cycle: BytesPerCycle = Field(gt=0, description="Rate of both unpackers together, bytes per cycle.")
    min_cycles_per_tile: Cycles = Field(
        description="Minimum issue time of a tile's instructions, for any tile size, cycles."
    )
    page_cycles: Cycles = Field(
        description="Extra time between tiles in ops that read one tile of each operand at a time, cycles."
    )


class PackerDesc(Desc):
    """The packers that bring tiles from Dst to L1."""

    bytes_per_cycle: BytesPerCycle = Field(
        gt=0, description="Rate of packing to L1, all packers together, bytes per cycle."
    )
    accumulate_bytes_per_cycle: Annotated[BytesPerCycle, Unpriced.DESCRIBES] = Field(
        gt=0, description="Rate of packing with accumulation in L1, all packers together, bytes per cycle."
    )


class RiscvDesc(Desc):
    """The small RISC-V cores of a Tensix, which issue transfers and run code that no other unit can."""

    compute_threads: Annotated[Count, Unpriced.DESCRIBES] = Field(
        ge=1, description="Compute threads in the programming model, count."
    )
    data_movement_threads: Annotated[Count, Unpriced.DESCRIBES] = Field(
        ge=1, description="Data movement threads in the programming model, count."
    )
    load_bytes_per_cycle: Annotated[BytesPerCycle, Unpriced.DESCRIBES] = Field(
        gt=0, description="Rate of loads from L1 by one core, bytes per cycle."
    )
    store_bytes_per_cycle: BytesPerCycle = Field(gt=0, description="Rate of stores to L1 by one core, bytes per cycle.")
    page_cycles: Cycles = Field(description="Computation of bank and address of an interleaved page, cycles per page.")
