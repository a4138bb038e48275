"""Products of columns that are picked of others read these, with weights that are 0 for what is not picked."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial, reduce
from typing import Any

import numpy as np

from ttstack.dialects.base import definition_of
from ttstack.dialects.defining_op import defining_op
from ttstack.dialects.signature import erase_unused_parameters, read_arguments
from ttstack.dialects.ttir.builders import ttir
from ttstack.dialects.types import read_type
from ttstack.mlir import func, ir
from ttstack.ops.matmul import Matmul
from ttstack.ops.types import TensorType
from ttstack.passes.base import ParameterPass
from ttstack.passes.dataflow import Facts
from ttstack.passes.functions import body, functions, refresh_signature
from ttstack.passes.rewriting.prices import Prices
from ttstack.passes.ttir.matmuls.fan_in_cone import Copies, StandIns, cone, leaves
from ttstack.passes.ttir.matmuls.gathered_columns import MOVED, picked_columns
from ttstack.passes.ttir.matmuls.merged_matmul import has_known_columns
from ttstack.passes.ttir.matmuls.row_groups import Reading, readings
from ttstack.passes.ttir.matmuls.whole_rows import is_finite_with
from ttstack.passes.ttir.movement.reshape_by_head_ops import reshape_by_head_ops
from ttstack.passes.ttir.queries.compile_time import elements, is_constant, parameters
from ttstack.passes.ttir.queries.producers import MATMULS

_MOST_BYTES = 1 << 26
"""Larger weights are not made."""
_MOST_REPEATS = 4
"""How often a column is picked at most."""


Array = np.ndarray[Any, Any]


class FoldGatherIntoWeights(ParameterPass, name="fold-gather-into-weights"):
    """Columns that are picked by known numbers for a product alone stay where they are: its weights pick them.

    So products of all pairs of features go into the layer behind them as they come, in whatever order of columns is
    fast, and those of no pair meet weights that are 0. It is done where it is predicted to take less time and what is
    not picked is made of the same numbers; a module without a device stays as it is.
    """

    def run(self, module: ir.Module) -> None:
        """Look at products with matrices that are known."""
        if (prices := Prices.of(module)) is None:
            return
        for function in functions(module):
            constants = self._constants(function)
            for op in body(function):
                if op.name in MATMULS and self._skip(function, op, constants, prices):
                    constants = self._constants(function)

    def _skip(self, function: func.FuncOp, op: ir.Operation, constants: Facts[Array | None], prices: Prices) -> bool:
        """Do it where it pays; whether it does."""
        product = definition_of(op)
        assert isinstance(product, Matmul)
        if product.transpose_a or not product.a.dtype.is_float or not has_known_columns(op, product):
            return False
        picked = picked_columns(op.operands[0], constants)
        if not picked or not all(map(is_finite_with, picked)):
            return False
        choice = _choice(op, product, [part.source for part in picked], prices)
        best = choice.fastest([r for r in readings(picked, choice.inside) if self._takes(r, product)])
        if best is None:
            return False
        known = parameters()
        deciding = {p for value in choice.taken for p in known.about(value) or ()}
        with ir.InsertionPoint(op), op.location:
            matrices = [group.matrix(op.operands[1], transposed=product.transpose_b) for group in best]
            made = choice.build(best, StandIns(choice.inside), matrices)
        op.results[0].replace_all_uses_with(made)
        op.erase()
        for made_before in filter(None, map(defining_op, choice.inside)):
            if not list(made_before.results[0].uses):
                made_before.erase()
        names = [argument.name for argument in read_arguments(function)]
        self._weights.fix(names[p.arg_number] for p in deciding if not read_type(p.type).dtype.is_float)
        erase_unused_parameters(function, {names[p.arg_number] for p in deciding})
        refresh_signature(function)
        return True

    def _takes(self, reading: Reading, product: Matmul) -> bool:
        """Whether its weights are of a size that can be made before the program runs."""
        nbytes = sum(group.matrix_type(product).nbytes for group in reading)
        return nbytes <= _MOST_BYTES and max(group.repeats for group in reading) <= _MOST_REPEATS

    def _constants(self, function: func.FuncOp) -> Facts[Array | None]:
        names = [argument.name for argument in read_arguments(function)]

        def given(argument: ir.BlockArgument) -> Array | None:
            return self._weights.arrays.get(names[argument.arg_number]) if is_constant(argument) else None

        return elements(given=given)


@dataclass(frozen=True, eq=False)
class _Choice:
    """A product of picked columns, and what it can become."""

    op: ir.Operation
    product: Matmul
    lead: tuple[int, ...]
    """Its dimensions but the columns."""
    inside: Sequence[ir.Value]
    """What is made for the product alone, as far back as it can be made otherwise."""
    taken: Sequence[ir.Value]
    """What all this is made of."""
    prices: Prices

    def fastest(self, ways: Sequence[Reading]) -> Reading | None:
        """The way that is predicted to take the least time; None where none takes less than what is there."""
        types = [read_type(value.type) for value in self.taken]
        now = self._predicted(types, lambda given: self._copies(given)(self.op.results[0]))
        times = [self._time(way, types) for way in ways]
        return ways[times.index(min(times))] if times and min(times) < now else None

    def build(self, way: Reading, at: StandIns, matrices: Sequence[ir.Value]) -> ir.Value:
        """The sum of the products of all groups."""
        made, bias = list[ir.Value](), list(self.op.operands)[2:]
        for group, matrix in zip(way, matrices, strict=True):
            rows = group.rows(at, self.lead)
            made.append(ttir.linear(rows, matrix, *map(at, bias)) if bias else ttir.matmul(rows, matrix))
            bias = []
        return reduce(ttir.add, made)

    def _time(self, way: Reading, types: Sequence[TensorType]) -> float:
        matrices = [group.matrix_type(self.product) for group in way]

        def build(given: Sequence[ir.Value]) -> ir.Value:
            return self.build(way, self._copies(given[: len(types)]), given[len(types) :])

        return self._predicted([*types, *matrices], build)

    def _predicted(self, types: Sequence[TensorType], build: Callable[[Sequence[ir.Value]], ir.Value]) -> float:
        """Nanoseconds of that alone, with reshapes as they will be."""
        return self.prices.of_region(types, build, steps=[partial(reshape_by_head_ops().apply, prices=self.prices)])

    def _copies(self, given: Sequence[ir.Value]) -> StandIns:
        return Copies(self.inside, dict(zip(self.taken, given, strict=True)))


def _choice(op: ir.Operation, product: Matmul, sources: Sequence[ir.Value], prices: Prices) -> _Choice:
    inside = _made_for(op, sources)
    taken = dict.fromkeys([*leaves(op, inside), *(source for source in sources if source not in inside)])
    return _Choice(op, product, read_type(op.operands[0].type).shape[:-1], inside, [*taken], prices)


def _made_for(op: ir.Operation, sources: Sequence[ir.Value]) -> list[ir.Value]:
    """What is made for a product alone: columns, the products that they are picked of, and rows of these."""
    known = parameters()

    def is_made(other: ir.Operation) -> bool:
        value = other.results[0]
        moves = other.name in MOVED and read_type(value.type).dtype.is_float and known.about(value) is None
        return moves or (value in sources and other.name in MATMULS)

    block = [other.operation for other in op.block.operations]
    return cone(op, block[: block.index(op)], is_made)
