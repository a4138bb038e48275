"""The prediction: wait for the first block, overlap streams and compute, write the last block, maybe throttle."""

from collections.abc import Sequence

from ttstack.cost.compute import compute
from ttstack.cost.exchange import exchange_ns
from ttstack.cost.halo import halo_step
from ttstack.cost.key_split import key_parts, merge_cycles
from ttstack.cost.launch import fill_ns, gap_ns, kernels_of, skew_ns
from ttstack.cost.memory import shared_cycles
from ttstack.cost.overlap import soft_maximum
from ttstack.cost.prologue import first_latency, first_share
from ttstack.cost.record import FREE, Cost
from ttstack.cost.row_exchange import row_exchange_cycles
from ttstack.cost.stream import Stream
from ttstack.cost.streams import streams
from ttstack.cost.throttle import throttle_ns
from ttstack.cost.units import peak_flops
from ttstack.cost.writer import tail_share, writer_cycles
from ttstack.program.device_op import DeviceOp
from ttstack.program.structure import is_free
from ttstack.system_desc import ChipDesc, SystemDesc

STARTING = ("fill", "skew", "gap")
"""Terms that are there however little the op does; in `Cost.bound` they count together, as `launch`."""

OVERLAPPING = ("compute", "unpack", "pack", "dram", "noc", "writer", "ethernet", "pcie")
"""Terms that hide one another; the last two are those of ops that span the mesh."""

ADDED = ("halo", "wait", "tail", "exchange", "fill", "skew", "throttle")
"""Terms that nothing hides; the first is a kernel of its own, before that of a convolution or pool."""

TERMS = (*OVERLAPPING, *ADDED, "gap")
"""All of them, in the order of reports."""


def predict(device_op: DeviceOp, chip: ChipDesc, system: SystemDesc | None = None) -> Cost:
    """Time of one op on one chip, from its loops, layouts and configuration.

    An op that spans the mesh of `system` runs on all of its chips at once; without a system, the chip is alone.
    """
    if is_free(device_op):
        return FREE
    work = compute(device_op, chip)
    reads, writes = streams(device_op, chip)
    tail, first = tail_share(device_op), first_share(device_op)
    written = writer_cycles(device_op, writes, chip)
    dram, noc = _lanes(reads)
    _share_dram(dram, shared_cycles(reads, writes, 1 - tail, chip))
    arrival = max(*dram, *noc)
    ns, cores = chip.cycles_to_ns(1), device_op.cores * key_parts(device_op, chip)
    outside = exchange_ns(device_op, chip, system)
    streamed = (*(t * (1 - first) for t in (*dram, *noc)), written * (1 - tail), *(t / ns for t in outside.values()))
    busy = soft_maximum((work.math, work.unpack, work.pack), chip.pipeline.knee_exponent)
    overlapped = soft_maximum((busy, *streamed), chip.pipeline.stream_exponent)
    terms = {
        "compute": work.math * ns,
        "unpack": work.unpack * ns,
        "pack": work.pack * ns,
        "dram": max(dram) * ns,
        "noc": max(noc) * ns,
        "writer": written * ns,
        "wait": (arrival * first + first_latency(device_op, reads, chip)) * ns,
        "tail": (written * tail + merge_cycles(device_op, chip)) * ns,
        "fill": fill_ns(chip),
        "skew": skew_ns(cores, chip),
        "throttle": throttle_ns(work.products * ns, cores, chip),
        **outside,
    }
    before = halo_step(device_op, chip)
    if before.ns:
        terms["halo"] = before.ns
    if device_op.row_cores > 1:
        terms["exchange"] = row_exchange_cycles(device_op, chip) * ns
    total = overlapped * ns + sum(terms.get(name, 0.0) for name in ADDED)
    return _cost(device_op, total, terms, (*reads, *writes, before.stream), cores, chip)


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
    terms: dict[str, float],
    moved: Sequence[Stream],
    cores: int,
    chip: ChipDesc,
) -> Cost:
    terms["gap"] = gap_ns(total, chip, kernels_of(device_op))
    flops = device_op.op.flops()
    dram_bytes = sum(s.dram_bytes for s in moved)
    seconds = total * 1e-9
    return Cost(
        total_ns=total,
        gap_ns=terms["gap"],
        terms=terms,
        bound=_bound(terms),
        cores=cores,
        flops=flops,
        dram_bytes=round(dram_bytes),
        noc_bytes=round(sum(s.noc_bytes for s in moved)),
        flops_utilisation=flops / (seconds * peak_flops(device_op.fidelity, chip)),
        dram_utilisation=dram_bytes / (seconds * chip.dram.peak_bytes_per_second),
    )


def _bound(terms: dict[str, float]) -> str:
    """The largest of the terms that overlap, of halo and exchange, and of launch."""
    sizes = {name: terms[name] for name in (*OVERLAPPING, "halo", "exchange") if name in terms}
    sizes["launch"] = sum(terms[name] for name in STARTING)
    return max(sizes, key=sizes.__getitem__)
