"""The start of a kernel: nothing is computed before the first block of operands has arrived."""

from collections.abc import Sequence

from ttstack.cost.data_stream import Stream
from ttstack.cost.residual import late_share
from ttstack.cost.transfers import link_kind
from ttstack.device.device_op import DeviceOp
from ttstack.device.kernel_class import is_attention, is_contraction, is_matmul
from ttstack.device.matmul_blocks import MatmulBlocks
from ttstack.system_desc import ChipDesc


def first_share(device_op: DeviceOp) -> float:
    """Share of the operands' streams that is waited for: one block of as many as a core computes.

    A matrix product that takes all of K in one step has single buffers in tt-metal, and waits for every block; a norm
    with a residual reads little of its next row ahead.
    """
    dispatch = device_op.dispatch
    if is_attention(dispatch):
        return 0.0
    if is_contraction(dispatch):
        blocks = MatmulBlocks.of(device_op)
        return 1 / (blocks.k_blocks * blocks.out_blocks) if blocks.k_blocks > 1 else 1.0
    return max(1 / max(device_op.core_units * device_op.core_steps, 1), late_share(device_op))


def bias_cycles(device_op: DeviceOp, chip: ChipDesc) -> float:
    """Cycles until the row that is added to a matrix product is there: read and sent on after all of the weights."""
    if not is_matmul(device_op.dispatch) or len(device_op.operands) < 3 or device_op.operands[2].sharded:
        return 0.0
    noc, layout = chip.noc, device_op.operands[2]
    tiles, size = device_op.core_pages(device_op.dispatch.inputs[2]), layout.dtype.tile_bytes
    read = link_kind(chip, in_l1=layout.in_l1, write=False)
    return sum(kind.latency_cycles + tiles * size / noc.bytes_per_cycle(kind) for kind in (read, noc.multicast))


def first_latency(device_op: DeviceOp, reads: Sequence[Stream], chip: ChipDesc) -> float:
    """Cycles until the first data of a matrix product or of attention arrive; other readers wait for every page."""
    if not is_contraction(device_op.dispatch):
        return 0.0
    if any(s.from_dram for s in reads):
        return chip.noc.dram_read.latency_cycles
    return chip.noc.l1_read.latency_cycles if any(s.noc_bytes for s in reads) else 0.0
