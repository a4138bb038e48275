"""Cycles of a tile op on the units of a core."""

from ttstack.device.device_op import Fidelity
from ttstack.ops.loops import TileWork
from ttstack.ops.tile_ops import Rate, tile_op
from ttstack.ops.types import DType
from ttstack.system_desc import ChipDesc


def tile_cycles(op: TileWork, dtype: DType, fidelity: Fidelity, chip: ChipDesc) -> float:
    """Cycles of one tile op on one tile; functions that the matrix unit lacks run on the vector unit."""
    matrix = chip.matrix
    match tile_op(op.name).rate:
        case Rate.PRODUCT:
            cycles = matrix.matmul_cycles_per_tile.at(fidelity)
        case Rate.MULTIPLY if op.name not in chip.vector.cycles_per_tile:
            cycles = matrix.multiply_cycles_per_tile.at(fidelity)
        case Rate.ADD:
            cycles = matrix.eltwise_cycles_per_tile
        case Rate.REDUCE:
            cycles = matrix.reduce_cycles_per_tile.at(fidelity)
        case Rate.REDUCE_MAX:
            cycles = matrix.reduce_max_cycles_per_tile
        case Rate.COPY:
            cycles = matrix.copy_cycles(dtype.bits)
        case Rate.FUNCTION | Rate.MULTIPLY:
            cycles = matrix.copy_cycles(dtype.bits) + vector_cycles(op.name, dtype, chip)
    return cycles


def vector_cycles(name: str, dtype: DType, chip: ChipDesc) -> float:
    """Cycles of a vector function on one tile; the table may name a variant for 32-bit Dst."""
    table = chip.vector.cycles_per_tile
    if dtype is DType.F32 and f"{name}_fp32" in table:
        return table[f"{name}_fp32"]
    return chip.vector.cycles_of(name)


def peak_flops(fidelity: Fidelity, chip: ChipDesc) -> float:
    """FLOP/s of all matrix units of the chip at a fidelity, at the nominal clock."""
    per_tile = 2 * 32**3 / chip.matrix.matmul_cycles_per_tile.at(fidelity)
    return per_tile * chip.num_cores * chip.clock_hz
