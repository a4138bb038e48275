"""The prediction: streams and compute overlap, the last block is written after them, and the clock may fall."""

from collections.abc import Sequence

from ttstack.cost.compute import compute
from ttstack.cost.launch import fill_ns, gap_ns
from ttstack.cost.memory import read_cycles, shared_cycles
from ttstack.cost.overlap import soft_maximum
from ttstack.cost.record import FREE, Cost
from ttstack.cost.stream import Stream
from ttstack.cost.streams import streams
from ttstack.cost.throttle import throttle_ns
from ttstack.cost.units import peak_flops
from ttstack.cost.writer import tail_share, writer_cycles
from ttstack.program.device_op import DeviceOp
from ttstack.program.structure import is_free
from ttstack.system_desc import ChipDesc


def predict(device_op: DeviceOp, chip: ChipDesc) -> Cost:
    """Time of one op on one chip: `fill + pnorm(compute, streams) + writer tail`, then throttling and the gap."""
    if is_free(device_op):
        return FREE
    work = compute(device_op, chip)
    reads, writes = streams(device_op, chip)
    tail = tail_share(device_op, chip)
    written = writer_cycles(writes, chip)
    dram, noc = _lanes(reads, writes, written * (1 - tail))
    _share_dram(dram, max(read_cycles(reads, chip), shared_cycles(reads, writes, 1 - tail, chip)))
    units = work.math, work.unpack, work.pack
    overlapped = soft_maximum((*units, *dram, *noc), chip.pipeline.knee_exponent)
    ns = chip.cycles_to_ns(1)
    terms = {
        "compute": work.math * ns,
        "unpack": work.unpack * ns,
        "pack": work.pack * ns,
        "dram": max(dram) * ns,
        "noc": max(noc) * ns,
        "writer": written * tail * ns,
        "fill": fill_ns(chip),
        "throttle": throttle_ns(work.math * ns, chip),
    }
    busy = overlapped * ns + terms["writer"] + terms["fill"] + terms["throttle"]
    return _cost(device_op, busy, terms, (*reads, *writes), chip)


def _lanes(
    reads: Sequence[Stream], writes: Sequence[Stream], written: float
) -> tuple[list[float], list[float]]:
    """Cycles of what runs side by side, over DRAM and over the networks alone; one reader takes operands in turn."""
    in_turn = [s for s in reads if not s.own_thread]
    lanes = [[s] for s in reads if s.own_thread] + [in_turn]
    dram, noc = [0.0], [0.0]
    for lane in lanes:
        (dram if any(s.dram_bytes for s in lane) else noc).append(sum(s.cycles for s in lane))
    (dram if any(s.dram_bytes for s in writes) else noc).append(written)
    return dram, noc


def _share_dram(dram: list[float], least: float) -> None:
    """The slowest DRAM lane takes at least as long as the memory needs for all of them."""
    slowest = max(range(len(dram)), key=dram.__getitem__)
    dram[slowest] = max(dram[slowest], least)


def _cost(
    device_op: DeviceOp, total: float, terms: dict[str, float], moved: Sequence[Stream], chip: ChipDesc
) -> Cost:
    gap = gap_ns(total, chip)
    flops = device_op.op.flops()
    dram_bytes = sum(s.dram_bytes for s in moved)
    seconds = total * 1e-9
    return Cost(
        total_ns=total,
        gap_ns=gap,
        terms=terms | {"gap": gap},
        bound=_bound(terms, gap),
        cores=device_op.cores,
        flops=flops,
        dram_bytes=round(dram_bytes),
        noc_bytes=round(sum(s.noc_bytes for s in moved)),
        flops_utilisation=flops / (seconds * peak_flops(device_op.fidelity, chip)),
        dram_utilisation=dram_bytes / (seconds * chip.dram.peak_bytes_per_second),
    )


def _bound(terms: dict[str, float], gap: float) -> str:
    """The largest term; what starting the op takes counts as `launch`."""
    launch = terms["fill"] + gap
    name = max(terms, key=terms.__getitem__)
    return "launch" if name == "fill" or launch > terms[name] else name
