"""The end of a kernel: what is left to write when the last block is computed."""

from collections.abc import Sequence

from ttstack.cost.data_stream import Stream
from ttstack.cost.dram_bandwidth import write_cycles
from ttstack.cost.page_kernels import contended_write_cycles, is_paged
from ttstack.device.device_op import DeviceOp
from ttstack.device.kernel_class import is_attention, is_contraction, is_matmul, keeps_rows
from ttstack.ops.loops import Access
from ttstack.system_desc import ChipDesc


def writer_cycles(device_op: DeviceOp, writes: Sequence[Stream], chip: ChipDesc) -> float:
    """Cycles to write all results; one thread of each core does, in blocks or waiting for each page."""
    cycles, taken = sum(s.cycles for s in writes), write_cycles(writes, _write_rate(device_op, chip), chip)
    return contended_write_cycles(cycles, writes, taken, chip) if is_paged(device_op) else max(cycles, taken)


def _write_rate(device_op: DeviceOp, chip: ChipDesc) -> float:
    """Bytes per second that DRAM takes of results.

    Of a product whose operands are sent on, the thread that writes is the one that reads weights, whose network carries
    writes less well.
    """
    dispatch, dram = device_op.dispatch, chip.dram
    if is_matmul(dispatch) and not keeps_rows(device_op.op):
        return dram.product_write_bytes_per_second
    in_blocks = is_contraction(dispatch) or any(which.access is Access.GATHER for which in dispatch.outputs)
    return dram.interleaved_write_bytes_per_second if in_blocks else dram.streamed_write_bytes_per_second


def tail_share(device_op: DeviceOp) -> float:
    """Share of the results whose writing no computation hides.

    Of a matrix product all: its output block has a single buffer, and the next block is computed when that is written.
    Of others the last tile of as many as a core has.
    """
    dispatch = device_op.dispatch
    if is_contraction(dispatch) and not is_attention(dispatch):
        return 1.0
    return 1 / max((1, *(device_op.core_pages(which) for which in dispatch.outputs)))
