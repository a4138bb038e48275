"""How often a core reads an operand again because its blocks do not all fit."""

import math

from ttstack.cost.compute import visible_keys
from ttstack.cost.visited import visited_share
from ttstack.device.device_op import DeviceOp, Spread
from ttstack.device.footprint import attention_chunks, row_block
from ttstack.device.kernel_class import attention_masks, is_attention, is_contraction, is_rowwise, row_passes
from ttstack.device.matmul_blocks import MatmulBlocks
from ttstack.ops.block_sparse import BlockSparseAttention
from ttstack.ops.loops import IndexingMap
from ttstack.ops.windows import WindowOp
from ttstack.system_desc import ChipDesc


def rereads(device_op: DeviceOp, index: int, which: IndexingMap, chip: ChipDesc) -> float:
    """Times that each core reads its part of operand `index`; below 1 where a mask hides some of it.

    A core of a convolution whose rows are divided holds all weights, whatever blocks of pixels it multiplies by them.
    """
    dispatch = device_op.dispatch
    if is_attention(dispatch):
        return visited_share(device_op, chip) if _is_mask(device_op, index) else _attention(device_op, which, chip)
    if is_contraction(dispatch):
        blocks = MatmulBlocks.of(device_op)
        if index == 1 and device_op.spread is Spread.ROWS and isinstance(device_op.op, WindowOp):
            return 1
        return (blocks.column_blocks, blocks.row_blocks, 1)[min(index, 2)]
    if is_rowwise(dispatch) and row_block(device_op) < device_op.core_steps:
        return row_passes(dispatch)
    return 1


def _is_mask(device_op: DeviceOp, index: int) -> bool:
    """Whether it is a mask of which the blocks that are visited are read."""
    return isinstance(device_op.op, BlockSparseAttention) and index in attention_masks(device_op.op)


def _attention(device_op: DeviceOp, which: IndexingMap, chip: ChipDesc) -> float:
    """Keys and values pass by once for each chunk of queries, a mask for each head."""
    if not set(which.loops).intersection(device_op.dispatch.reductions):
        return 1
    *outer, last = device_op.dispatch.parallel
    chunks = -(-device_op.core_domain[last] // attention_chunks(device_op, chip)[0]) if last not in which.loops else 1
    chunks *= math.prod(device_op.core_domain[i] for i in outer if i not in which.loops)
    return chunks * visible_keys(device_op, chip) / max(device_op.dispatch.steps, 1)
