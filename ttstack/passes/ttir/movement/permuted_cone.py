"""Values with their dimensions in another order, made so from the start where that takes less time."""

import math
from collections.abc import Collection
from dataclasses import dataclass, replace

from ttstack.dialects.base import create, definition_of, operands_by_place
from ttstack.dialects.built_ops import insert_before
from ttstack.dialects.ttir.build import permute_dims, reshape_to
from ttstack.dialects.ttir.builders import ttir
from ttstack.dialects.ttir.destination import pure_producer
from ttstack.dialects.types import read_type
from ttstack.mlir import ir
from ttstack.ops.base import Op
from ttstack.ops.eltwise import Eltwise
from ttstack.ops.shape import Permute, Reshape
from ttstack.ops.types import ElementType, TensorType
from ttstack.passes.rewriting.prices import Prices
from ttstack.passes.ttir.queries.compile_time import is_known
from ttstack.passes.ttir.queries.movement_chain import before_undone, move_alike, way_there
from ttstack.passes.ttir.queries.rearrangement import Rearrangement
from ttstack.passes.ttir.simplify.outer_product_to_matmul import as_matmul

Readers = Collection[ir.Operation]
"""Ops that take a value in the other order from now on."""


@dataclass(frozen=True)
class PermutedCone:
    """An order of dimensions, in which dimension `order[i]` of a value stands at `i`, and what ops cost."""

    order: tuple[int, ...]
    prices: Prices

    def cost(self, value: ir.Value, readers: Readers) -> float:
        """Nanoseconds that it is predicted to take more that these ops read the value in this order."""
        return min(self._cost_of_move(value, readers), self._cost_of_making(value, readers))

    def make(self, value: ir.Value, readers: Readers) -> ir.Value:
        """The value in this order, at the insertion point or where it was made."""
        if self._cost_of_move(value, readers) <= self._cost_of_making(value, readers):
            t = read_type(value.type)
            move = self._move(t)
            if (source := before_undone(value, self.order)) is not None:
                return _cast(reshape_to(source, move.results[0].shape), t.dtype)
            if (moves := self._moves_of_others(value, readers)) is not None:
                return reshape_to(move_alike(value, moves), move.results[0].shape)
            full = reshape_to(value, self._full(t).shape)
            return permute_dims(full, self.order) if isinstance(move, Permute) else reshape_to(full, move.shape)
        maker = pure_producer(value)
        assert maker is not None
        with insert_before(maker):
            op = self._permuted(definition_of(maker))
            remaining = iter([self.make(v, [maker]) if read_type(v.type).rank else v for v in maker.operands])
            operands = [v and next(remaining) for v in operands_by_place(type(op), maker)]
            return create("ttir", op.mnemonic, operands, op.attributes(), results=op.results).results[0]

    def _cost_of_move(self, value: ir.Value, readers: Readers) -> float:
        """Predict the nanoseconds of moving it: 0 if others have it so, or if it is a compile-time constant."""
        t = read_type(value.type)
        move = self._move(t)
        if (source := before_undone(value, self.order)) is not None:
            return self.prices.sum_of([Reshape(input=read_type(source.type), shape=move.results[0].shape)])
        is_free = is_known(value) or self._moves_of_others(value, readers) is not None
        return 0.0 if is_free else self.prices.sum_of([move])

    def _moves_of_others(self, value: ir.Value, readers: Readers) -> list[ir.Operation] | None:
        """The moves by which others have the value in this order."""
        t = read_type(value.type)
        if t.rank != len(self.order):
            return None
        return way_there(value, Rearrangement.of(t.shape).permute(self.order), but=readers)

    def _cost_of_making(self, value: ir.Value, readers: Readers) -> float:
        """Predict the nanoseconds added by making it of operands in this order; infinity if it cannot be."""
        maker = pure_producer(value)
        if maker is None or any(use.owner.operation not in readers for use in value.uses):
            return math.inf
        op = definition_of(maker) if maker.name.startswith("ttir.") else None
        if not isinstance(op, Eltwise) or len(op.results) != 1:
            return math.inf
        permuted = self._permuted(op)
        latencies = [self.prices.latency_of(form) for form in (permuted, as_matmul(permuted)) if form is not None]
        more = min(latencies) - self.prices.latency_of(op)
        return more + sum(self.cost(v, [maker]) for v in maker.operands if read_type(v.type).rank)

    def _permuted(self, op: Op) -> Op:
        types = [self._move(t).results[0] if t.rank else t for t in op.operands]
        (result,) = op.results
        return op.with_operands(types, op.attributes(), self._move(result).results[0])

    def _move(self, t: TensorType) -> Permute | Reshape:
        """Return the op that gives a tensor this order: a reshape if only unit dimensions move."""
        full = self._full(t)
        permute = Permute(input=full, permutation=self.order)
        long = [d for d in self.order if full.shape[d] != 1]
        return permute if long != sorted(long) else Reshape(input=full, shape=permute.results[0].shape)

    def _full(self, t: TensorType) -> TensorType:
        """A tensor as it is broadcast, with as many dimensions as there are in the order."""
        return t.with_shape((*(1,) * (len(self.order) - t.rank), *t.shape))


def _cast(value: ir.Value, dtype: ElementType) -> ir.Value:
    t = read_type(value.type)
    return value if t.dtype == dtype else ttir.typecast(value, result=replace(t, dtype=dtype))
