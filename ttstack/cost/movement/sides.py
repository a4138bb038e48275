"""One end of what moves: its threads, and the load that all cores together put on networks and memory."""

from ttstack.cost.links import READS, WRITES, bank_routers, exchange_load, worker_routers
from ttstack.cost.movement.ends import Ends
from ttstack.cost.movement.kernel import Side, Transfers
from ttstack.cost.transfers import link_kind
from ttstack.device.layout import Grid, Layout
from ttstack.system_desc import ChipDesc


def write_result(
    ends: Ends,
    count: float,
    size: float,
    nbytes: float,
    cores: int,
    chip: ChipDesc,
    *,
    waits: float = 1.0,
    work: float = 0.0,
) -> Side:
    """`nbytes` that `cores` put into the result, `count` transactions of `size` a block; nothing of what they hold."""
    if ends.writes_own:
        return Side()
    made = ends.target[1]
    out = Transfers(link_kind(chip, in_l1=made.in_l1, write=True), count, size, waits, work)
    return side((out,), made, nbytes, ends.grid, cores, chip, write=True)


def side(
    threads: tuple[Transfers, ...],
    layout: Layout,
    nbytes: float,
    grid: Grid,
    cores: int,
    chip: ChipDesc,
    *,
    write: bool,
) -> Side:
    """`nbytes` between `cores` of a grid and the memory of `layout`."""
    size = max(t.size for t in threads)
    if cores == 1 and layout.in_l1:
        return Side(threads, noc_bytes=nbytes)
    if write and not layout.in_l1:
        return Side(threads, nbytes, nbytes / max(size, 1.0), nbytes)
    workers, banks = worker_routers(chip, grid)[:cores], bank_routers(chip, layout)
    link, port = exchange_load(chip.noc.grid, *((workers, banks, WRITES) if write else (banks, workers, READS)))
    share = chip.movement.link_fraction if layout.in_l1 else 1.0
    loads = (link / (share * chip.noc.link_bytes_per_cycle), port / chip.noc.port_bytes_per_cycle)
    network = nbytes * max(loads)
    if layout.in_l1:
        return Side(threads, noc_bytes=nbytes, network=network)
    return Side(threads, nbytes, nbytes / max(size, 1.0), nbytes, network)
