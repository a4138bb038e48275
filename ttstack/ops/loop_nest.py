"""A computation as loops over tiles: the record of a `ttir.generic`."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from ttstack.ops.loops import Loops, TileWork
from ttstack.ops.tile_ops import Rate, tile_op
from ttstack.ops.types import TensorType
from ttstack.ops.work_estimate import WorkEstimate


@dataclass(frozen=True)
class TileOp:
    """One op on tiles; `args` number the inputs, then the outputs, then the results of earlier tile ops."""

    name: str
    args: tuple[int, ...]
    attributes: tuple[tuple[str, Any], ...] = ()
    """Attributes of the elementwise op of this name; `dtype` if it changes the element type."""

    def __post_init__(self) -> None:
        """Raise `ValueError` for an unknown tile op."""
        tile_op(self.name)


def tiles_of(op: TileOp) -> tuple[int, ...]:
    """Return the arguments of a tile op without its accumulator."""
    spec = tile_op(op.name)
    return op.args[: spec.arity] if spec.reduces else op.args


@dataclass(frozen=True)
class LoopNest(Loops):
    """The exact meaning of a computation: the record of a `ttir.generic`.

    Tile ops after a reducing one are its epilogue: they run once for each output tile, after the last step of the
    reduction. A tile of an operand whose extent is 1 broadcasts inside itself.
    """

    body: tuple[TileOp, ...]
    index_bound: int | None = None
    """The exclusive upper bound of the values of operand 0, if these index other operands."""

    @cached_property
    def work(self) -> tuple[TileWork, ...]:
        """The tile ops of the region, once each."""
        return tuple(TileWork(op.name, op.args) for op in self.body)

    @cached_property
    def tile_loops(self) -> tuple[frozenset[int], ...]:
        """For each tile op, the loops that it depends on."""
        varies = [frozenset(i for i in m.loops if i is not None) for m in self.maps]
        runs: list[frozenset[int]] = []
        for op in self.body:
            reduces = tile_op(op.name).reduces
            args = tiles_of(op)
            runs.append(frozenset[int]().union(*(varies[a] for a in args)))
            varies.append(runs[-1].difference(self.reduced_loops(op)) if reduces else runs[-1])
        return tuple(runs)

    def reduced_loops(self, op: TileOp) -> tuple[int, ...]:
        """Return the loops that a reducing tile op reduces: its attribute, or all reductions."""
        return dict(op.attributes).get("loops", self.reductions)

    @cached_property
    def is_causal(self) -> bool:
        """True if the first comparison hides later positions, so that half of the matmuls count."""
        values = dict(enumerate(self.body, len(self.maps)))
        compared = next((op.args for op in self.body if op.name == "ge"), ())
        made = [values[a] for a in compared if a in values and values[a].name == "iota"]
        if len(made) < len(compared) or not compared:
            return False
        here, there = (dict(op.attributes) for op in made)
        return here["along"] in self.parallel and there["along"] in self.reductions and here["start"] == there["start"]

    def flops(self, types: Sequence[TensorType]) -> int:
        """Return two for each multiply-add of matmuls; without matmuls, one for each element and arithmetic tile op."""
        extents = [1] * len(self.domain)
        for t, m in zip(types, self.maps, strict=True):
            for extent, loop in zip(t.shape, m.loops, strict=False):
                if loop is not None:
                    extents[loop] = max(extents[loop], extent)
        rates = [tile_op(op.name).rate for op in self.body]
        elements = [math.prod(extents[i] for i in loops) for loops in self.tile_loops]
        pairs = list(zip(rates, elements, strict=True))
        products = sum(2 * count for rate, count in pairs if rate is Rate.PRODUCT)
        return products // (2 if self.is_causal else 1) or sum(count for rate, count in pairs if rate is not Rate.COPY)

    def estimate(self) -> WorkEstimate:
        """Return an estimate with the same loops and work, for an op that the nest does not define exactly."""
        return WorkEstimate(self.domain, self.iterators, self.inputs, self.outputs, self.work)

    def fault(self) -> str | None:
        """Return the reason why the nest is invalid, such as unknown loops or values; None if it is valid."""
        loops = range(len(self.domain))
        if len(self.iterators) != len(loops) or min(self.domain, default=0) < 0:
            return f"has {len(self.iterators)} loops of extents {list(self.domain)}"
        if wrong := [which.loops for which in self.maps if not all(i is None or i in loops for i in which.loops)]:
            return f"maps dimensions to the loops {list(wrong[0])} of {len(loops)}"
        for m in self.maps:
            if len(m.terms) not in (0, len(m.loops)) or any(t.divisor < 1 or (t.modulus or 1) < 1 for t in m.terms):
                return f"has a map of the loops {list(m.loops)} with impossible terms"
        for values, op in enumerate(self.body, len(self.maps)):
            if not all(0 <= i < values for i in op.args):
                return f"has '{op.name}' of the values {list(op.args)}, before it there are {values}"
        return None
