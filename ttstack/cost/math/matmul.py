"""Cycles of matrix products on the core with the most work."""

import math
from dataclasses import replace

from ttstack.cost.math.work import Work, body_work, pack_cycles, tile_cycles
from ttstack.device.device_op import DeviceOp
from ttstack.device.footprint import dst_tiles
from ttstack.device.kernel_class import (
    is_matmul,
    over_banks,
    sum_dtype,
    transposes_first,
)
from ttstack.device.matmul_blocks import MatmulBlocks, per_core
from ttstack.ops.loops import TileWork
from ttstack.system_desc import ChipDesc


def streams_weights(device_op: DeviceOp) -> bool:
    """Return True for a matmul with weights over DRAM banks, each read by the adjacent core."""
    return is_matmul(device_op.dispatch) and over_banks(device_op.operands[1])


def _compute_blocks(device_op: DeviceOp, chip: ChipDesc) -> MatmulBlocks:
    """Return the blocks of the cores that compute a matrix product.

    Of weights over the banks of DRAM those are the readers, one for each bank, which fill up the columns of their bank
    to the fewest subblocks that Dst holds.
    """
    blocks = MatmulBlocks.of(device_op)
    if not streams_weights(device_op):
        return blocks
    columns = math.ceil(device_op.dispatch.domain[device_op.dispatch.parallel[-1]] / chip.dram.num_channels)
    subblocks = math.ceil(columns / dst_tiles(chip))
    width = math.ceil(columns / subblocks)
    columns = subblocks * width
    return replace(blocks, per_core_n=columns, out_block_w=columns, out_subblock_h=1, out_subblock_w=width)


def matmul_work(device_op: DeviceOp, chip: ChipDesc) -> Work:
    """Return the work of a matmul: tile products, subblock handovers, spills, and fused ops."""
    blocks = _compute_blocks(device_op, chip)
    outputs = _outputs(device_op, blocks)
    times = sum(op.count for op in device_op.dispatch.work if op.name == "matmul")
    products = outputs * device_op.dispatch.steps * times
    busy = chip.matrix.matmul_cycles_per_tile.at(device_op.fidelity)
    each, unpacked = busy + chip.matrix.product_overhead_cycles, _product_unpack(device_op, blocks, chip)
    handovers = chip.matrix.subblock_cycles * blocks.k_blocks / (blocks.out_subblock_h * blocks.out_subblock_w)
    spills = sum_dtype(device_op).tile_bytes / chip.pack.bytes_per_cycle * (blocks.k_blocks - 1)
    transposed = _transpose_work(device_op, blocks, chip)
    last = body_work(device_op, device_op.dispatch.split_work()[1], outputs, chip)
    return Work(
        products * each + outputs * handovers + last.math + transposed.math,
        products * unpacked + last.unpack + transposed.unpack,
        (pack_cycles(device_op, chip) + spills) * outputs + transposed.pack,
        products * busy,
        cores=chip.dram.num_channels if streams_weights(device_op) else device_op.cores,
    )


def _outputs(device_op: DeviceOp, blocks: MatmulBlocks) -> int:
    """Return the tiles of the result that the busiest core makes: blocks may give one more than its share."""
    asked = blocks.per_core_m * blocks.per_core_n
    whole = streams_weights(device_op) or asked > math.prod(per_core(device_op))
    return asked if whole else device_op.core_units


def _transpose_work(device_op: DeviceOp, blocks: MatmulBlocks, chip: ChipDesc) -> Work:
    """Return the work of a transposed in0, whose tiles go through Dst to a separate buffer, block by block.

    Those of in1 are transposed as they are unpacked, at no cost (`bmm_large_block_zm_fused_bias_activation.cpp`).
    """
    if not transposes_first(device_op.op):
        return Work(0.0, 0.0, 0.0)
    tiles, size = blocks.per_core_m * blocks.k * blocks.column_blocks, device_op.operands[0].dtype.tile_bytes
    each = max(size / chip.unpack.bytes_per_cycle, chip.unpack.min_cycles_per_tile)
    cycles = tile_cycles(TileWork("transpose", (0,)), device_op.operands[0].dtype, device_op.fidelity, chip)
    return Work(tiles * cycles, tiles * each, tiles * size / chip.pack.bytes_per_cycle)


def _product_unpack(device_op: DeviceOp, blocks: MatmulBlocks, chip: ChipDesc) -> float:
    """Return the unpack cycles of one tile product: one operand is always new, the other once per subblock run."""
    in0, in1 = (layout.dtype.tile_bytes for layout in device_op.operands[:2])
    wide = blocks.out_subblock_w >= blocks.out_subblock_h
    fresh, kept = (in1, in0) if wide else (in0, in1)
    run = max(blocks.out_subblock_w, blocks.out_subblock_h)
    return max((fresh + kept / run) / chip.unpack.bytes_per_cycle, chip.unpack.min_cycles_per_tile)
