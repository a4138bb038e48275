"""A computation as loops over tiles: what `ttir.generic` says in MLIR, as a plain record.

Grids, data movement, L1 footprint and compute time are derived from it, for every op, named or generic.
"""

import math
from dataclasses import dataclass
from difflib import get_close_matches
from enum import StrEnum
from functools import cached_property
from typing import Any


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
class Map:
    """Which tile of an operand one iteration touches: a loop for each dimension, None where the extent is 1.

    Of operands that are gathered or picked by index, a dimension without a loop is touched as a whole.
    """

    loops: tuple[int | None, ...]
    access: Access = Access.LOCAL
    pick: Pick | None = None


TILE_OPS = {"copy", "exp_approx", "fill", "group", "matmul", "pool", "rand", "transpose", "weigh"}
"""Names of all tile ops: these, and those of elementwise ops and reductions, which are added where they are defined."""


@dataclass(frozen=True)
class TileOp:
    """One op on tiles; `args` number the inputs, then the outputs, then the results of the tile ops before it."""

    name: str
    args: tuple[int, ...]
    count: float = 1.0
    """Times that the op runs in an iteration."""
    attributes: tuple[tuple[str, Any], ...] = ()
    """Of the elementwise op of this name; `dtype` where it changes the element type."""

    def __post_init__(self) -> None:
        """Raise `ValueError` where there is no tile op of that name: it would be priced as any other function."""
        if self.name not in TILE_OPS:
            close = get_close_matches(self.name, sorted(TILE_OPS), 1)
            raise ValueError(f"there is no tile op '{self.name}'{f', perhaps {close[0]}' if close else ''}")


@dataclass(frozen=True)
class Dispatch:
    """Loops over tiles (leading dimensions count elements), the tiles that they touch, and the work on them.

    Tile ops that follow a reducing one (`matmul`, `reduce_*`) are its epilogue: they run once for each output
    tile, after the last step of the reduction. A tile of an operand whose extent is 1 broadcasts inside itself.
    """

    domain: tuple[int, ...]
    iterators: tuple[Iterator, ...]
    inputs: tuple[Map, ...]
    outputs: tuple[Map, ...]
    body: tuple[TileOp, ...]
    exact: bool = True
    """Whether maps and body say all that the op does, so that `ttir.generic` can stand for it."""
    index_bound: int | None = None
    """Where operands are picked by the values of operand 0: what these are below."""

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
    def units(self) -> int:
        """Iterations that can run side by side."""
        return math.prod(self.domain[i] for i in self.parallel)

    @cached_property
    def steps(self) -> int:
        """Iterations that follow one another for each unit."""
        return math.prod(self.domain[i] for i in self.reductions)

    @cached_property
    def maps(self) -> tuple[Map, ...]:
        """Inputs, then outputs."""
        return (*self.inputs, *self.outputs)

    def fault(self) -> str | None:
        """Why it cannot be one: loops or values that there are not, or impossible counts; None where it can."""
        loops = range(len(self.domain))
        if len(self.iterators) != len(loops) or min(self.domain, default=0) < 0:
            return f"has {len(self.iterators)} loops of extents {list(self.domain)}"
        if wrong := [which.loops for which in self.maps if not all(i is None or i in loops for i in which.loops)]:
            return f"maps dimensions to the loops {list(wrong[0])} of {len(loops)}"
        for values, op in enumerate(self.body, len(self.maps)):
            if not all(0 <= i < values for i in op.args):
                return f"has '{op.name}' of the values {list(op.args)}, before it there are {values}"
            if not (math.isfinite(op.count) and op.count >= 0):
                return f"runs '{op.name}' {op.count} times"
        return None

    def split_body(self) -> tuple[tuple[TileOp, ...], tuple[TileOp, ...]]:
        """The tile ops of every step, and those that run once a unit after a reduction."""
        last = max((i for i, op in enumerate(self.body) if is_reducing(op.name)), default=len(self.body) - 1)
        return self.body[: last + 1], self.body[last + 1 :]


def is_reducing(tile_op: str) -> bool:
    """Whether the tile op accumulates over reduction loops."""
    return tile_op == "matmul" or tile_op.startswith("reduce_")
