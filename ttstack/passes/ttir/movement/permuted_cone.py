"""Values computed in another order of dimensions, if that is faster."""

import math
from collections.abc import Collection
from dataclasses import dataclass

from ttstack.dialects.base import create, definition_of, operands_by_place
from ttstack.dialects.built_ops import insert_before
from ttstack.dialects.ttir.build import permute_dims, reshape_to
from ttstack.dialects.ttir.destination import pure_producer
from ttstack.dialects.types import read_type
from ttstack.mlir import ir
from ttstack.ops.base import Op
from ttstack.ops.eltwise import Eltwise
from ttstack.ops.shape import Permute, Reshape
from ttstack.ops.types import TensorType
from ttstack.passes.rewriting.prices import Prices
from ttstack.passes.ttir.queries.compile_time import is_known
from ttstack.passes.ttir.simplify.outer_product_to_matmul import as_matmul

Readers = Collection[ir.Operation]
"""Ops that will read a value in the other order."""


@dataclass(frozen=True)
class PermutedCone:
    """An order of dimensions, with dimension `order[i]` of a value at `i`, and prices."""

    order: tuple[int, ...]
    prices: Prices

    def cost(self, value: ir.Value, readers: Readers) -> float:
        """Return the additional nanoseconds if these ops read the value in this order."""
        return min(self._cost_of_move(value), self._cost_of_making(value, readers))

    def make(self, value: ir.Value, readers: Readers) -> ir.Value:
        """Build the value in this order, at the insertion point or at its definition."""
        if self._cost_of_move(value) <= self._cost_of_making(value, readers):
            t = read_type(value.type)
            move, full = self._move(t), reshape_to(value, self._full(t).shape)
            return permute_dims(full, self.order) if isinstance(move, Permute) else reshape_to(full, move.shape)
        maker = pure_producer(value)
        assert maker is not None
        with insert_before(maker):
            op = self._permuted(definition_of(maker))
            remaining = iter([self.make(v, [maker]) if read_type(v.type).rank else v for v in maker.operands])
            operands = [v and next(remaining) for v in operands_by_place(type(op), maker)]
            return create("ttir", op.mnemonic, operands, op.attributes(), results=op.results).results[0]

    def _cost_of_move(self, value: ir.Value) -> float:
        """Return the nanoseconds of permuting the value; 0 if it is a compile-time constant."""
        return 0.0 if is_known(value) else self.prices.sum_of([self._move(read_type(value.type))])

    def _cost_of_making(self, value: ir.Value, readers: Readers) -> float:
        """Return the nanoseconds added by computing it from operands in this order; infinity if impossible."""
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
        """Return the op that permutes a tensor to this order: a reshape if only unit dimensions move."""
        full = self._full(t)
        permute = Permute(input=full, permutation=self.order)
        long = [d for d in self.order if full.shape[d] != 1]
        return permute if long != sorted(long) else Reshape(input=full, shape=permute.results[0].shape)

    def _full(self, t: TensorType) -> TensorType:
        """Return a type with leading unit dimensions up to the rank of the order."""
        return t.with_shape((*(1,) * (len(self.order) - t.rank), *t.shape))
