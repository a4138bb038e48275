"""The start of a kernel: nothing is computed before the first block of operands has arrived."""

from ttstack.program.device_op import DeviceOp
from ttstack.program.matmul_blocks import MatmulBlocks
from ttstack.program.structure import is_attention, is_contraction


def first_share(device_op: DeviceOp) -> float:
    """Share of the operands' streams that is waited for: one block of as many as a core computes.

    A matrix product that takes all of K in one step has single buffers in tt-metal, and waits for every block.
    """
    dispatch = device_op.dispatch
    if is_attention(dispatch):
        return 0.0
    if is_contraction(dispatch):
        blocks = MatmulBlocks.of(device_op)
        return 1 / (blocks.k_blocks * blocks.out_blocks) if blocks.k_blocks > 1 else 1.0
    return 1 / max(device_op.core_units * device_op.core_steps, 1)
