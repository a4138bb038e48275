"""What computes in a Tensix core: matrix unit, vector unit, unpackers, packers and the small RISC-V cores."""

from typing import Annotated

from pydantic import Field

from ttstack.system_desc.base import Desc, Frozen
from ttstack.system_desc.quantities import BytesPerCycle, Count, Cycles, Share
from ttstack.system_desc.unpriced import Unpriced

PositiveCycles = Annotated[Cycles, Field(gt=0)]


class FidelityCycles(Desc):
    """Cycles at each math fidelity, that is with 1 to 4 passes over the multipliers' bits."""

    lofi: Cycles = Field(gt=0, description="At LoFi, one pass, cycles.")
    hifi2: Cycles = Field(gt=0, description="At HiFi2, two passes, cycles.")
    hifi3: Cycles = Field(gt=0, description="At HiFi3, three passes, cycles.")
    hifi4: Cycles = Field(gt=0, description="At HiFi4, four passes, cycles.")

    def at(self, fidelity: str) -> float:
        """The cycles at `fidelity`: LoFi, HiFi2, HiFi3 or HiFi4."""
        return getattr(self, fidelity.lower())


_NARROW_BITS = 16
"""Widest elements that fit the source registers of the matrix unit as they are."""


class MatrixUnitDesc(Desc):
    """The matrix unit (FPU) of one core; a tile is 32x32 elements."""

    matmul_cycles_per_tile: FidelityCycles = Field(description="One 32x32 by 32x32 tile product, cycles.")
    product_overhead_cycles: Cycles = Field(description="From one tile product to the next, at any fidelity, cycles.")
    subblock_cycles: Cycles = Field(
        description="Handing a subblock of output tiles from math to packer, for each k block, cycles."
    )
    sharded_weights_cycles: Cycles = Field(
        description="Additional for a product whose weights lie over the banks of DRAM: activations are brought to "
        "the readers, and results back, cycles."
    )
    multiply_cycles_per_tile: Annotated[FidelityCycles, Unpriced.DESCRIBES] = Field(
        description="Elementwise multiply of a tile, cycles."
    )
    eltwise_cycles_per_tile: Cycles = Field(
        gt=0, description="Elementwise add or subtract of a tile, at any fidelity, cycles."
    )
    copy_cycles_per_tile: Cycles = Field(gt=0, description="Moving an unpacked tile into Dst, cycles.")
    wide_copy_cycles_per_tile: Cycles = Field(
        description="Additional for a tile of a 32-bit format, which the unpacker itself brings, cycles."
    )
    reduce_cycles_per_tile: FidelityCycles = Field(description="Sum or mean along a tile's rows, cycles.")
    reduce_down_fraction: Share = Field(
        description="Sum or mean down a tile's columns, of one along its rows, ratio in (0, 1]."
    )
    reduce_max_cycles_per_tile: Cycles = Field(
        gt=0, description="Maximum over a tile's rows or columns, at any fidelity, cycles."
    )
    instruction_latency_cycles: Annotated[Cycles, Unpriced.DESCRIBES] = Field(
        description="From issue of an instruction to its result, cycles."
    )

    def copy_cycles(self, bits: int) -> float:
        """Cycles to bring a tile with elements of so many bits into Dst."""
        return self.copy_cycles_per_tile + (self.wide_copy_cycles_per_tile if bits > _NARROW_BITS else 0)


class VectorUnitDesc(Desc):
    """The vector unit (SFPU) of one core."""

    lanes: Annotated[Count, Unpriced.DESCRIBES] = Field(
        ge=1, description="32-bit lanes that one instruction works on, count."
    )
    instruction_cycles: Annotated[Cycles, Unpriced.DESCRIBES] = Field(
        gt=0, description="One instruction on all lanes, cycles."
    )
    default_cycles_per_tile: Cycles = Field(
        gt=0, description="A function that the table does not name, cycles per tile."
    )
    start_cycles: Cycles = Field(
        description="Least time in which the next tile of a function comes to Dst: kernels set the unit up anew "
        "for each, which the wait for the first tile hides, cycles."
    )
    cycles_per_tile: Annotated[dict[str, PositiveCycles], Frozen] = Field(
        description="By function (the op's mnemonic), cycles per 32x32 tile."
    )

    def cycles_of(self, function: str) -> float:
        """Cycles per tile of `function`: its own figure, or the default."""
        return self.cycles_per_tile.get(function, self.default_cycles_per_tile)


class UnpackerDesc(Desc):
    """The two unpackers that bring tiles from L1 to the source registers."""

    bytes_per_cycle: BytesPerCycle = Field(gt=0, description="Of both unpackers together, bytes per cycle.")
    min_cycles_per_tile: Cycles = Field(description="Issue time of a tile's instructions, however small, cycles.")
    page_cycles: Cycles = Field(
        description="Additional from one tile to the next of ops that take one of each operand at a time, cycles."
    )


class PackerDesc(Desc):
    """The packers that bring tiles from Dst to L1."""

    bytes_per_cycle: BytesPerCycle = Field(gt=0, description="Plain packing to L1, all packers, bytes per cycle.")
    accumulate_bytes_per_cycle: Annotated[BytesPerCycle, Unpriced.DESCRIBES] = Field(
        gt=0, description="Packing that adds to what L1 holds, all packers, bytes per cycle."
    )


class RiscvDesc(Desc):
    """The small RISC-V cores of a Tensix that issue transfers and run what no unit does."""

    compute_threads: Annotated[Count, Unpriced.DESCRIBES] = Field(
        ge=1, description="Threads that programs see as compute, count."
    )
    data_movement_threads: Annotated[Count, Unpriced.DESCRIBES] = Field(
        ge=1, description="Threads that programs see as data movement, count."
    )
    load_bytes_per_cycle: Annotated[BytesPerCycle, Unpriced.DESCRIBES] = Field(
        gt=0, description="Loads from L1 by one core, bytes per cycle."
    )
    store_bytes_per_cycle: BytesPerCycle = Field(gt=0, description="Stores to L1 by one core, bytes per cycle.")
    page_cycles: Cycles = Field(
        description="Finding bank and address of a page of an interleaved buffer, cycles per page."
    )
