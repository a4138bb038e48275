"""Cores of a train: rows of the first are picked one by one, slices of the others are read once for all lookups.

Each core of the chip has the lookups that fall to its share of the slices. Where they fall to another's for the next
core of the train, their partial products are sent there. Slices that are sharded over the chip are multiplied where
they lie, by as many cores as have any; others are divided evenly, and read unless each core has them all.
"""

from dataclasses import replace

from ttstack.cost.transfers import Stream
from ttstack.device.device_op import DeviceOp
from ttstack.device.kernel_class import is_at_hand
from ttstack.device.layout import Layout, MemoryLayout
from ttstack.ops.generic import chain_of
from ttstack.ops.loops import TileWork
from ttstack.ops.tensor_train_chain import Chain
from ttstack.ops.types import TILE, TensorType
from ttstack.system_desc import ChipDesc


def core_stream(device_op: DeviceOp, number: int, t: TensorType, layout: Layout, chip: ChipDesc) -> Stream:
    """Return the stream of the busiest core's reader for core `number` of the train."""
    at_hand = is_at_hand(device_op, layout)
    nbytes = core_bytes(device_op, number, t, layout)
    share = _share(device_op, number)
    kind = chip.noc.local if at_hand else chip.noc.link(in_l1=layout.in_l1, write=False)
    grouping = _chain(device_op).stages[0].slices * share * chip.gather.index_cycles
    if number == 0:
        width = layout.page_bytes(t)
        waits = kind.latency_cycles / max(chip.gather.rows_in_flight, 1)
        row = max(kind.issue_cycles, width / chip.noc.bytes_per_cycle(kind), waits)
        return _stream(nbytes / width * share * row + grouping, 0 if at_hand else nbytes, layout)
    if at_hand:
        nbytes = 0
    read = chip.noc.transfer_cycles(nbytes * share, layout.page_bytes(t), kind, chip.riscv.page_cycles)
    sent = _sent_bytes(device_op, number, layout) if number > 1 else 0.0
    row_bytes = t.shape[1] * layout.dtype.tile_bytes / TILE**2
    exchange = chip.noc.transfer_cycles(sent * share, row_bytes, chip.noc.l1_write, 0.0)
    return _stream(read + exchange + grouping, nbytes, layout, sent)


def busiest(device_op: DeviceOp) -> tuple[TileWork, ...]:
    """Return the op's tile ops, those of a stage as often as the core does them that has most of its slices."""
    body, stages = device_op.dispatch.work, len(_chain(device_op).stages)
    even = _even(device_op)
    times = [_share(device_op, number) / even for number in range(1, stages) for _ in ("group", "matmul")]
    return tuple(replace(op, count=op.count * n) for op, n in zip(body, times, strict=False)) + body[len(times) :]


def _share(device_op: DeviceOp, number: int) -> float:
    """Return the share of core `number`'s slices, or of their rows, on the busiest core of the chip."""
    at = _chain(device_op).first + number
    t, layout = device_op.op.operands[at], device_op.operands[at]
    even = _even(device_op)
    if layout.memory_layout is not MemoryLayout.HEIGHT_SHARDED or not is_at_hand(device_op, layout):
        return even
    return max(even, layout.shard(t)[0] / layout.matrix(t)[0])


def _even(device_op: DeviceOp) -> float:
    return device_op.core_units / max(device_op.dispatch.units, 1)


def core_bytes(device_op: DeviceOp, number: int, t: TensorType, layout: Layout) -> float:
    """Return the bytes that are read of core `number` of the train, by all cores of the chip."""
    return layout.nbytes(t) / t.shape[0] * _chain(device_op).stages[number].slices


def _sent_bytes(device_op: DeviceOp, number: int, layout: Layout) -> float:
    op = _chain(device_op)
    return op.stages[number].rows * op.train.plan.ranks[number] * layout.dtype.tile_bytes / TILE**2


def _stream(cycles: float, nbytes: float, layout: Layout, sent: float = 0.0) -> Stream:
    return Stream(cycles, dram_bytes=0 if layout.in_l1 else nbytes, noc_bytes=nbytes + sent)


def _chain(device_op: DeviceOp) -> Chain:
    chain = chain_of(device_op.op)
    assert chain is not None, device_op.op.mnemonic
    return chain
