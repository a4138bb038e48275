"""Loops over tiles: how they can run, and which tiles of operands and results they access."""

import math
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from typing import Any

from ttstack.ops.tile_ops import tile_op


class Iterator(StrEnum):
    """The kind of a loop: parallel over cores, or kept in one core."""

    PARALLEL = "parallel"
    REDUCTION = "reduction"


class Access(StrEnum):
    """How a core reads an operand."""

    LOCAL = "local"
    """Each core reads its own part."""
    MULTICAST = "multicast"
    """One reader multicasts a part to all cores that share it."""
    INDIRECT = "indirect"
    """The values of the operand before it index its rows."""
    GATHER = "gather"
    """Parts of tiles move: input tiles are not output tiles."""
    WINDOW = "window"
    """A window slides over the operand: each element goes to all windows that contain it, from the core's own
    memory."""


@dataclass(frozen=True)
class Pick:
    """The slice along the first dimension that an index selects: `index // divisor`, modulo `modulus` if set."""

    divisor: int = 1
    modulus: int | None = None


@dataclass(frozen=True)
class IndexExpr:
    """The position of an iteration along a dimension: `loop // divisor % modulus * step + offset`."""

    divisor: int = 1
    modulus: int | None = None
    step: int = 1
    offset: int = 0

    def at(self, loop: Any) -> Any:
        """Return the position for a loop index, or for an array of them."""
        place = loop // self.divisor
        return (place if self.modulus is None else place % self.modulus) * self.step + self.offset

    def reach(self, extent: int) -> tuple[int, int]:
        """Return the smallest and the largest position of a nonempty loop."""
        last = (max(extent, 1) - 1) // self.divisor
        last = last if self.modulus is None else min(last, self.modulus - 1)
        ends = (self.offset, last * self.step + self.offset)
        return min(ends), max(ends)


SAME = IndexExpr()
"""The loop index itself."""


@dataclass(frozen=True)
class IndexingMap:
    """The tile of an operand that an iteration accesses: a loop for each dimension, None if the extent is 1.

    In operands that are gathered or indexed, a dimension without a loop is accessed completely.
    """

    loops: tuple[int | None, ...]
    access: Access = Access.LOCAL
    pick: Pick | None = None
    terms: tuple[IndexExpr, ...] = ()
    """For each dimension, the expression of its loop index; empty for the loop index itself."""


@dataclass(frozen=True)
class TileWork:
    """Tile work for the cost model; `args` number the inputs that are unpacked for it."""

    name: str
    args: tuple[int, ...]
    count: float = 1.0
    """Number of runs per iteration."""

    def __post_init__(self) -> None:
        """Raise `ValueError` for an unknown tile op."""
        tile_op(self.name)


@dataclass(frozen=True)
class Loops:
    """Loops over tiles (leading dimensions count elements), and the tiles that they access.

    Grids, data movement and L1 footprint are derived from the loops, compute time from `work`.
    """

    domain: tuple[int, ...]
    iterators: tuple[Iterator, ...]
    inputs: tuple[IndexingMap, ...]
    outputs: tuple[IndexingMap, ...]

    @cached_property
    def parallel(self) -> tuple[int, ...]:
        """The loops that can be distributed over cores."""
        return tuple(i for i, kind in enumerate(self.iterators) if kind is Iterator.PARALLEL)

    @cached_property
    def reductions(self) -> tuple[int, ...]:
        """The loops that stay in a core."""
        return tuple(i for i, kind in enumerate(self.iterators) if kind is Iterator.REDUCTION)

    @cached_property
    def divisible(self) -> tuple[int, ...]:
        """The parallel loops, and the reductions that index a result: a core can have a part of a row."""
        along = {i for which in self.outputs for i in which.loops}
        return tuple(i for i in range(len(self.domain)) if i in self.parallel or i in along)

    @property
    def moves_only(self) -> bool:
        """True if readers and writers do all the work, and no tile passes through the compute units."""
        across = (Access.GATHER, Access.INDIRECT)
        return all(op.name == "copy" for op in self.work) and all(m.access in across for m in self.maps)

    @cached_property
    def keeps_rows(self) -> bool:
        """True if all loops that stay in a core index the results, so that whole rows do."""
        along = {i for which in self.outputs for i in which.loops}
        return bool(self.reductions) and along.issuperset(self.reductions)

    @property
    def units(self) -> int:
        """The number of iterations that can run in parallel."""
        return math.prod(self.domain[i] for i in self.parallel)

    @cached_property
    def steps(self) -> int:
        """The number of sequential iterations for each parallel one."""
        return math.prod(self.domain[i] for i in self.reductions)

    @cached_property
    def maps(self) -> tuple[IndexingMap, ...]:
        """The maps of inputs, then outputs."""
        return (*self.inputs, *self.outputs)

    @cached_property
    def work(self) -> tuple[TileWork, ...]:
        """Tile ops, and how often each runs in an iteration."""
        raise NotImplementedError(f"{type(self).__name__}.work")

    @cached_property
    def multiplies(self) -> bool:
        """True if a matmul of tiles is among the work."""
        return any(op.name == "matmul" for op in self.work)

    @cached_property
    def reduces_tiles(self) -> bool:
        """True if tile ops reduce the elements within tiles."""
        return any(op.name.startswith("reduce_") for op in self.work)

    def split_work(self) -> tuple[tuple[TileWork, ...], tuple[TileWork, ...]]:
        """Return the work of every step, and the work that runs once after a reduction."""
        last = max((i for i, op in enumerate(self.work) if tile_op(op.name).reduces), default=len(self.work) - 1)
        return self.work[: last + 1], self.work[last + 1 :]
