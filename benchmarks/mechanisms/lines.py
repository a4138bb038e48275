"""Cores of a line that send to each other at the same time, and cores that all send to one."""

import re
from collections.abc import Mapping

from benchmarks.mechanisms.copies import counted
from benchmarks.mechanisms.predicted import Prediction, UnsaidError
from ttstack.cost.data.links import span_hops
from ttstack.cost.math.rowwise import line_exchange_cycles
from ttstack.system_desc import ChipDesc


def writes_to_peers(row: Mapping[str, str], chip: ChipDesc) -> Prediction:
    """Each core of a row sends its bytes to all others, in so many writes, each with a flag that it waits for.

    The last core is done when all have had their turn on the row. Multicasts reserve their way, round the column's ring
    first, in turns; the flag has the sender's own once more.
    """
    cores, nbytes, writes = _numbers(row["case"])
    noc, kind, peers = chip.noc, chip.noc.l1_write, cores - 1
    start = noc.latency_cycles(kind, rows=False, columns=True)
    if row["variant"] == "multicast":
        hops = noc.grid[0] + span_hops(chip, 1, cores) - 1
        cycles = start + writes * (cores + 1) * noc.reservation_cycles(hops)
        return Prediction(
            chip.cycles_to_ns(cycles + cores * nbytes / noc.bytes_per_cycle(noc.multicast)), "noc.multicast, turns"
        )
    each = 2 * (start + kind.issue_cycles)
    cycles = start + writes * peers * each + peers * cores * nbytes / noc.bytes_per_cycle(kind)
    return Prediction(chip.cycles_to_ns(cycles), "noc.batch, turns on lines")


def _numbers(case: str) -> tuple[int, int, int]:
    found = re.search(r"each of (\d+) cores .* sends (\d+) B .* in (\d+) writes", case)
    if found is None:
        raise UnsaidError("the case names no cores, bytes and writes")
    return int(found[1]), int(found[2]), int(found[3])


def writes_to_one(row: Mapping[str, str], chip: ChipDesc) -> Prediction:
    """Pages that all cores send to one: its port bounds them, or what each core issues."""
    if "single" not in row["case"]:
        raise UnsaidError("where the destinations are is not published")
    (count, size), cores, noc = counted(row["case"]), int(row["cores"]), chip.noc
    alone = noc.batch_cycles(count, size, noc.l1_write)
    port = noc.l1_write.latency_cycles + cores * count * size / noc.port_bytes_per_cycle
    return Prediction(chip.cycles_to_ns(max(alone, port)), "noc.port" if port > alone else "noc.batch")


def all_reduce(row: Mapping[str, str], chip: ChipDesc) -> Prediction:
    """Tiles that the cores of a line gather in shares, add up and send back, as those of a sharded norm do."""
    if row["variant"] != "two_phase_reduce_mcast":
        raise UnsaidError("tiles in rings, all of them to all, to one core, or many reads in flight: no op does so")
    tiles = re.search(r"(\d+) tiles a core", row["case"])
    shape = re.search(r"\((\d+)x(\d+)\)", row["case"])
    cores = (int(shape[1]), int(shape[2])) if shape else (1, 8)
    if tiles is None:
        raise UnsaidError("the case names no tiles")
    cycles = line_exchange_cycles(int(tiles[1]), [(n, i == 1) for i, n in enumerate(cores) if n > 1], chip)
    return Prediction(chip.cycles_to_ns(cycles), "exchange")
