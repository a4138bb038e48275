"""Tiles and spans that go from DRAM through a core and back, by block, buffers, cores and networks."""

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass

from benchmarks.mechanisms.predicted import Prediction, UnsaidError
from ttstack.cost.data.links import READS, WRITES, Router, exchange_load, worker_routers
from ttstack.cost.movement.kernel import Kernel, Link, Side, Transfers, load_cycles, movement_terms
from ttstack.cost.terms import Term, kernel_ns
from ttstack.device.layout import Grid
from ttstack.ops.types import TILE, DType
from ttstack.system_desc import ChipDesc

_BLOCK = 4
"""Tiles of a block where an experiment does not say."""
_PLACED_BLOCK = 32
"""The same where it repeats."""
_PAGES_BLOCK = 8
"""The same of pages in place of tiles."""
_RELU_BLOCK = 8
"""The same of its element-wise example."""


@dataclass(frozen=True)
class Way:
    """Cores somewhere on the chip that exchange the same with all channels of DRAM, over one network."""

    cores: tuple[Router, ...]
    network: int

    def cycles(self, nbytes: float, chip: ChipDesc, *, write: bool) -> float:
        """Cycles of the busiest link for all that moves."""
        ends = (self.cores, chip.dram.routers) if write else (chip.dram.routers, self.cores)
        load = exchange_load(chip.noc.grid, *ends, self.network)
        return nbytes * load_cycles(load, chip.movement.link_fraction, chip)


def side(tiles: int, block: int, size: int, *, write: bool) -> Side:
    """All tiles, a block at a time and core."""
    thread = Transfers(Link.DRAM_WRITE if write else Link.DRAM_READ, block, size)
    return Side((thread,), float(tiles * size), tiles, float(tiles * size))


def priced(
    kernel: Kernel, reads: Way | None, writes: Way | None, chip: ChipDesc, start: float | None = None
) -> Prediction:
    """Nanoseconds of a kernel beside the busiest link of each of its directions, and its largest term.

    `start` are the cycles at its beginning, if not those of kernels that move data.
    """
    terms, lanes = movement_terms(kernel, chip)
    if start is not None:
        terms |= {Term.FILL: chip.cycles_to_ns(start)}
    found = {str(term): ns for term, ns in terms.items()} | {"kernel": kernel_ns(terms, lanes, chip)}
    links = (
        way.cycles(side.noc_bytes, chip, write=write)
        for way, side, write in ((reads, kernel.read, False), (writes, kernel.write, True))
        if way
    )
    link = chip.cycles_to_ns(max(links, default=0.0))
    total = chip.pipeline.overlap_streams((found.pop("kernel"), link))
    return Prediction(total, "busiest link" if link > max(found.values()) else max(found, key=found.__getitem__))


def tile_math(dtype: DType, function: str, chip: ChipDesc) -> float:
    """Cycles of one tile through Dst with a function of the vector unit."""
    return max(chip.matrix.copy_cycles(dtype.bits), chip.vector.start_cycles) + chip.vector.cycles_of(function)


def where(case: str, cores: int, chip: ChipDesc) -> tuple[Router, ...]:
    """Routers of the cores that a case places in a column, a row or a diagonal; otherwise in row-major order."""
    every = worker_routers(chip, Grid(*chip.grid))
    columns = chip.grid[1]
    if "column" in case or "stacked" in case:
        rows = chip.grid[0]
        return tuple(every[i % rows * columns + i // rows] for i in range(cores))
    if "diagonal" in case:
        return tuple(every[i * (columns + 1)] for i in range(cores))
    return every[:cores]


def counted(case: str) -> tuple[int, int]:
    """Pages or spans of a case, and the bytes of each."""
    found = re.search(r"(\d+) (?:pages|spans) of (\d+) B", case)
    if found is None:
        raise UnsaidError("the case names no pages")
    return int(found[1]), int(found[2])


def extents(case: str) -> tuple[int, int]:
    """Rows and columns of the matrix of a case."""
    found = re.search(r"(\d+)x(\d+)", case)
    if found is None:
        raise UnsaidError("the case names no matrix")
    return int(found[1]), int(found[2])


def dtype_of(case: str) -> DType:
    """The format of the tiles of a case."""
    found = re.search(r"\b(bf16|bfp8_b|bfp4_b|f32)\b", case)
    if found is None:
        raise UnsaidError("the case names no format")
    return DType(found[1])


def nbytes(case: str) -> int:
    """Bytes of the matrix of a case."""
    high, wide = extents(case)
    return high * wide // TILE**2 * dtype_of(case).tile_bytes


def elementwise(row: Mapping[str, str], chip: ChipDesc) -> Prediction:
    """`relu` by tiles a barrier and buffers, or over columns of cores."""
    case, cores = row["case"], int(row["cores"])
    high, wide = extents(case)
    tiles = math.prod((high, wide)) // TILE**2
    dtype = dtype_of(case)
    barrier = re.search(r"(\d+) tiles a barrier", case)
    core_tiles = -(-tiles // cores)
    block = min(int(barrier[1]) if barrier else _RELU_BLOCK, core_tiles)
    if row["variant"] == "single_buffered":
        raise UnsaidError("no kernel of ours that streams tiles has single buffers")
    routers, size = where(case, cores, chip), dtype.tile_bytes
    read, written = (side(tiles, block, size, write=write) for write in (False, True))
    kernel = Kernel(cores, core_tiles / block, read, written, block * tile_math(dtype, "relu", chip))
    start = chip.pipeline.fill_cycles + chip.pipeline.reader_cycles
    return priced(kernel, Way(routers, READS), Way(routers, WRITES), chip, start)


def copy(row: Mapping[str, str], chip: ChipDesc) -> Prediction:
    """Copies, reads or writes by cores and where they are."""
    case, cores, variant = row["case"], int(row["cores"]), row["variant"]
    high, wide = extents(case)
    repeats = int(found[1]) if (found := re.search(r"(\d+) repeats", case)) else 1
    tiles, size = high * wide // TILE**2 * repeats, DType.BF16.tile_bytes
    barrier = re.search(r"(\d+) tiles a barrier", variant)
    block = int(barrier[1]) if barrier else _PLACED_BLOCK if repeats > 1 else _BLOCK
    routers = where(f"{case} {variant}", cores, chip)
    named = re.search(r"NoC (\d)", variant)
    kind = case.split()[0]
    reads, writes = (READS, WRITES) if kind == "copy" or named is None else (int(named[1]), int(named[1]))
    kernel = Kernel(
        cores,
        tiles / cores / block,
        Side() if kind == "write" else side(tiles, block, size, write=False),
        Side() if kind == "read" else side(tiles, block, size, write=True),
    )
    return priced(kernel, Way(routers, reads), Way(routers, writes), chip)


def pages(row: Mapping[str, str], chip: ChipDesc) -> Prediction:
    """Pages of one size, copied by twelve cores, each by all or each in its own channel."""
    count, size = counted(row["case"])
    if "affine" in row["case"] and row["variant"] == "bank_shuffled":
        raise UnsaidError("cores that each read one channel far from them: no op places cores so")
    cores = int(row["cores"])
    routers = worker_routers(chip, Grid(*chip.grid))[:cores]
    if row["variant"] != "row_major" and "bank_near cores" in row["notes"]:
        places = re.findall(r"(\d+),(\d+)", row["notes"].partition("bank_near cores")[2])
        routers = tuple(worker_routers(chip, Grid(*chip.grid))[int(y) * chip.grid[1] + int(x)] for x, y in places)
    ways = (None, None) if "affine" in row["case"] else (Way(routers, READS), Way(routers, WRITES))
    read, written = (side(count, _PAGES_BLOCK, size, write=write) for write in (False, True))
    return priced(Kernel(cores, count / cores / _PAGES_BLOCK, read, written), *ways, chip)


def spans(row: Mapping[str, str], chip: ChipDesc) -> Prediction:
    """Spans that a core reads one by one; of those that are not aligned, it moves each byte by itself."""
    count, size = counted(row["case"])
    work = chip.riscv.page_cycles
    if "misaligned" in row["variant"]:
        work += size / chip.movement.copy_bytes_per_cycle
    read = Side((Transfers(Link.DRAM_READ, 1, size, work=work),), count * size, count, count * size)
    return priced(Kernel(1, count, read), None, None, chip)
