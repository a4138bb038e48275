"""The start of a kernel: nothing is computed before the first block of operands has arrived."""

from collections.abc import Sequence

from ttstack.cost.data_stream import Stream
from ttstack.device.device_op import DeviceOp
from ttstack.device.kernel_class import is_attention, is_contraction
from ttstack.device.matmul_blocks import MatmulBlocks
from ttstack.system_desc import ChipDesc


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


def first_latency(device_op: DeviceOp, reads: Sequence[Stream], chip: ChipDesc) -> float:
    """Cycles until the first data of a matrix product or of attention arrive; other readers wait for every page."""
    if not is_contraction(device_op.dispatch):
        return 0.0
    if any(s.from_dram for s in reads):
        return chip.noc.dram_read.latency_cycles
    return chip.noc.l1_read.latency_cycles if any(s.noc_bytes for s in reads) else 0.0
