"""What the core with the most work computes: cycles of its math units, unpackers and packers."""

import math
from dataclasses import dataclass, replace

from ttstack.cost.decode_setup import compute_blocks, streams_weights
from ttstack.cost.key_split import key_parts, score_chunk
from ttstack.cost.row_kernels import row_cycles
from ttstack.cost.tensor_train import busiest
from ttstack.cost.units import tile_cycles
from ttstack.cost.visited import visited_keys
from ttstack.cost.window import window_cycles
from ttstack.device.device_op import DeviceOp
from ttstack.device.kernel_class import attention_operands, is_attention, is_contraction, is_rowwise, turns_first
from ttstack.device.matmul_blocks import MatmulBlocks, per_core
from ttstack.ops.generic import chain_of
from ttstack.ops.loops import Loops, TileWork
from ttstack.ops.types import DType
from ttstack.ops.work_estimate import WorkEstimate
from ttstack.system_desc import ChipDesc


@dataclass(frozen=True, slots=True)
class Work:
    """Cycles of one core; the three overlap."""

    math: float
    unpack: float
    pack: float
    products: float = 0.0
    """Cycles among those of `math` that the multipliers of the matrix unit are busy with tile products."""

    @property
    def busiest(self) -> float:
        """Cycles of what takes longest."""
        return max(self.math, self.unpack, self.pack)


def compute(device_op: DeviceOp, chip: ChipDesc) -> Work:
    """Cycles of the core with the most work, if operands are there in time."""
    dispatch = device_op.dispatch
    if is_attention(dispatch):
        return _attention(device_op, chip)
    if is_contraction(dispatch):
        return _matmul(device_op, chip)
    if is_rowwise(dispatch):
        return Work(row_cycles(device_op, chip), 0.0, 0.0)
    if dispatch.moves_only and not _converts(device_op):
        return Work(0.0, 0.0, 0.0)
    return _stream(device_op, chip)


def _converts(device_op: DeviceOp) -> bool:
    """Whether values pass through the compute units to become tiles, rows or another format."""
    layouts = device_op.layouts()
    return len({(layout.dtype, layout.tiled) for layout in layouts}) > 1


def _stream(device_op: DeviceOp, chip: ChipDesc) -> Work:
    steps, finish = device_op.dispatch.split_work()
    iterations = device_op.core_units * device_op.core_steps
    if chain_of(device_op.op):
        return _times(device_op, busiest(device_op), iterations, chip)
    if not device_op.dispatch.reductions:
        work = _times(device_op, steps + finish, iterations, chip)
        return replace(work, unpack=work.unpack + bool(work.unpack) * iterations * chip.unpack.page_cycles)
    last = _times(device_op, finish, _output_pages(device_op), chip)
    each = _times(device_op, steps, iterations, chip, packs=_packs_each_step(device_op.dispatch))
    pack = max(each.pack, _pack_cycles(device_op, chip) * _output_pages(device_op))
    return Work(each.math + last.math, each.unpack + last.unpack, max(pack, window_cycles(device_op, chip)))


def _packs_each_step(dispatch: Loops) -> bool:
    """Whether results are packed in every step of a reduction, not once at its end."""
    return is_rowwise(dispatch) or isinstance(dispatch, WorkEstimate)


def _output_pages(device_op: DeviceOp) -> int:
    return max((device_op.core_pages(which) for which in device_op.dispatch.outputs), default=0)


def _times(
    device_op: DeviceOp, body: tuple[TileWork, ...], iterations: int, chip: ChipDesc, *, packs: bool = True
) -> Work:
    """`body` run `iterations` times; operands are unpacked for each use, results of the body stay in Dst."""
    arithmetic = unpacked = 0.0
    for op in body:
        done = replace(op, name="copy") if op.name == "typecast" and not _converts(device_op) else op
        arithmetic += op.count * tile_cycles(done, _dtype(device_op), device_op.fidelity, chip)
        unpacked += op.count * _unpack_cycles(device_op, op, chip)
    packed = _pack_cycles(device_op, chip) if body and packs else 0.0
    return Work(arithmetic * iterations, unpacked * iterations, packed * iterations)


def _dtype(device_op: DeviceOp) -> DType:
    return device_op.layouts()[0].dtype


def _unpack_cycles(device_op: DeviceOp, op: TileWork, chip: ChipDesc) -> float:
    """Two operands come through two unpackers, which share the ports of L1."""
    count = len(device_op.operands)
    sizes = [device_op.operands[i].dtype.tile_bytes for i in op.args if i < count]
    if not sizes:
        return 0.0
    return max(sum(sizes) / chip.unpack.bytes_per_cycle, chip.unpack.min_cycles_per_tile)


def _pack_cycles(device_op: DeviceOp, chip: ChipDesc) -> float:
    return sum(layout.dtype.tile_bytes for layout in device_op.results) / chip.pack.bytes_per_cycle


def _outputs(device_op: DeviceOp, blocks: MatmulBlocks) -> int:
    """Tiles of the result that the busiest core makes: blocks may give one more than its share."""
    asked = blocks.per_core_m * blocks.per_core_n
    whole = streams_weights(device_op) or asked > math.prod(per_core(device_op))
    return asked if whole else device_op.core_units


def _matmul(device_op: DeviceOp, chip: ChipDesc) -> Work:
    blocks = compute_blocks(device_op, chip)
    outputs = _outputs(device_op, blocks)
    times = sum(op.count for op in device_op.dispatch.work if op.name == "matmul")
    products = outputs * device_op.dispatch.steps * times
    epilogue = device_op.dispatch.split_work()[1]
    last = _times(device_op, epilogue, outputs, chip)
    busy = chip.matrix.matmul_cycles_per_tile.at(device_op.fidelity)
    each = busy + chip.matrix.product_overhead_cycles
    handovers = chip.matrix.subblock_cycles * blocks.k_blocks / (blocks.out_subblock_h * blocks.out_subblock_w)
    spills = DType.BF16.tile_bytes / chip.pack.bytes_per_cycle * (blocks.k_blocks - 1)
    pack = (_pack_cycles(device_op, chip) + spills) * outputs
    turned = _turned(device_op, blocks, chip)
    arithmetic = products * each + outputs * handovers + last.math + turned.math
    unpack = products * _product_unpack(device_op, blocks, chip) + last.unpack + turned.unpack
    return Work(arithmetic, unpack, pack + turned.pack, products * busy)


def _turned(device_op: DeviceOp, blocks: MatmulBlocks, chip: ChipDesc) -> Work:
    """Tiles of a transposed in0 go through Dst into a buffer of their own, block after block of what a core reads.

    Those of in1 are turned as they are unpacked, at no cost (`bmm_large_block_zm_fused_bias_activation.cpp`).
    """
    if not turns_first(device_op.op):
        return Work(0.0, 0.0, 0.0)
    tiles, size = blocks.per_core_m * blocks.k * blocks.column_blocks, device_op.operands[0].dtype.tile_bytes
    each = max(size / chip.unpack.bytes_per_cycle, chip.unpack.min_cycles_per_tile)
    cycles = tile_cycles(TileWork("transpose", (0,)), device_op.operands[0].dtype, device_op.fidelity, chip)
    return Work(tiles * cycles, tiles * each, tiles * size / chip.pack.bytes_per_cycle)


def _product_unpack(device_op: DeviceOp, blocks: MatmulBlocks, chip: ChipDesc) -> float:
    """Cycles to unpack for one tile product: one operand is new each time, the other once a run of a subblock."""
    in0, in1 = (layout.dtype.tile_bytes for layout in device_op.operands[:2])
    wide = blocks.out_subblock_w >= blocks.out_subblock_h
    fresh, kept = (in1, in0) if wide else (in0, in1)
    run = max(blocks.out_subblock_w, blocks.out_subblock_h)
    return max((fresh + kept / run) / chip.unpack.bytes_per_cycle, chip.unpack.min_cycles_per_tile)


def _attention(device_op: DeviceOp, chip: ChipDesc) -> Work:
    """Products of visible score tiles and their softmax, one after the other on the same Dst, chunk by chunk.

    What fills the last chunks is computed too.
    """
    rows, queries = device_op.core_units, device_op.dispatch.domain[-2]
    q_chunk, k_chunk = score_chunk(device_op, chip)
    rows *= math.ceil(queries / q_chunk) * q_chunk / queries
    score = core_keys(device_op, chip) * rows
    products = sum(op.count for op in device_op.dispatch.work if op.name == "matmul") / _visible_share(device_op)
    size = max(device_op.operands[i].dtype.tile_bytes for i in attention_operands(device_op))
    each = max(chip.matrix.matmul_cycles_per_tile.at(device_op.fidelity), size / chip.unpack.bytes_per_cycle)
    softmax = chip.attention.softmax_cycles_per_tile
    cycles = score * (products * each + softmax) + device_op.core_units * chip.attention.query_row_cycles
    cycles += score / (q_chunk * k_chunk) * chip.attention.chunk_cycles
    return Work(cycles, score * products * size / chip.unpack.bytes_per_cycle, 0.0, score * products * each)


def _visible_share(device_op: DeviceOp) -> float:
    return next(op.count for op in device_op.dispatch.work if op.name.startswith("reduce_"))


def core_keys(device_op: DeviceOp, chip: ChipDesc) -> float:
    """Key tiles of them that one core takes: where cores share a head, whole chunks."""
    visible, parts, chunk = visible_keys(device_op, chip), key_parts(device_op, chip), score_chunk(device_op, chip)[1]
    return visible if parts == 1 else math.ceil(visible / chunk / parts) * chunk


def visible_keys(device_op: DeviceOp, chip: ChipDesc) -> float:
    """Key tiles that a row of query tiles is scored against, whole chunks: a causal mask cuts no others off."""
    chunk, share = score_chunk(device_op, chip)[1], _visible_share(device_op)
    keys = math.ceil(device_op.dispatch.steps / chunk) * chunk
    if (visited := visited_keys(device_op, chip)) is not None:
        return min(keys, visited)
    return keys if share >= 1 else min(keys, keys * share + chunk / 2)
