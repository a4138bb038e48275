"""Removal of trailing unit dimensions: [1, C, 1, 1] and [N, 1] fill tiles as [1, 1, 1, C] and [1, N]."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from ttstack.dialects.base import definition_of
from ttstack.dialects.ttir.destination import pure_producer
from ttstack.mlir import ir
from ttstack.ops.base import OPS, Op
from ttstack.ops.eltwise import Eltwise
from ttstack.ops.reduction import Reduction, Softmax
from ttstack.ops.shape import Broadcast, Concat
from ttstack.passes.base import Pass
from ttstack.passes.functions import body, functions
from ttstack.passes.rewriting.prices import Prices
from ttstack.passes.stages import Stage
from ttstack.passes.ttir.movement.reshaped_regions import find_regions, fold_region, saved_ns
from ttstack.passes.ttir.queries.reshaped_op import ReshapedOp

_MOST_UNITS = 3
"""Maximum number of trailing unit dimensions."""


class SqueezeUnitDims(
    Pass,
    name="squeeze-unit-dims",
    optional=True,
    stage=Stage.NORMS,
    after={"fuse-norms": "it would change the means and roots inside norms"},
):
    """Run elementwise ops, reductions and softmax on [.., C, 1, 1] as [1, 1, .., C], if predicted to be faster.

    With one number per row, a tile has 32 numbers, and only one with two trailing unit dimensions.
    """

    def run(self, module: ir.Module) -> None:
        """Rewrite each group of connected ops on such values."""
        if (prices := Prices.of(module)) is None:
            return
        for function in functions(module):
            for units in range(_MOST_UNITS, 0, -1):
                for region in find_regions(body(function), partial(_squeezed, units)):
                    if saved_ns(region, prices) > 0:
                        fold_region(region)


@dataclass(frozen=True)
class _SqueezedOp(ReshapedOp):
    """An op with trailing unit dimensions moved to the front."""

    units: int

    def has_rows(self, position: int) -> bool:
        """Return True for all operands except scalars."""
        return self.op.operands[position].rank > 0

    def matrix(self, position: int) -> tuple[int, ...]:
        """Return the shape of an operand, of the result's rank, with its last dimensions moved to the front."""
        shape = self.op.operands[position].shape
        return self._turned((*(1,) * (self._rank - len(shape)), *shape))

    @property
    def result(self) -> tuple[int, ...]:
        """The result's shape with its last dimensions moved to the front."""
        return self._turned(self.op.results[0].shape)

    @property
    def _rank(self) -> int:
        return self.op.results[0].rank

    def _turned(self, shape: tuple[int, ...]) -> tuple[int, ...]:
        return (*shape[-self.units :], *shape[: -self.units])


def _squeezed(units: int, op: ir.Operation) -> ReshapedOp | None:
    """Return the op with `units` dimensions moved to the front, if they all have extent 1."""
    spec = OPS.get(op.name.removeprefix("ttir."))
    if spec is None or len(op.results) != 1 or len(op.regions) or spec.mutates or pure_producer(op.results[0]) is None:
        return None
    described = definition_of(op)
    rank, turned = described.results[0].rank, _turned_dims(described, units)
    values = (*described.operands, *described.results)
    if turned is None or rank <= units or any(t.rank > rank or not t.size for t in values):
        return None
    if any(set(t.shape[-units:]) - {1} for t in values):
        return None
    return _SqueezedOp(described, {**described.attributes(), **turned}, units)


def _turned_dims(op: Op, units: int) -> Mapping[str, Any] | None:
    """Return the attributes with dimension numbers after such a move; None for other kinds of ops."""
    match op:
        case Reduction() if op.keep_dim:
            return {"dim_arg": tuple((d + units) % op.input.rank for d in op.dims)}
        case Softmax() if op.mask is None:
            return {"dimension": (op.dimension % op.input.rank + units) % op.input.rank}
        case Concat():
            rank = op.results[0].rank
            return {"dim": (op.dim % rank + units) % rank}
        case Broadcast():
            factors = op.broadcast_dimensions
            return {"broadcast_dimensions": (*factors[-units:], *factors[:-units])}
        case Eltwise():
            return {}
        case _:
            return None
