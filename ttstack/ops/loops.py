"""Loops over tiles: how they may be run, and which tiles of its operands and results an op touches in them."""

import math
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from typing import Any

from ttstack.ops.tile_ops import tile_op


class Iterator(StrEnum):
    """How a loop may be run: spread over cores, or kept in one."""

    PARALLEL = "parallel"
    REDUCTION = "reduction"


class Access(StrEnum):
    """How an operand reaches a core."""

    LOCAL = "local"
    """Each core reads its own part."""
    MULTICAST = "multicast"
    """Cores that share a part get it from one reader."""
    INDIRECT = "indirect"
    """Rows are picked by the values of the operand before it."""
    GATHER = "gather"
    """Parts of tiles move: the tiles read are not the tiles written."""
    WINDOW = "window"
    """A window slides over it: each element goes to all the windows that see it, from the core's own memory."""


@dataclass(frozen=True)
class Pick:
    """Which slice along the first dimension an index picks: `index // divisor`, modulo `modulus` if there is one."""

    divisor: int = 1
    modulus: int | None = None


@dataclass(frozen=True)
class IndexExpr:
    """Where along a dimension an iteration stands: `loop // divisor % modulus * step + offset`."""

    divisor: int = 1
    modulus: int | None = None
    step: int = 1
    offset: int = 0

    def at(self, loop: Any) -> Any:
        """The place of a number of a loop, or of an array of them."""
        place = loop // self.divisor
        return (place if self.modulus is None else place % self.modulus) * self.step + self.offset

    def reach(self, extent: int) -> tuple[int, int]:
        """The least and the greatest place of a loop that is not empty."""
        last = (max(extent, 1) - 1) // self.divisor
        last = last if self.modulus is None else min(last, self.modulus - 1)
        ends = (self.offset, last * self.step + self.offset)
        return min(ends), max(ends)


SAME = IndexExpr()
"""The number of the loop itself."""


@dataclass(frozen=True)
class IndexingMap:
    """Which tile of an operand one iteration touches: a loop for each dimension, None where the extent is 1.

    Of operands that are gathered or picked by index, a dimension without a loop is touched as a whole.
    """

    loops: tuple[int | None, ...]
    access: Access = Access.LOCAL
    pick: Pick | None = None
    terms: tuple[IndexExpr, ...] = ()
    """For each dimension, what is done to the number of its loop; nothing where there are none."""


@dataclass(frozen=True)
class TileWork:
    """Work of one kind on tiles: what the cost model reads; `args` number the inputs that are unpacked for it."""

    name: str
    args: tuple[int, ...]
    count: float = 1.0
    """Times that it runs in an iteration."""

    def __post_init__(self) -> None:
        """Raise `ValueError` where there is no tile op of that name: it would be priced as any other function."""
        tile_op(self.name)


@dataclass(frozen=True)
class Loops:
    """Loops over tiles (leading dimensions count elements), and the tiles that they touch.

    Grids, data movement and L1 footprint are derived from these, compute time from `work`.
    """

    domain: tuple[int, ...]
    iterators: tuple[Iterator, ...]
    inputs: tuple[IndexingMap, ...]
    outputs: tuple[IndexingMap, ...]

    @cached_property
    def parallel(self) -> tuple[int, ...]:
        """The loops that may be spread over cores."""
        return tuple(i for i, kind in enumerate(self.iterators) if kind is Iterator.PARALLEL)

    @cached_property
    def reductions(self) -> tuple[int, ...]:
        """The loops that stay in a core."""
        return tuple(i for i, kind in enumerate(self.iterators) if kind is Iterator.REDUCTION)

    @cached_property
    def divisible(self) -> tuple[int, ...]:
        """The parallel loops, and the reductions along which results lie: a core can hold a part of a row."""
        along = {i for which in self.outputs for i in which.loops}
        return tuple(i for i in range(len(self.domain)) if i in self.parallel or i in along)

    @property
    def moves_only(self) -> bool:
        """Whether readers and writers put data in its place, and no tile passes through the compute units."""
        across = (Access.GATHER, Access.INDIRECT)
        return all(op.name == "copy" for op in self.work) and all(m.access in across for m in self.maps)

    @cached_property
    def keeps_rows(self) -> bool:
        """Whether results lie along all the loops that stay in a core: whole rows do."""
        along = {i for which in self.outputs for i in which.loops}
        return bool(self.reductions) and along.issuperset(self.reductions)

    @property
    def units(self) -> int:
        """Iterations that can run side by side."""
        return math.prod(self.domain[i] for i in self.parallel)

    @cached_property
    def steps(self) -> int:
        """Iterations that follow one another for each unit."""
        return math.prod(self.domain[i] for i in self.reductions)

    @cached_property
    def maps(self) -> tuple[IndexingMap, ...]:
        """Inputs, then outputs."""
        return (*self.inputs, *self.outputs)

    @cached_property
    def work(self) -> tuple[TileWork, ...]:
        """Tile ops, and how often they run in an iteration."""
        raise NotImplementedError(f"{type(self).__name__}.work")

    @cached_property
    def multiplies(self) -> bool:
        """Whether tiles are multiplied as matrices."""
        return any(op.name == "matmul" for op in self.work)

    @cached_property
    def reduces_tiles(self) -> bool:
        """Whether tile ops add up, or compare, the elements of their tiles."""
        return any(op.name.startswith("reduce_") for op in self.work)

    def split_work(self) -> tuple[tuple[TileWork, ...], tuple[TileWork, ...]]:
        """The work of every step, and that of once a unit after a reduction."""
        last = max((i for i, op in enumerate(self.work) if tile_op(op.name).reduces), default=len(self.work) - 1)
        return self.work[: last + 1], self.work[last + 1 :]
