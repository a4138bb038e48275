"""The prediction: wait for the first block, overlap streams and compute, write the last block, maybe throttle.

An op that the library runs in several calls takes their sum.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ttstack.cost.data.operand_streams import streams
from ttstack.cost.data.shared_memory import output_cycles, read_lanes, shared_cycles, takes_turns
from ttstack.cost.data.windows import copy_cycles, is_windowed_product, tilize_cycles, weights_wait_cycles
from ttstack.cost.exposed_time import (
    fill_ns,
    first_share,
    gap_ns,
    kernels_of,
    skew_ns,
    start_cycles,
    tail_share,
    throttle_ns,
)
from ttstack.cost.math.attention import attention_work
from ttstack.cost.math.matmul import matmul_work
from ttstack.cost.math.rowwise import rowwise_work
from ttstack.cost.math.work import Work, converts, peak_flops, stream_work
from ttstack.cost.mesh import exchange_ns
from ttstack.cost.movement.choose import movement_kernel
from ttstack.cost.movement.halo import halo_step
from ttstack.cost.movement.kernel import Kernel, movement_terms
from ttstack.cost.terms import Term, kernel_ns, largest
from ttstack.cost.transfers import Stream
from ttstack.device.device_op import DeviceOp
from ttstack.device.kernel_class import is_attention, is_contraction, is_free, is_rowwise
from ttstack.device.layout import Grid
from ttstack.device.reduction_kernels import TallReduction, transposed_kernels
from ttstack.device.sequences import call_sequence
from ttstack.system_desc import ChipDesc, SystemDesc


@dataclass(frozen=True, slots=True)
class Cost:
    """The predicted time of one op, its terms, and its work."""

    total_ns: float
    """Time from the start of the first core to the end of the last: the device kernel's duration."""
    gap_ns: float
    """Time from the end of the kernel to the start of the next, back to back in a trace."""
    terms: dict[Term, float]
    """Nanoseconds by term; those of chips, windows and divided rows only of ops that have such."""
    largest_term: str
    """The largest term after `counts_as`, which groups measurements; see `Term`."""
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
        """Return kernel time plus gap: the op's contribution to a traced program."""
        return self.total_ns + self.gap_ns


FREE = Cost(
    total_ns=0.0,
    gap_ns=0.0,
    terms={},
    largest_term="none",
    cores=0,
    flops=0,
    dram_bytes=0,
    noc_bytes=0,
    flops_utilisation=0.0,
    dram_utilisation=0.0,
)
"""The cost of an op that launches nothing."""


def predict(device_op: DeviceOp, chip: ChipDesc, system: SystemDesc | None = None) -> Cost:
    """Return the time of one op on one chip, from its loops, layouts and configuration.

    An op that spans the mesh of `system` runs on all of its chips at once; without a system, the chip is alone.
    """
    if is_free(device_op):
        return FREE
    kernel = movement_kernel(device_op, chip)
    priced = _move(kernel, chip) if kernel else _compute(device_op, chip, system)
    exponent = 1.0 if kernel is None and takes_turns(device_op) else None
    total = kernel_ns(priced.terms, priced.lanes, chip, exponent)
    return _cost(device_op, total, priced, chip)


@dataclass(frozen=True)
class _Priced:
    """The terms of a kernel's time, and the bytes that it moves."""

    terms: dict[Term, float]
    lanes: Mapping[Term, Sequence[float]]
    """Nanoseconds of parallel streams, for terms with several streams; see `kernel_ns`."""
    moved: Sequence[Stream]
    cores: int


def _move(kernel: Kernel, chip: ChipDesc) -> _Priced:
    """Price a kernel that only moves data."""
    terms, lanes = movement_terms(kernel, chip)
    sides = (kernel.read, kernel.write)
    moved = [Stream(0.0, side.dram_bytes, side.noc_bytes or side.dram_bytes) for side in sides]
    return _Priced(terms, lanes, moved, kernel.cores)


def _compute(device_op: DeviceOp, chip: ChipDesc, system: SystemDesc | None) -> _Priced:
    """Price a kernel that computes on its inputs."""
    work = _work(device_op, chip)
    reads, writes = streams(device_op, chip)
    tail, first = tail_share(device_op), first_share(device_op)
    written = output_cycles(device_op, writes, chip)
    between = work.busiest + written if takes_turns(device_op) else 0.0
    dram, noc = read_lanes(device_op, reads, shared_cycles(reads, writes, 1 - tail, chip), between, chip)
    arrival = max(*dram, *noc) * first
    left = [[t * (1 - first) for t in lane] for lane in (dram, noc)]
    if is_windowed_product(device_op):
        weights = max(*dram, reads[1].cycles)
        arrival = weights_wait_cycles(device_op, weights, work.busiest, chip)
        noc = [copy_cycles(device_op, reads[0].cycles, weights, chip)]
        left = [[0.0], [max(noc[0] - arrival, 0.0)]]
    tilized = tilize_cycles(device_op, chip)
    ns, cores, before = chip.cycles_to_ns(1), device_op.cores * work.parts, halo_step(device_op, chip)
    alone = start_cycles(device_op, reads, work.weights, tilized, chip)
    terms = {
        Term.COMPUTE: work.math * ns,
        Term.UNPACK: work.unpack * ns,
        Term.PACK: work.pack * ns,
        Term.DRAM: max(dram) * ns,
        Term.NOC: max(noc) * ns,
        Term.WRITER: written * ns,
        Term.WAIT: (arrival + alone) * ns,
        Term.TAIL: (written * tail + work.merge) * ns,
        Term.FILL: fill_ns(device_op, chip),
        Term.SKEW: skew_ns(cores, chip) if any(s.noc_bytes for s in (*reads, *writes)) else 0.0,
        Term.THROTTLE: throttle_ns(work.products * ns, work.cores, chip),
        **exchange_ns(device_op, chip, system),
    }
    if before.ns:
        terms[Term.HALO] = before.ns
    if work.exchange > 0:
        terms[Term.EXCHANGE] = work.exchange * ns
    lanes = {
        **{term: [t * ns for t in lane] for term, lane in zip((Term.DRAM, Term.NOC), left, strict=True)},
        Term.WRITER: [written * (1 - tail) * ns],
    }
    return _Priced(terms, lanes, (*reads, *writes, before.stream), cores)


def _work(device_op: DeviceOp, chip: ChipDesc) -> Work:
    """Return the cycles of the core with the most work, by the kind of kernel, if operands are there in time."""
    dispatch = device_op.dispatch
    if is_attention(dispatch):
        return attention_work(device_op, chip)
    if is_contraction(dispatch):
        return matmul_work(device_op, chip)
    if is_rowwise(dispatch):
        return rowwise_work(device_op, chip)
    if dispatch.moves_only and not converts(device_op):
        return Work(0.0, 0.0, 0.0)
    return stream_work(device_op, chip)


def _cost(device_op: DeviceOp, total: float, priced: _Priced, chip: ChipDesc) -> Cost:
    gap = gap_ns(total, chip, kernels_of(device_op))
    terms = priced.terms | {Term.GAP: gap}
    flops = device_op.op.flops()
    dram_bytes = sum(s.dram_bytes for s in priced.moved)
    seconds = total * 1e-9
    return Cost(
        total_ns=total,
        gap_ns=gap,
        terms=terms,
        largest_term=largest(terms),
        cores=priced.cores,
        flops=flops,
        dram_bytes=round(dram_bytes),
        noc_bytes=round(sum(s.noc_bytes for s in priced.moved)),
        flops_utilisation=flops / (seconds * peak_flops(device_op.fidelity, chip)),
        dram_utilisation=dram_bytes / (seconds * chip.dram.peak_bytes_per_second),
    )


def predict_calls(device_op: DeviceOp, chip: ChipDesc, system: SystemDesc | None = None) -> Cost:
    """Return the time of all calls of an op: one call usually, none if its operand is its result."""
    return in_turn(device_op, [cost for _, cost in call_costs(device_op, chip, system)], chip)


def in_turn(device_op: DeviceOp, costs: Sequence[Cost], chip: ChipDesc) -> Cost:
    """Return the time of an op whose calls take these times."""
    if not costs:
        return FREE
    return costs[0] if len(costs) == 1 else _sum(device_op, costs, chip)


def call_costs(device_op: DeviceOp, chip: ChipDesc, system: SystemDesc | None = None) -> list[tuple[DeviceOp, Cost]]:
    """Return the calls of an op, in order, with their predicted times; views among them launch nothing."""
    sequence = call_sequence(device_op, chip)
    if sequence is None:
        return _kernel_costs(device_op, chip, system)
    return [
        priced
        for step in sequence.steps
        for priced in (_kernel_costs if step.own else call_costs)(step.device_op, chip, system)
    ]


def _kernel_costs(device_op: DeviceOp, chip: ChipDesc, system: SystemDesc | None) -> list[tuple[DeviceOp, Cost]]:
    """Return the predicted costs of one call, per kernel."""
    device = Grid(*chip.grid)
    tall = TallReduction.of(device_op, device)
    kernels = transposed_kernels(device_op, device) if tall is None else tall.kernels(device_op, device)
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
        largest_term=largest(terms) if terms else "none",
        cores=max(cost.cores for cost in costs),
        flops=flops,
        dram_bytes=dram_bytes,
        noc_bytes=sum(cost.noc_bytes for cost in costs),
        flops_utilisation=flops / (seconds * peak_flops(device_op.fidelity, chip)) if seconds else 0.0,
        dram_utilisation=dram_bytes / (seconds * chip.dram.peak_bytes_per_second) if seconds else 0.0,
    )
