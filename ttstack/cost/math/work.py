"""Cycles of tile ops on the units of a core: math, unpackers and packers."""

from dataclasses import dataclass, replace

from ttstack.cost.tensor_train import busiest
from ttstack.device.device_op import DeviceOp, Fidelity
from ttstack.device.kernel_class import is_rowwise
from ttstack.ops.generic import chain_of
from ttstack.ops.loops import Loops, TileWork
from ttstack.ops.tile_ops import Rate, tile_op
from ttstack.ops.types import DType
from ttstack.ops.work_estimate import WorkEstimate
from ttstack.system_desc import ChipDesc


def tile_cycles(op: TileWork, dtype: DType, fidelity: Fidelity, chip: ChipDesc) -> float:
    """Return the cycles of one tile op on one tile; functions that the matrix unit lacks run on the vector unit."""
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
    """Return the cycles of a vector function on one tile; the table may name a variant for 32-bit Dst."""
    table = chip.vector.cycles_per_tile
    if dtype is DType.F32 and f"{name}_fp32" in table:
        return table[f"{name}_fp32"]
    return chip.vector.cycles_of(name)


def peak_flops(fidelity: Fidelity, chip: ChipDesc) -> float:
    """FLOP/s of all matrix units of the chip at a fidelity, at the nominal clock."""
    per_tile = 2 * 32**3 / chip.matrix.matmul_cycles_per_tile.at(fidelity)
    return per_tile * chip.num_cores * chip.clock_hz


@dataclass(frozen=True, slots=True)
class Work:
    """Cycles of one core: math, unpacking and packing overlap."""

    math: float
    unpack: float
    pack: float
    products: float = 0.0
    """Cycles among those of `math` that the multipliers of the matrix unit are busy with tile products."""
    cores: int = 0
    """Cores whose multipliers are busy."""
    parts: int = 1
    """Cores that share the keys of one head, each of as many cores as the op has."""
    merge: float = 0.0
    """Cycles after the last block in which those cores add up their results."""
    weights: float = 0.0
    """Cycles before the first block in which all cores get weights of norms from DRAM."""
    exchange: float = 0.0
    """Cycles in which cores that share rows of a norm exchange their sums."""

    @property
    def busiest(self) -> float:
        """Return the cycles of the slowest unit."""
        return max(self.math, self.unpack, self.pack)


def converts(device_op: DeviceOp) -> bool:
    """Return True if values pass through the compute units to change tiling or format."""
    layouts = device_op.layouts()
    return len({(layout.dtype, layout.tiled) for layout in layouts}) > 1


def body_work(
    device_op: DeviceOp, body: tuple[TileWork, ...], iterations: int, chip: ChipDesc, *, packs: bool = True
) -> Work:
    """`body` run `iterations` times; operands are unpacked for each use, results of the body stay in Dst."""
    arithmetic = unpacked = 0.0
    for op in body:
        done = replace(op, name="copy") if op.name == "typecast" and not converts(device_op) else op
        share = _reduced_share(device_op, chip) if tile_op(done.name).rate is Rate.REDUCE else 1.0
        arithmetic += op.count * share * tile_cycles(done, _dtype(device_op), device_op.fidelity, chip)
        unpacked += op.count * _unpack_cycles(device_op, op, chip)
    packed = pack_cycles(device_op, chip) if body and packs else 0.0
    return Work(arithmetic * iterations, unpacked * iterations, packed * iterations)


def _reduced_share(device_op: DeviceOp, chip: ChipDesc) -> float:
    """Return the relative cycles of a reduction, compared with a sum along rows: fewer if only along columns."""
    along = device_op.dispatch.inputs[0].loops[-1:]
    return 1.0 if set(along) & set(device_op.dispatch.reductions) else chip.matrix.reduce_down_fraction


def _dtype(device_op: DeviceOp) -> DType:
    return device_op.layouts()[0].dtype


def _unpack_cycles(device_op: DeviceOp, op: TileWork, chip: ChipDesc) -> float:
    """Two operands come through two unpackers, which share the ports of L1."""
    count = len(device_op.operands)
    sizes = [device_op.operands[i].dtype.tile_bytes for i in op.args if i < count]
    if not sizes:
        return 0.0
    return max(sum(sizes) / chip.unpack.bytes_per_cycle, chip.unpack.min_cycles_per_tile)


def pack_cycles(device_op: DeviceOp, chip: ChipDesc) -> float:
    """Return the cycles to pack one tile of each result."""
    return sum(layout.dtype.tile_bytes for layout in device_op.results) / chip.pack.bytes_per_cycle


def stream_work(device_op: DeviceOp, chip: ChipDesc) -> Work:
    """Return the work of a page-by-page kernel: elementwise ops, reductions, pools and Tensor-Train lookups."""
    steps, finish = device_op.dispatch.split_work()
    iterations = device_op.core_units * device_op.core_steps
    if chain_of(device_op.op):
        return body_work(device_op, busiest(device_op), iterations, chip)
    if not device_op.dispatch.reductions:
        work = body_work(device_op, steps + finish, iterations, chip)
        starts = sum(op.count for op in steps + finish if tile_op(op.name).rate is Rate.FUNCTION) * (iterations - 1)
        copied = chip.matrix.copy_cycles(_dtype(device_op).bits)
        return replace(
            work,
            math=work.math + starts * max(chip.vector.start_cycles - copied, 0.0),
            unpack=work.unpack + bool(work.unpack) * iterations * chip.unpack.page_cycles,
        )
    last = body_work(device_op, finish, _output_pages(device_op), chip)
    each = body_work(device_op, steps, iterations, chip, packs=_packs_each_step(device_op.dispatch))
    pack = max(each.pack, pack_cycles(device_op, chip) * _output_pages(device_op))
    return Work(each.math + last.math, each.unpack + last.unpack, pack)


def _packs_each_step(dispatch: Loops) -> bool:
    """Return True if results are packed in every step of a reduction, not once at its end."""
    return is_rowwise(dispatch) or isinstance(dispatch, WorkEstimate)


def _output_pages(device_op: DeviceOp) -> int:
    return max((device_op.core_pages(which) for which in device_op.dispatch.outputs), default=0)
