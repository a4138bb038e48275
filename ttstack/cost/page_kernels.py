"""Kernels that move page by page: elementwise ops and reductions, whose readers and writers wait for each page."""

from collections.abc import Sequence

from ttstack.cost.data_stream import Stream
from ttstack.cost.overlap import soft_maximum
from ttstack.device.device_op import DeviceOp
from ttstack.device.footprint import parts
from ttstack.device.kernel_class import is_chain, is_contraction, is_local, is_rowwise
from ttstack.ops.loops import Access
from ttstack.system_desc import ChipDesc


def is_paged(device_op: DeviceOp) -> bool:
    """Whether cores take a page of each operand and give one of the result, over and over."""
    dispatch = device_op.dispatch
    products = is_contraction(dispatch) or is_chain(dispatch)
    return not products and not is_rowwise(dispatch) and all(which.access is Access.LOCAL for which in dispatch.maps)


def is_reduction(device_op: DeviceOp) -> bool:
    """Whether it is a page kernel that adds up: its reader copies tiles of a shard too, one by one."""
    return bool(device_op.dispatch.reductions) and is_paged(device_op)


def read_apart(device_op: DeviceOp) -> list[int]:
    """Operands of a page kernel that a reader brings, by position; shards are there already, but for reductions."""
    found = parts(device_op)[: len(device_op.operands)]
    brought = is_reduction(device_op)
    return [i for i, part in enumerate(found) if brought or not is_local(device_op, *part)]


def takes_turns(device_op: DeviceOp) -> bool:
    """Whether reading, computing and writing follow one another.

    Where one tensor of an op with several operands is a shard that stays in place, tt-metal gives the pages of the
    others a single buffer.
    """
    if len(device_op.operands) < 2 or not is_paged(device_op):
        return False
    local = [is_local(device_op, *part) for part in parts(device_op)]
    return any(local) and not all(local)


def contended_read_cycles(
    cycles: float, between: float, streams: Sequence[Stream], dram_cycles: float, chip: ChipDesc
) -> float:
    """Cycles of a reader that alone takes `cycles`, while others read the same memories.

    A core asks for nothing in the cycles `between` its reads, in which it computes and writes: others are served then.
    """
    remote = sum(s.noc_bytes - s.dram_bytes for s in streams)
    noc_cycles = remote / chip.noc.interleaved_read_bytes_per_cycle
    return _contended(cycles + between, dram_cycles, noc_cycles, chip) - between


def contended_write_cycles(cycles: float, streams: Sequence[Stream], dram_cycles: float, chip: ChipDesc) -> float:
    """Cycles of a writer that alone takes `cycles`, while others write to the same memories."""
    remote = sum(s.noc_bytes - s.dram_bytes for s in streams)
    return _contended(cycles, dram_cycles, remote / chip.noc.interleaved_write_bytes_per_cycle, chip)


def _contended(cycles: float, dram_cycles: float, noc_cycles: float, chip: ChipDesc) -> float:
    """Cores that wait for each page meet at random where memory and links are close to their capacity."""
    return soft_maximum((cycles, dram_cycles, noc_cycles), chip.pipeline.page_exponent)


def setup_cycles(device_op: DeviceOp, chip: ChipDesc) -> float:
    """Cycles before the first page: the addresses of operands, and the factors that sums multiply by."""
    pipeline = chip.pipeline
    if is_rowwise(device_op.dispatch):
        return pipeline.reader_cycles + pipeline.reduce_cycles
    if not is_paged(device_op):
        return 0.0
    read = len(read_apart(device_op))
    further = max(read - 1, 0) * pipeline.operand_cycles + _shards_apart(device_op) * pipeline.shard_operand_cycles
    return bool(read) * pipeline.reader_cycles + further + is_reduction(device_op) * pipeline.reduce_cycles


def _shards_apart(device_op: DeviceOp) -> int:
    """Tensors of an op with several operands that stay in place, but for one operand and the result where all do."""
    if len(device_op.operands) < 2:
        return 0
    local = [is_local(device_op, *part) for part in parts(device_op)]
    return sum(local) - 2 * all(local)
