"""The least time that the peaks allow: tt-metal's PM IDEAL."""

from ttstack.cost.data.gather import moved_bytes, picked_bytes
from ttstack.cost.math.work import peak_flops
from ttstack.cost.tensor_train import core_bytes
from ttstack.device.device_op import DeviceOp
from ttstack.device.footprint import parts
from ttstack.device.kernel_class import is_chain, is_contraction, is_free
from ttstack.device.layout import Layout
from ttstack.ops.generic import chain_of
from ttstack.ops.loops import Access, IndexingMap
from ttstack.ops.types import TensorType
from ttstack.system_desc import ChipDesc


def roofline(device_op: DeviceOp, chip: ChipDesc) -> float:
    """Return the nanoseconds of matrix FLOPs at the fidelity's peak or of DRAM bytes, whichever is longer.

    Each tensor counts once; of an operand that the op changes or takes parts of, as much as it writes or takes.
    """
    if is_free(device_op):
        return 0.0
    multiplies = is_contraction(device_op.dispatch) or is_chain(device_op.dispatch)
    flops = device_op.op.flops() if multiplies else 0
    changed, written = device_op.op.mutated_operands, device_op.op.written_elements()
    nbytes = sum(
        layout.nbytes(t) * min(1.0, written / max(t.size, 1))
        if i in changed
        else _read_bytes(device_op, i, which, t, layout)
        for i, (which, t, layout) in enumerate(parts(device_op))
        if not (layout.in_l1 or layout.on_host)
    )
    return 1e9 * max(flops / peak_flops(device_op.fidelity, chip), nbytes / chip.dram.peak_bytes_per_second)


def _read_bytes(device_op: DeviceOp, index: int, which: IndexingMap, t: TensorType, layout: Layout) -> float:
    if which.access is Access.INDIRECT and (chain := chain_of(device_op.op)):
        return core_bytes(device_op, index - chain.first, t, layout)
    if which.access is Access.INDIRECT:
        return min(picked_bytes(device_op, which, t, layout), layout.nbytes(t))
    return moved_bytes(device_op, t, layout) if which.access is Access.GATHER else layout.nbytes(t)
