"""Cores of a train: rows of the first are picked one by one, slices of the others are read once for all lookups.

Each core of the chip has the lookups that fall to its share of the slices. Where they fall to another's for the next
core of the train, their partial products are sent there.
"""

from ttstack.cost.stream import Stream
from ttstack.cost.transfers import link_kind, transfer_cycles
from ttstack.ops.tensor_train import Contraction
from ttstack.ops.types import TILE, TensorType
from ttstack.program.device_op import DeviceOp
from ttstack.program.layout import Layout
from ttstack.system_desc import ChipDesc


def core_stream(device_op: DeviceOp, number: int, t: TensorType, layout: Layout, chip: ChipDesc) -> Stream:
    """What the reader of the busiest core does for core `number` of the train."""
    nbytes = core_bytes(device_op, number, t, layout)
    share = device_op.core_units / max(device_op.dispatch.units, 1)
    kind = link_kind(chip, in_l1=layout.in_l1, write=False)
    grouping = _chain(device_op).stages[0].slices * share * chip.gather.index_cycles
    if number == 0:
        width = layout.page_bytes(t)
        waits = kind.latency_cycles / max(chip.gather.rows_in_flight, 1)
        row = max(kind.issue_cycles, width / kind.bytes_per_cycle, waits)
        return _stream(nbytes / width * share * row + grouping, nbytes, layout)
    read = transfer_cycles(nbytes * share, layout.page_bytes(t), kind, chip.riscv.page_cycles)
    sent = _sent_bytes(device_op, number, layout) if number > 1 else 0.0
    row_bytes = t.shape[1] * layout.dtype.tile_bytes / TILE**2
    exchange = transfer_cycles(sent * share, row_bytes, chip.noc.l1_write, 0.0)
    return _stream(read + exchange + grouping, nbytes, layout, sent)


def core_bytes(device_op: DeviceOp, number: int, t: TensorType, layout: Layout) -> float:
    """Bytes that are read of core `number` of the train, by all cores of the chip."""
    return layout.nbytes(t) / t.shape[0] * _chain(device_op).stages[number].slices


def _sent_bytes(device_op: DeviceOp, number: int, layout: Layout) -> float:
    op = _chain(device_op)
    return op.stages[number].rows * op.train.plan.ranks[number] * layout.dtype.tile_bytes / TILE**2


def _stream(cycles: float, nbytes: float, layout: Layout, sent: float = 0.0) -> Stream:
    return Stream(cycles, dram_bytes=0 if layout.in_l1 else nbytes, noc_bytes=nbytes + sent)


def _chain(device_op: DeviceOp) -> Contraction:
    op = device_op.op
    assert isinstance(op, Contraction), op.mnemonic
    return op
