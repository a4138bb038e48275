"""The prediction: wait for the first block, overlap streams and compute, write the last block, maybe throttle."""

from collections.abc import Sequence

from ttstack.cost.compute import compute
from ttstack.cost.data_stream import Stream
from ttstack.cost.decode_setup import compute_cores, decode_setup_cycles
from ttstack.cost.dram_bandwidth import shared_cycles
from ttstack.cost.halo import halo_step
from ttstack.cost.key_split import key_parts, merge_cycles
from ttstack.cost.launch import fill_ns, gap_ns, kernels_of, skew_ns
from ttstack.cost.mesh_traffic import exchange_ns
from ttstack.cost.movement.choose import movement_kernel
from ttstack.cost.movement.kernel import Kernel
from ttstack.cost.movement.price import movement_terms
from ttstack.cost.norm_reduction import row_exchange_cycles
from ttstack.cost.operand_streams import streams
from ttstack.cost.page_kernels import contended_read_cycles, is_paged, setup_cycles, takes_turns
from ttstack.cost.prologue import bias_cycles, first_latency, first_share
from ttstack.cost.result import FREE, Cost
from ttstack.cost.row_kernels import weights_cycles
from ttstack.cost.terms import Term, kernel_ns, largest
from ttstack.cost.throttle import throttle_ns
from ttstack.cost.units import peak_flops
from ttstack.cost.window import copy_cycles, is_windowed_product, tilize_cycles, weights_wait_cycles
from ttstack.cost.writer import tail_share, writer_cycles
from ttstack.device.device_op import DeviceOp
from ttstack.device.kernel_class import is_free
from ttstack.system_desc import ChipDesc, SystemDesc


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
    written = writer_cycles(device_op, writes, chip)
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
