"""The best of long rows, as tokens of a vocabulary: of parts of rows side by side, then of the best of these."""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from ttstack.dialects.base import create, definition_of
from ttstack.dialects.ttir.build import constant, reshape_to
from ttstack.dialects.ttir.builders import ttir
from ttstack.dialects.types import read_type
from ttstack.mlir import ir
from ttstack.ops.base import OPS, Op
from ttstack.ops.indexing import Gather
from ttstack.ops.shape import Reshape
from ttstack.ops.sort import Topk
from ttstack.ops.types import TensorType
from ttstack.passes.base import Pass
from ttstack.passes.rewriting.pattern import apply_patterns
from ttstack.passes.rewriting.prices import Prices

_MOST_PARTS = 64


class SplitTopk(Pass, name="split-topk"):
    """`topk` of long rows becomes two, where that is predicted to be faster: a core takes rows of tiles alone."""

    def run(self, module: ir.Module) -> None:
        """Rewrite to a fixpoint: what is left to choose from can be a long row too."""
        if (prices := Prices.of(module)) is not None:
            apply_patterns(module, [(f"ttir.{Topk.mnemonic}", partial(_split, prices=prices))])


@dataclass(frozen=True)
class _Parts:
    """A row cut into so many parts."""

    whole: Topk
    count: int

    @property
    def cut(self) -> TensorType:
        """The operand, with parts in a dimension of their own."""
        rows, width = _rows(self.whole)
        return self.whole.input_tensor.with_shape((rows, self.count, width // self.count))

    @property
    def left(self) -> tuple[int, int]:
        """Rows, and what is left of each to choose from."""
        return self.cut.shape[0], self.count * self.whole.k

    def ops(self) -> Iterator[Op]:
        """All that move or compute."""
        yield Reshape(input=self.whole.input_tensor, shape=self.cut.shape)
        first = Topk(input_tensor=self.cut, **self.options())
        yield first
        values, places = first.results
        yield OPS["add"].on([places, places.with_shape((1, self.count, 1))], {})
        for t in (values, places):
            yield Reshape(input=t, shape=self.left)
        last = Topk(input_tensor=values.with_shape(self.left), **self.options())
        yield last
        yield Gather(input=places.with_shape(self.left), index=last.results[1], dim=1)

    def options(self) -> dict[str, Any]:
        """Attributes of both."""
        return {**self.whole.attributes(), "dim": -1, "sorted": True, "dtype": self.whole.results[1].dtype}


def _split(op: ir.Operation, prices: Prices) -> list[ir.Value] | None:
    found = definition_of(op)
    assert isinstance(found, Topk)
    t, at = found.ordered_operand()
    width = t.shape[at]
    ways = [_Parts(found, n) for n in range(2, _MOST_PARTS + 1) if width % n == 0 and width >= 2 * n * found.k]
    if at != t.rank - 1 or not ways:
        return None
    times = [prices.sum_of(way.ops()) for way in ways]
    best = times.index(min(times))
    return _write(op.operands[0], ways[best]) if times[best] < prices.latency_of(found) else None


def _write(x: ir.Value, way: _Parts) -> list[ir.Value]:
    values, places = _best(reshape_to(x, way.cut.shape), way)
    t = read_type(places.type)
    begins = constant(np.arange(way.count)[None, :, None] * way.cut.shape[2], t.with_shape((1, way.count, 1)))
    places = reshape_to(ttir.add(places, begins), way.left)
    values, chosen = _best(reshape_to(values, way.left), way)
    return [reshape_to(v, way.whole.results[0].shape) for v in (values, ttir.gather(places, chosen, dim=1))]


def _best(x: ir.Value, way: _Parts) -> tuple[ir.Value, ir.Value]:
    kept = read_type(x.type)
    kept = kept.with_shape((*kept.shape[:-1], way.whole.k))
    options = {name: value for name, value in way.options().items() if name != "dtype"}
    found = create("ttir", "topk", [x], options, results=[kept, way.whole.results[1].with_shape(kept.shape)])
    return found.results[0], found.results[1]


def _rows(op: Topk) -> tuple[int, int]:
    *lead, width = op.input_tensor.shape
    return math.prod(lead), width
