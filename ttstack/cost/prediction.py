"""The prediction: wait for the first block, overlap streams and compute, write the last block, maybe throttle.

An op that the library runs in several calls takes their sum.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from ttstack.cost.data.operand_streams import streams
from ttstack.cost.data.shared_memory import contended_read_cycles, output_cycles, shared_cycles, takes_turns
from ttstack.cost.data.windows import copy_cycles, is_windowed_product, tilize_cycles, weights_wait_cycles
from ttstack.cost.exposed_time import (
    bias_cycles,
    decode_setup_cycles,
    fill_ns,
    first_latency,
    first_share,
    gap_ns,
    kernels_of,
    setup_cycles,
    skew_ns,
    tail_share,
    throttle_ns,
)
from ttstack.cost.math.attention import key_parts, merge_cycles
from ttstack.cost.math.compute import compute
from ttstack.cost.math.matmul import compute_cores
from ttstack.cost.math.rowwise import row_exchange_cycles, weights_cycles
from ttstack.cost.math.work import peak_flops
from ttstack.cost.mesh import exchange_ns
from ttstack.cost.movement.choose import movement_kernel
from ttstack.cost.movement.halo import halo_step
from ttstack.cost.movement.kernel import Kernel, movement_terms
from ttstack.cost.terms import Term, kernel_ns, largest
from ttstack.cost.transfers import Stream
from ttstack.device.device_op import DeviceOp
from ttstack.device.kernel_class import is_free, is_paged
from ttstack.device.layout import Grid
from ttstack.device.sequences import call_sequence
from ttstack.device.tall_reduction import TallReduction
from ttstack.device.turned_reduction import turned_kernels
from ttstack.system_desc import ChipDesc, SystemDesc


@dataclass(frozen=True, slots=True)
class Cost:
    """The predicted time of one op, what it consists of, and the work that it does."""

    total_ns: float
    """From the start of the first core to the end of the last: the device kernel's duration."""
    gap_ns: float
    """From the end of the kernel to the start of the next, back to back in a trace."""
    terms: dict[Term, float]
    """Nanoseconds by term; those of chips, windows and divided rows only of ops that have such."""
    bound: str
    """The largest of what terms count as; see `Term`."""
    cores: int
    flops: int
    dram_bytes: int
    """Read from and written to DRAM."""
    noc_bytes: int
    """Sent over the networks on chip, DRAM traffic included; a multicast counts once."""
    flops_utilisation: float
    """Share of the chip's matrix peak at the op's fidelity."""
    dram_utilisation: float
    """Share of the DRAM peak."""

    @property
    def elapsed_ns(self) -> float:
        """Kernel and gap: what the op adds to a traced program."""
        return self.total_ns + self.gap_ns


FREE = Cost(
    total_ns=0.0,
    gap_ns=0.0,
    terms={},
    bound="none",
    cores=0,
    flops=0,
    dram_bytes=0,
    noc_bytes=0,
    flops_utilisation=0.0,
    dram_utilisation=0.0,
)
"""The cost of an op that launches nothing."""


def predict(device_op: DeviceOp, chip: ChipDesc, system: SystemDesc | None = None) -> Cost:
    """Time of one op on one chip, from its loops, layouts and configuration.

    An op that spans the mesh of `system` runs on all of its chips at once; without a system, the chip is alone.
    """
    if is_free(device_op):
        return FREE
    if kernel := movement_kernel(device_op, chip):
        return _moved(device_op, kernel, chip)
    work = compute(device_op, chip)
    reads, writes = streams(device_op, chip)
    tail, first = tail_share(device_op), first_share(device_op)
    written = output_cycles(device_op, writes, chip)
    dram, noc = _lanes(reads)
    least = shared_cycles(reads, writes, 1 - tail, chip)
    if is_paged(device_op):
        dram, noc = [0.0], [0.0]
        lane = dram if any(s.from_dram for s in reads) else noc
        alone, between = sum(s.cycles for s in reads), work.busiest + written if takes_turns(device_op) else 0.0
        lane[0] = contended_read_cycles(alone, between, reads, least if lane is dram else 0.0, chip)
    else:
        _share_dram(dram, least)
    ns, parts = chip.cycles_to_ns(1), key_parts(device_op, chip)
    cores, multiplying = device_op.cores * parts, compute_cores(device_op, chip) * parts
    arrival, before = max(*dram, *noc) * first, halo_step(device_op, chip)
    left = [[t * (1 - first) for t in lane] for lane in (dram, noc)]
    if is_windowed_product(device_op):
        weights = max(*dram, reads[1].cycles)
        arrival = weights_wait_cycles(device_op, weights, work.busiest, chip)
        noc = [copy_cycles(device_op, reads[0].cycles, weights, chip)]
        left = [[0.0], [max(noc[0] - arrival, 0.0)]]
    alone = first_latency(device_op, reads, chip) + weights_cycles(device_op, chip) + tilize_cycles(device_op, chip)
    alone += bias_cycles(device_op, chip)
    terms = {
        Term.COMPUTE: work.math * ns,
        Term.UNPACK: work.unpack * ns,
        Term.PACK: work.pack * ns,
        Term.DRAM: max(dram) * ns,
        Term.NOC: max(noc) * ns,
        Term.WRITER: written * ns,
        Term.WAIT: (arrival + alone) * ns,
        Term.TAIL: (written * tail + merge_cycles(device_op, chip)) * ns,
        Term.FILL: fill_ns(chip) + (setup_cycles(device_op, chip) + decode_setup_cycles(device_op, chip)) * ns,
        Term.SKEW: skew_ns(cores, chip) if any(s.noc_bytes for s in (*reads, *writes)) else 0.0,
        Term.THROTTLE: throttle_ns(work.products * ns, multiplying, chip),
        **exchange_ns(device_op, chip, system),
    }
    if before.ns:
        terms[Term.HALO] = before.ns
    if (exchanged := row_exchange_cycles(device_op, chip)) > 0:
        terms[Term.EXCHANGE] = exchanged * ns
    lanes = {
        **{term: [t * ns for t in lane] for term, lane in zip((Term.DRAM, Term.NOC), left, strict=True)},
        Term.WRITER: [written * (1 - tail) * ns],
    }
    total = kernel_ns(terms, lanes, chip, exponent=1.0 if takes_turns(device_op) else None)
    return _cost(device_op, total, terms, (*reads, *writes, before.stream), cores, chip)


def _moved(device_op: DeviceOp, kernel: Kernel, chip: ChipDesc) -> Cost:
    terms, lanes = movement_terms(kernel, chip)
    sides = (kernel.read, kernel.write)
    moved = [Stream(0.0, side.dram_bytes, side.noc_bytes or side.dram_bytes) for side in sides]
    return _cost(device_op, kernel_ns(terms, lanes, chip), terms, moved, kernel.cores, chip)


def _lanes(reads: Sequence[Stream]) -> tuple[list[float], list[float]]:
    """Cycles of what is read side by side, from DRAM and over the networks alone; one reader takes operands in turn."""
    in_turn = [s for s in reads if not s.own_thread]
    dram, noc = [0.0], [0.0]
    for lane in (in_turn, *([s] for s in reads if s.own_thread)):
        (dram if any(s.dram_bytes for s in lane) else noc).append(sum(s.cycles for s in lane))
    return dram, noc


def _share_dram(dram: list[float], least: float) -> None:
    """The slowest DRAM lane takes at least as long as the memory needs for all of them."""
    slowest = max(range(len(dram)), key=dram.__getitem__)
    dram[slowest] = max(dram[slowest], least)


def _cost(
    device_op: DeviceOp,
    total: float,
    terms: dict[Term, float],
    moved: Sequence[Stream],
    cores: int,
    chip: ChipDesc,
) -> Cost:
    terms[Term.GAP] = gap_ns(total, chip, kernels_of(device_op))
    flops = device_op.op.flops()
    dram_bytes = sum(s.dram_bytes for s in moved)
    seconds = total * 1e-9
    return Cost(
        total_ns=total,
        gap_ns=terms[Term.GAP],
        terms=terms,
        bound=largest(terms),
        cores=cores,
        flops=flops,
        dram_bytes=round(dram_bytes),
        noc_bytes=round(sum(s.noc_bytes for s in moved)),
        flops_utilisation=flops / (seconds * peak_flops(device_op.fidelity, chip)),
        dram_utilisation=dram_bytes / (seconds * chip.dram.peak_bytes_per_second),
    )


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
