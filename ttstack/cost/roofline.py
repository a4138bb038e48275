"""The least time that the peaks allow: tt-metal's PM IDEAL."""

from ttstack.cost.units import peak_flops
from ttstack.program.device_op import DeviceOp
from ttstack.program.structure import is_contraction, is_free
from ttstack.system_desc import ChipDesc


def roofline(device_op: DeviceOp, chip: ChipDesc) -> float:
    """Nanoseconds: matrix FLOPs at the fidelity's peak or DRAM bytes, whichever takes longer.

    Each tensor counts once; of an operand that the op changes, as much as it writes.
    """
    if is_free(device_op):
        return 0.0
    flops = device_op.op.flops() if is_contraction(device_op.dispatch) else 0
    changed, written = device_op.op.mutated_operands, device_op.op.written()
    nbytes = sum(
        layout.nbytes(t) * (min(1.0, written / max(t.size, 1)) if i in changed else 1)
        for i, (t, layout) in enumerate(zip(device_op.types(), device_op.layouts(), strict=True))
        if not (layout.in_l1 or layout.on_host)
    )
    return 1e9 * max(flops / peak_flops(device_op.fidelity, chip), nbytes / chip.dram.peak_bytes_per_second)
