"""What the core with the most work computes, by the kind of kernel."""

from dataclasses import replace

from ttstack.cost.math.attention import attention_work
from ttstack.cost.math.matmul import matmul_work
from ttstack.cost.math.rowwise import row_cycles
from ttstack.cost.math.work import Work, body_work, converts, pack_cycles
from ttstack.cost.tensor_train import busiest
from ttstack.device.device_op import DeviceOp
from ttstack.device.halo import Halo
from ttstack.device.kernel_class import is_attention, is_contraction, is_rowwise
from ttstack.ops.generic import chain_of
from ttstack.ops.loops import Loops
from ttstack.ops.types import TILE
from ttstack.ops.work_estimate import WorkEstimate
from ttstack.system_desc import ChipDesc


def compute(device_op: DeviceOp, chip: ChipDesc) -> Work:
    """Cycles of the core with the most work, if operands are there in time."""
    dispatch = device_op.dispatch
    if is_attention(dispatch):
        return attention_work(device_op, chip)
    if is_contraction(dispatch):
        return matmul_work(device_op, chip)
    if is_rowwise(dispatch):
        return Work(row_cycles(device_op, chip), 0.0, 0.0)
    if dispatch.moves_only and not converts(device_op):
        return Work(0.0, 0.0, 0.0)
    return _stream(device_op, chip)


def _stream(device_op: DeviceOp, chip: ChipDesc) -> Work:
    steps, finish = device_op.dispatch.split_work()
    iterations = device_op.core_units * device_op.core_steps
    if chain_of(device_op.op):
        return body_work(device_op, busiest(device_op), iterations, chip)
    if not device_op.dispatch.reductions:
        work = body_work(device_op, steps + finish, iterations, chip)
        return replace(work, unpack=work.unpack + bool(work.unpack) * iterations * chip.unpack.page_cycles)
    last = body_work(device_op, finish, _output_pages(device_op), chip)
    each = body_work(device_op, steps, iterations, chip, packs=_packs_each_step(device_op.dispatch))
    pack = max(each.pack, pack_cycles(device_op, chip) * _output_pages(device_op))
    return Work(each.math + last.math, each.unpack + last.unpack, max(pack, window_cycles(device_op, chip)))


def _packs_each_step(dispatch: Loops) -> bool:
    """Whether results are packed in every step of a reduction, not once at its end."""
    return is_rowwise(dispatch) or isinstance(dispatch, WorkEstimate)


def _output_pages(device_op: DeviceOp) -> int:
    return max((device_op.core_pages(which) for which in device_op.dispatch.outputs), default=0)


def window_cycles(device_op: DeviceOp, chip: ChipDesc) -> float:
    """Cycles in which a pool packs its results: each window by itself, which takes what a row of tiles does."""
    if Halo.of(device_op) is None:
        return 0.0
    return device_op.core_domain[0] * TILE * chip.movement.untilize_row_cycles
