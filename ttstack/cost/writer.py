"""The end of a kernel: what is left to write when the last block is computed."""

from collections.abc import Sequence

from ttstack.cost.memory import write_cycles
from ttstack.cost.stream import Stream
from ttstack.program.device_op import DeviceOp
from ttstack.program.matmul_blocks import MatmulBlocks
from ttstack.program.structure import is_attention, is_contraction
from ttstack.system_desc import ChipDesc


def writer_cycles(writes: Sequence[Stream], chip: ChipDesc) -> float:
    """Cycles to write all results; one thread of each core does."""
    return max(sum(s.cycles for s in writes), write_cycles(writes, chip))


def tail_share(device_op: DeviceOp, chip: ChipDesc) -> float:
    """Share of the results that is written after the last computation: one block of as many as a core has."""
    dispatch = device_op.dispatch
    if is_contraction(dispatch) and not is_attention(dispatch):
        return chip.pipeline.writer_tail_fraction / MatmulBlocks.of(device_op).out_blocks
    return 1 / max((1, *(device_op.core_pages(which) for which in dispatch.outputs)))
