"""Kernels of new tokens: what they do before the first weights or keys arrive, and after the last."""

import math
from dataclasses import replace

from ttstack.device.device_op import DeviceOp
from ttstack.device.footprint import dst_tiles
from ttstack.device.kernel_class import is_matmul, over_banks
from ttstack.device.matmul_blocks import MatmulBlocks
from ttstack.ops.decode import DecodeAttentionOp
from ttstack.system_desc import ChipDesc


def decode_setup_cycles(device_op: DeviceOp, chip: ChipDesc) -> float:
    """Cycles that nothing hides, of attention to a cache, and of products with weights over the banks of DRAM.

    The first finds positions and pages; the second gathers activations at the readers, and brings results back from
    them to the cores that keep them.
    """
    if isinstance(device_op.op, DecodeAttentionOp):
        return chip.attention.decode_cycles
    return chip.matrix.sharded_weights_cycles if streams_weights(device_op) else 0.0


def streams_weights(device_op: DeviceOp) -> bool:
    """Whether it is a product whose weights lie over the banks of DRAM, each read by the core next to it."""
    return is_matmul(device_op.dispatch) and over_banks(device_op.operands[1])


def compute_blocks(device_op: DeviceOp, chip: ChipDesc) -> MatmulBlocks:
    """The blocks of the cores that compute a matrix product.

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


def compute_cores(device_op: DeviceOp, chip: ChipDesc) -> int:
    """Cores that compute: all of the op's, or the readers of weights that lie over the banks of DRAM."""
    return chip.dram.num_channels if streams_weights(device_op) else device_op.cores
