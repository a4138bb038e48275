"""The prediction of an op that the library is asked for in several calls: they follow one another."""

from collections.abc import Sequence

from ttstack.cost.model import predict
from ttstack.cost.result import FREE, Cost
from ttstack.cost.terms import Term, largest
from ttstack.cost.units import peak_flops
from ttstack.device.device_op import DeviceOp
from ttstack.device.layout import Grid
from ttstack.device.sequences import call_sequence
from ttstack.device.tall_reduction import TallReduction
from ttstack.device.turned_reduction import turned_kernels
from ttstack.system_desc import ChipDesc, SystemDesc


def predict_calls(device_op: DeviceOp, chip: ChipDesc, system: SystemDesc | None = None) -> Cost:
    """Time of all calls that an op becomes: its own where it is one, none where its operand is its result."""
    return in_turn(device_op, [cost for _, cost in call_costs(device_op, chip, system)], chip)


def in_turn(device_op: DeviceOp, costs: Sequence[Cost], chip: ChipDesc) -> Cost:
    """The time of an op whose calls take these times."""
    if not costs:
        return FREE
    return costs[0] if len(costs) == 1 else _sum(device_op, costs, chip)


def call_costs(device_op: DeviceOp, chip: ChipDesc, system: SystemDesc | None = None) -> list[tuple[DeviceOp, Cost]]:
    """The calls that an op becomes, in order, and what each is predicted to take; views among them launch nothing."""
    sequence = call_sequence(device_op, chip)
    if sequence is None:
        return _kernel_costs(device_op, chip, system)
    return [
        priced
        for step in sequence.steps
        for priced in (_kernel_costs if step.own else call_costs)(step.device_op, chip, system)
    ]


def _kernel_costs(device_op: DeviceOp, chip: ChipDesc, system: SystemDesc | None) -> list[tuple[DeviceOp, Cost]]:
    """What one call is predicted to take, a kernel at a time."""
    device = Grid(*chip.grid)
    tall = TallReduction.of(device_op, device)
    kernels = turned_kernels(device_op, device) if tall is None else tall.kernels(device_op, device)
    return [(kernel, predict(kernel, chip, system)) for kernel in kernels or (device_op,)]


def _sum(device_op: DeviceOp, costs: Sequence[Cost], chip: ChipDesc) -> Cost:
    terms: dict[Term, float] = {}
    for cost in costs:
        for term, ns in cost.terms.items():
            terms[term] = terms.get(term, 0.0) + ns
    total, flops = sum(cost.total_ns for cost in costs), device_op.op.flops()
    dram_bytes, seconds = sum(cost.dram_bytes for cost in costs), total * 1e-9
    return Cost(
        total_ns=total,
        gap_ns=sum(cost.gap_ns for cost in costs),
        terms=terms,
        bound=largest(terms) if terms else "none",
        cores=max(cost.cores for cost in costs),
        flops=flops,
        dram_bytes=dram_bytes,
        noc_bytes=sum(cost.noc_bytes for cost in costs),
        flops_utilisation=flops / (seconds * peak_flops(device_op.fidelity, chip)) if seconds else 0.0,
        dram_utilisation=dram_bytes / (seconds * chip.dram.peak_bytes_per_second) if seconds else 0.0,
    )
