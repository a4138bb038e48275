"""An op with the layouts of its tensors and its cores, for which cost and L1 footprint are computed."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property, lru_cache, wraps
from typing import TypeVar

from ttstack.device.layout import Grid, Layout, MemoryLayout
from ttstack.device.program_config import AttentionConfig, ProgramConfig
from ttstack.device.query_blocks import blocks_of_core
from ttstack.ops.attention import scores_of
from ttstack.ops.base import Op
from ttstack.ops.flash import Attended
from ttstack.ops.loops import IndexingMap, Loops
from ttstack.ops.types import DType, TensorType

T = TypeVar("T")


class Fidelity(StrEnum):
    """Number of passes of the multiplier: LoFi is one, HiFi4 four."""

    LOFI = "LoFi"
    HIFI2 = "HiFi2"
    HIFI3 = "HiFi3"
    HIFI4 = "HiFi4"


class Spread(StrEnum):
    """How the parallel loops of a dispatch are distributed over a grid."""

    FLAT = "flat"
    """Iterations in row-major order, in equal runs over all cores."""
    ROWS = "rows"
    """All loops but the last over all cores; the last stays in a core."""
    COLUMNS = "columns"
    """The last loop over all cores; the others stay in a core."""
    BLOCKS = "blocks"
    """All loops but the last over the grid's rows, the last over its columns."""


def _shard_spread(kind: MemoryLayout) -> Spread | None:
    match kind:
        case MemoryLayout.HEIGHT_SHARDED:
            return Spread.ROWS
        case MemoryLayout.WIDTH_SHARDED:
            return Spread.COLUMNS
        case MemoryLayout.BLOCK_SHARDED:
            return Spread.BLOCKS
        case MemoryLayout.INTERLEAVED | MemoryLayout.REPLICATED:
            return None


SPREADS = {kind: spread for kind in MemoryLayout if (spread := _shard_spread(kind))}
"""By kind of sharding, the spread in which each core computes its own shard."""


@dataclass(frozen=True)
class DeviceOp:
    """A placed op."""

    op: Op
    operands: tuple[Layout, ...]
    """Layouts of the present operands, in order."""
    results: tuple[Layout, ...]
    grid: Grid
    spread: Spread = Spread.FLAT
    fidelity: Fidelity = Fidelity.HIFI4
    config: ProgramConfig | None = None
    """None if the kernel has no choice of blocks, or for its defaults."""

    @cached_property
    def dispatch(self) -> Loops:
        """The op's loops over tiles."""
        return self.op.loops

    @cached_property
    def _share(self) -> "_CoreShare":
        chunk = self.config.q_chunk_tiles if isinstance(self.config, AttentionConfig) else None
        return _core_share(self.op, self.grid, self.spread, chunk or 1)

    @property
    def core_domain(self) -> tuple[int, ...]:
        """The extent of each loop on the busiest core."""
        return self._share.domain

    @property
    def core_units(self) -> int:
        """The number of parallel iterations on the busiest core."""
        return self._share.units

    @cached_property
    def core_steps(self) -> int:
        """The number of sequential reduction iterations on a core for each unit."""
        return math.prod(self.core_domain[i] for i in self.dispatch.reductions)

    @cached_property
    def row_cores(self) -> int:
        """The number of cores that share a row and exchange partial sums."""
        return -(-self.dispatch.steps // max(self.core_steps, 1))

    @property
    def cores(self) -> int:
        """The number of cores with work."""
        return self._share.cores

    def types(self) -> tuple[TensorType, ...]:
        """Return the types of operands, then results."""
        return (*self.op.operands, *self.op.results)

    def layouts(self) -> tuple[Layout, ...]:
        """Return the layouts of operands, then results."""
        return (*self.operands, *self.results)

    def core_pages(self, indexing: IndexingMap) -> int:
        """Return the pages of an operand or result that the busiest core accesses."""
        extents = {i: self.core_domain[i] for i in indexing.loops if i is not None}
        repeated = math.prod(e for i, e in extents.items() if i in self.dispatch.reductions)
        return min(math.prod(extents.values()), self.core_units * repeated)


def once_for_each_op(work_out: Callable[[DeviceOp], T]) -> Callable[[DeviceOp], T]:
    """Cache the result of a function on the placed op, as for its properties."""
    name = f"{work_out.__module__}.{work_out.__qualname__}"

    @wraps(work_out)
    def remember(device_op: DeviceOp) -> T:
        known = device_op.__dict__
        if name not in known:
            known[name] = work_out(device_op)
        return known[name]

    return remember


def default_fidelity(*formats: DType) -> Fidelity:
    """Return the fewest passes that multiply the formats exactly.

    bf16 takes 4, bfp8 2, bfp4 1 (tt-metal tech_reports/matrix_engine).
    """
    widest = max((f.bits for f in formats if f.is_float), default=16)
    return Fidelity.LOFI if widest <= 4 else Fidelity.HIFI2 if widest <= 8 else Fidelity.HIFI4


@dataclass(frozen=True, slots=True)
class _CoreShare:
    """The distribution of loops over a grid, for any layouts."""

    domain: tuple[int, ...]
    units: int
    cores: int


@lru_cache(4096)
def _core_share(op: Op, grid: Grid, spread: Spread, q_chunk: int) -> _CoreShare:
    share = op.loops, grid, spread
    if (attended := scores_of(op)) is not None:
        return _attention_share(op, attended, grid.cores, q_chunk)
    return _CoreShare(_core_domain(*share), _core_units(*share), _cores_used(*share))


def _attention_share(op: Op, attended: Attended, cores: int, q_chunk: int) -> _CoreShare:
    """Return the share in full blocks of queries, including the padding of a head's last block."""
    *_, rows, keys = op.loops.domain
    heads, blocks = math.prod(op.operands[0].shape[:2]), -(-rows // q_chunk)
    run = blocks_of_core(attended, blocks, heads, cores)
    units = run * q_chunk
    return _CoreShare((*_run(op.loops.domain[:-1], units), keys), units, max(-(-blocks * heads // max(run, 1)), 1))


def _run(extents: Sequence[int], length: int) -> tuple[int, ...]:
    """Return the extents of the smallest box around a run of iterations in row-major order."""
    box = list(extents)
    for i in reversed(range(len(extents))):
        box[i] = min(length, extents[i])
        length = -(-length // max(extents[i], 1))
    return tuple(box)


def _groups(dispatch: Loops, grid: Grid, spread: Spread) -> list[tuple[tuple[int, ...], int]]:
    """Return groups of parallel loops, each with its number of cores."""
    loops = dispatch.parallel if spread is Spread.FLAT else dispatch.divisible
    match spread:
        case Spread.FLAT:
            return [(loops, grid.cores)]
        case Spread.ROWS:
            return [(loops[:-1], grid.cores), (loops[-1:], 1)]
        case Spread.COLUMNS:
            return [(loops[:-1], 1), (loops[-1:], grid.cores)]
        case Spread.BLOCKS:
            return [(loops[:-1], grid.rows), (loops[-1:], grid.cols)]


def _core_domain(dispatch: Loops, grid: Grid, spread: Spread) -> tuple[int, ...]:
    extents = list(dispatch.domain)
    for loops, cores in _groups(dispatch, grid, spread):
        domain = [dispatch.domain[i] for i in loops]
        for i, extent in zip(loops, _run(domain, -(-math.prod(domain) // cores)), strict=True):
            extents[i] = extent
    return tuple(extents)


def _core_units(dispatch: Loops, grid: Grid, spread: Spread) -> int:
    """Return the exact number, as the box of `_core_domain` is larger for a run that wraps around rows."""
    units = 1
    for loops, cores in _groups(dispatch, grid, spread):
        units *= -(-math.prod(dispatch.domain[i] for i in loops if i in dispatch.parallel) // cores)
    return units


def _cores_used(dispatch: Loops, grid: Grid, spread: Spread) -> int:
    used = 1
    for loops, cores in _groups(dispatch, grid, spread):
        units = math.prod(dispatch.domain[i] for i in loops)
        used *= -(-units // max(-(-units // cores), 1))
    return max(used, 1)
