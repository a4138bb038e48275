"""A computation as loops over tiles: what `ttir.generic` says in MLIR, as a plain record."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

from ttstack.ops.loops import Loops, TileWork
from ttstack.ops.tile_ops import tile_op
from ttstack.ops.work_estimate import WorkEstimate


@dataclass(frozen=True)
class TileOp:
    """One op on tiles; `args` number the inputs, then the outputs, then the results of the tile ops before it."""

    name: str
    args: tuple[int, ...]
    attributes: tuple[tuple[str, Any], ...] = ()
    """Attributes of the elementwise op of this name; `dtype` where it changes the element type."""

    def __post_init__(self) -> None:
        """Raise `ValueError` where there is no tile op of that name."""
        tile_op(self.name)


@dataclass(frozen=True)
class LoopNest(Loops):
    """The exact meaning of a computation: what `ttir.generic` says in MLIR.

    Tile ops that follow a reducing one are its epilogue: they run once for each output tile, after the last step
    of the reduction. A tile of an operand whose extent is 1 broadcasts inside itself.
    """

    body: tuple[TileOp, ...]
    index_bound: int | None = None
    """Where operands are picked by the values of operand 0: what these are below."""

    @cached_property
    def work(self) -> tuple[TileWork, ...]:
        """Each tile op of the region once."""
        return tuple(TileWork(op.name, op.args) for op in self.body)

    def estimate(self) -> WorkEstimate:
        """The same loops and work, of an op whose meaning these do not say."""
        return WorkEstimate(self.domain, self.iterators, self.inputs, self.outputs, self.work)

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
        return None
