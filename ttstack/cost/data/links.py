"""Loads of links and ports while many cores exchange data: routes go along one axis first, then along the other."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from functools import cache, lru_cache
from itertools import accumulate, product, repeat

from ttstack.device.layout import Grid, Layout
from ttstack.system_desc import ChipDesc

Router = tuple[int, int]
"""Column and row in the network's grid."""
Flow = tuple[int, Router, Router, float]
"""Network, source, destination, and fraction of all moved bytes."""
Way = tuple[int, Router, Router]
"""Network, and the ends of a straight way."""
Load = tuple[float, float]
"""Shares of all that moves on the busiest link and through the busiest port."""
READS, WRITES = 0, 1
"""Networks that tt-metal reads and writes over."""


def worker_routers(chip: ChipDesc, grid: Grid) -> tuple[Router, ...]:
    """Return the routers of a grid's cores, in row-major order."""
    return _worker_routers(chip.noc.grid, chip.noc.worker_rows, chip.noc.worker_columns, grid)


@lru_cache(256)
def _worker_routers(
    network: tuple[int, int], worker_rows: tuple[int, ...], worker_columns: tuple[int, ...], grid: Grid
) -> tuple[Router, ...]:
    rows = [_place(worker_rows, i, network[0]) for i in range(grid.rows)]
    columns = [_place(worker_columns, i, network[1]) for i in range(grid.cols)]
    return tuple((x, y) for y in rows for x in columns)


def span_hops(chip: ChipDesc, rows: int, columns: int) -> int:
    """Hops from the first core of a rectangle of cores to the last, harvested lines and those of DRAM included."""
    routers = worker_routers(chip, Grid(rows, columns))
    high, wide = chip.noc.grid
    (x, y), (end_x, end_y) = routers[0], routers[-1]
    return (end_x - x) % wide + (end_y - y) % high


def _place(routers: tuple[int, ...], index: int, size: int) -> int:
    """Return the router of a row or column of cores; beyond those that are listed, the next ones, round the network."""
    return routers[index] if index < len(routers) else (routers[-1] + 1 + index - len(routers)) % size


def bank_routers(chip: ChipDesc, layout: Layout) -> tuple[Router, ...]:
    """Return the routers of a tensor's pages: cores with shards, all cores, or DRAM channels."""
    if not layout.in_l1:
        return chip.dram.routers
    return worker_routers(chip, layout.grid or Grid(*chip.grid))


@lru_cache(4096)
def exchange_load(
    grid: tuple[int, int], sources: tuple[Router, ...], targets: tuple[Router, ...], network: int
) -> Load:
    """Return each target gets the same from each source; `grid` is that of the routers, rows and columns.

    Routes of one source into a column, and those from a row to one target, share a straight way: these are counted.
    """
    axis = 0 if network == READS else 1
    columns, rows = Counter(b[axis] for b in targets), Counter(a[1 - axis] for a in sources)
    given, taken = Counter(sources), Counter(targets)
    flows = {
        (network, a, _corner(axis, column, a[1 - axis])): n * m
        for (a, n), (column, m) in product(given.items(), columns.items())
    } | {(network, _corner(axis, b[axis], row), b): n * m for (row, n), (b, m) in product(rows.items(), taken.items())}
    port = max(max(given.values()) * len(targets), max(taken.values()) * len(sources))
    share = 1 / (len(sources) * len(targets))
    sums = list(accumulate(repeat(share, max(port, *flows.values())), initial=0.0))
    return _busiest_link(grid, {way: sums[count] for way, count in flows.items()}), sums[port]


def _corner(axis: int, across: int, along: int) -> Router:
    return (across, along) if axis == 0 else (along, across)


def reshard_load(chip: ChipDesc, source: Layout, target: Layout, pages: tuple[int, int]) -> Load:
    """Return each target core gets the pages of its shard, half of its rows over each network."""
    return _reshard_load(chip.noc.grid, bank_routers(chip, source), bank_routers(chip, target), source, target, pages)


@lru_cache(4096)
def _reshard_load(
    grid: tuple[int, int],
    sources: tuple[Router, ...],
    targets: tuple[Router, ...],
    source: Layout,
    target: Layout,
    pages: tuple[int, int],
) -> Load:
    return _busiest(grid, _shard_flows(sources, targets, source, target, pages))


def _busiest(grid: tuple[int, int], flows: Iterable[Flow]) -> Load:
    """Flows that share a straight way are added up before it is walked."""
    ways: defaultdict[Way, float] = defaultdict(float)
    ports: defaultdict[tuple[int, str, Router], float] = defaultdict(float)
    for network, a, b, share in flows:
        ports[network, "out", a] += share
        ports[network, "in", b] += share
        corner = (b[0], a[1]) if network == READS else (a[0], b[1])
        ways[network, a, corner] += share
        ways[network, corner, b] += share
    return _busiest_link(grid, ways), max(ports.values(), default=0.0)


def _busiest_link(grid: tuple[int, int], ways: Mapping[Way, float]) -> float:
    """Return the load of the busiest link. Links are grouped by network, axis and cross position."""
    lines: dict[tuple[int, int, int], list[float]] = {}
    for (network, a, b), share in ways.items():
        axis = 0 if a[1] == b[1] else 1
        size = grid[1 - axis]
        line = lines.setdefault((network, axis, a[1 - axis]), [0.0] * size)
        for start in _steps(size, (1, -1)[network], a[axis], b[axis]):
            line[start] += share
    return max(map(max, lines.values()), default=0.0)


@cache
def _steps(size: int, step: int, at: int, end: int) -> tuple[int, ...]:
    """Return the starts of the links on a straight path around the torus.

    Network 0 goes right, then down; network 1 goes up, then left.
    """
    found: list[int] = []
    while at != end:
        found.append(at)
        at = (at + step) % size
    return tuple(found)


def _shard_flows(
    sources: tuple[Router, ...], targets: tuple[Router, ...], source: Layout, target: Layout, pages: tuple[int, int]
) -> Iterator[Flow]:
    total = pages[0] * pages[1]
    (from_rows, from_columns), (to_rows, to_columns) = _bands(source, pages), _bands(target, pages)
    for i, band in enumerate(to_rows):
        for j, columns in enumerate(to_columns):
            here = targets[i * len(to_columns) + j]
            across = list(_overlaps(columns, from_columns))
            for network, rows, parts in _halves(band, across):
                for p, height in _overlaps(rows, from_rows):
                    for q, width in parts:
                        yield network, sources[p * len(from_columns) + q], here, height * width / total


def _halves(
    band: tuple[int, int], across: list[tuple[int, int]]
) -> Iterator[tuple[int, tuple[int, int], list[tuple[int, int]]]]:
    """Yield the reads of each network: half of the rows, or half of the source shards for a single row."""
    start, end = band
    middle = start + -(-(end - start) // 2)
    if middle < end:
        yield READS, (start, middle), across
        yield WRITES, (middle, end), across
        return
    half = -(-len(across) // 2)
    yield READS, band, across[:half]
    yield WRITES, band, across[half:]


def _bands(layout: Layout, pages: tuple[int, int]) -> tuple[list[tuple[int, int]], list[tuple[int, int]]]:
    """First and last page of each row and each column of shards."""
    rows, columns = layout.memory_layout.cuts(layout.grid or Grid(1, 1))
    return _cut(pages[0], rows), _cut(pages[1], columns)


def _cut(extent: int, count: int) -> list[tuple[int, int]]:
    size = -(-extent // count)
    return [(min(i * size, extent), min((i + 1) * size, extent)) for i in range(count)]


def _overlaps(part: tuple[int, int], bands: list[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """Index of each band that shares pages with `part`, and how many."""
    for i, (start, end) in enumerate(bands):
        common = min(end, part[1]) - max(start, part[0])
        if common > 0:
            yield i, common
