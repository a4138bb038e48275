"""Batches of transactions over the networks on chip, up to their barrier: `noc_latencies.csv` of tt-metal.

The boards are an n300 (7x8 cores) and a p100a (10x11). A row is the mean over all cores that send or read.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from benchmarks.mechanisms.predicted import Prediction
from ttstack.cost.data.links import Load, Router, exchange_load, span_hops, worker_routers
from ttstack.cost.movement.kernel import load_cycles
from ttstack.device.layout import Grid
from ttstack.system_desc import ChipDesc, load
from ttstack.system_desc.interconnect import TransferDesc

KEYS = ("arch", "mechanism", "pattern", "memory")
"""Columns that make a group."""
_BOARDS = {"wormhole_b0": "wormhole_n300", "blackhole": "blackhole_p100a"}
_SIDES = {4: (2, 2), 9: (3, 3), 25: (5, 5), 64: (8, 8)}
"""Rows and columns of cores by their number; others are the whole grid."""
_HELD_BYTES = 2**20
"""Most bytes of a batch to or from DRAM: those of a larger one are the same row again."""


@dataclass(frozen=True)
class Batch:
    """A row: what each core transfers, from where and to where."""

    arch: str
    mechanism: str
    pattern: str
    memory: str
    count: int
    """Transactions before the barrier, all destinations together."""
    others: int
    same_axis: bool
    stateful: bool
    loopback: bool
    network: int
    nbytes: int

    @staticmethod
    def of(row: Mapping[str, str]) -> "Batch":
        """The batch of a row of the CSV file."""
        count, others, network, nbytes = (
            int(row[key]) for key in ("transactions_per_barrier", "subordinates", "noc_index", "bytes")
        )
        same_axis, stateful, loopback = (row[key] == "1" for key in ("same_axis", "stateful", "loopback"))
        arch, mechanism, pattern, memory = (row[key] for key in KEYS)
        return Batch(arch, mechanism, pattern, memory, count, others, same_axis, stateful, loopback, network, nbytes)

    @property
    def reads(self) -> bool:
        """Return True if cores read."""
        return "_from_" in self.pattern

    @property
    def in_l1(self) -> bool:
        """Return True if both ends are L1."""
        return self.memory == "l1"

    @property
    def several(self) -> bool:
        """Return True if several cores send or read at the same time."""
        return not self.pattern.startswith("one_")

    def cores(self, board: Grid) -> Grid:
        """The rectangle of cores that take part."""
        if "row" in self.pattern:
            return Grid(1, board.cols)
        if "column" in self.pattern:
            return Grid(board.rows, 1)
        return Grid(*_SIDES[self.others]) if self.in_l1 and self.others in _SIDES else board

    def size(self, chip: ChipDesc) -> int:
        """Bytes of a transaction as measured: rows of more than fits repeat those of the most that does."""
        packet = chip.noc.max_packet_bytes
        if not self.in_l1:
            return min(self.nbytes, packet, _HELD_BYTES // self.count)
        to_several = self.mechanism == "unicast" and self.pattern in ("one_to_all", "one_to_row", "one_to_column")
        return min(self.nbytes, packet // 2) if self.stateful and to_several else self.nbytes


@cache
def board(arch: str) -> ChipDesc:
    """The chip that an architecture was measured on, of an n300 the one with seven rows of cores."""
    return load(_BOARDS[arch]).chips[-1]


def predict_batch(row: Mapping[str, str]) -> Prediction:
    """Cycles of a row, by the model's terms."""
    batch = Batch.of(row)
    chip = board(batch.arch)
    if batch.mechanism != "unicast":
        return _multicast(batch, chip)
    kind, size = chip.noc.link(in_l1=batch.in_l1, write=not batch.reads), batch.size(chip)
    one = batch.in_l1 and not batch.others
    latency = chip.noc.latency_cycles(kind, rows=True, columns=not batch.same_axis) if one else kind.latency_cycles
    alone = chip.noc.batch_cycles(batch.count, size, kind, latency)
    if not batch.several:
        return _bounded_by_channel(batch, size, kind, alone, chip)
    if batch.in_l1:
        sent = (size + chip.noc.link_bytes_per_cycle) / chip.noc.port_bytes_per_cycle
        shared = kind.latency_cycles + batch.count * sent * mean_turns(batch.cores(Grid(*chip.grid)))
        return Prediction(max(alone, shared), "noc.batch, turns on lines" if shared > alone else "noc.batch")
    return _shared_banks(batch, size, kind, alone, chip)


def mean_turns(grid: Grid) -> float:
    """Turns on the links of a line until a core is done, on average, where all of its cores use them at once.

    The model counts all turns, since the last core ends then; the rows are means. In a rectangle each goes along its
    row, then down a column.
    """
    return (1 + sum(extent for extent in (grid.rows, grid.cols) if extent > 1)) / 2


def _bounded_by_channel(batch: Batch, size: int, kind: TransferDesc, alone: float, chip: ChipDesc) -> Prediction:
    """One core and one channel of DRAM: its rate bounds them; pages over all channels meet none of it."""
    if batch.memory != "dram_sharded":
        return Prediction(alone, "noc.batch")
    dram = chip.dram
    rate = dram.channel_read_bytes_per_second if batch.reads else dram.channel_write_bytes_per_second
    channel = kind.latency_cycles + chip.cycles_at_rate(size * batch.count, rate)
    return Prediction(max(alone, channel), "dram.channel" if channel > alone else "noc.batch")


@cache
def _load(arch: str, network: int, *, reads: bool) -> Load:
    chip = board(arch)
    workers: tuple[Router, ...] = worker_routers(chip, Grid(*chip.grid))
    ends = (chip.dram.routers, workers) if reads else (workers, chip.dram.routers)
    return exchange_load(chip.noc.grid, *ends, network)


def _shared_banks(batch: Batch, size: int, kind: TransferDesc, alone: float, chip: ChipDesc) -> Prediction:
    """All cores and all channels: the busiest link bounds them, or pages of the channels, which all take in order."""
    total = batch.count * size * chip.num_cores
    load = _load(batch.arch, batch.network, reads=batch.reads)
    link = kind.latency_cycles + total * load_cycles(load, chip.movement.link_fraction, chip)
    channels = min(batch.count, chip.dram.num_channels)
    pages = kind.latency_cycles + batch.count * chip.num_cores / channels * chip.dram.page_cycles
    bounds = {"noc.batch": alone, "busiest link": link} | ({"dram.page": pages} if batch.reads else {})
    term = max(bounds, key=bounds.__getitem__)
    return Prediction(bounds[term], term)


def _multicast(batch: Batch, chip: ChipDesc) -> Prediction:
    """A rectangle of cores, the sender's own among them with `loopback`, otherwise beside it.

    Beside it, the way goes once round a ring first, then along the rectangle. Of several senders, those with linked
    multicasts take turns; others reserve the way packet by packet, and end closer to each other.
    """
    noc, cores, linked = chip.noc, batch.cores(Grid(*chip.grid)), batch.mechanism == "multicast_linked"
    high, wide = noc.grid
    rows, columns = (span_hops(chip, cores.rows, 1), span_hops(chip, 1, cores.cols))
    inside = rows + columns
    hops = inside if batch.loopback else (high + columns - 1 if cores.rows == 1 else wide + rows - 1)
    in_line = batch.loopback and 1 in (cores.rows, cores.cols)
    latency = noc.multicast.latency_cycles - (noc.hop_cycles * wide if in_line else 0)
    if not batch.several:
        alone = noc.multicast_cycles(batch.count, batch.nbytes, hops, latency, linked=linked)
        return Prediction(alone, "noc.multicast")
    senders = cores.cores
    if not linked:
        turns = batch.count * (2 * senders + 1) / 3
        cycles = noc.multicast_cycles(turns, batch.nbytes, hops, latency, linked=False)
        return Prediction(cycles, "noc.multicast, turns")
    turns = min(batch.count * mean_turns(cores) + senders, batch.count * senders)
    first = (senders - 1) * noc.reservation_cycles(hops)
    return Prediction(first + noc.multicast_cycles(turns, batch.nbytes, hops, latency), "noc.multicast, turns")
