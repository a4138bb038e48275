"""Integers as sums of multiples of other values and constants."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ttstack.dialects.base import definition
from ttstack.dialects.ttir.build import constant, elementwise
from ttstack.dialects.ttir.destination import is_overwritten
from ttstack.dialects.types import read_type
from ttstack.mlir import ir
from ttstack.ops.shapes import broadcast
from ttstack.ops.types import DType, TensorType
from ttstack.passes.dataflow import Facts
from ttstack.passes.ttir.facts.distinct_slices import DistinctSlices, distinct_shape
from ttstack.passes.ttir.queries.compile_time import elements

Array = np.ndarray[Any, Any]

_MOST_ELEMENTS = 1 << 20
"""Constants with more elements are treated as unknown values."""
_FOLLOWED = frozenset({"ttir.add", "ttir.subtract", "ttir.multiply", "ttir.typecast", "ttir.broadcast"})


@dataclass(frozen=True, eq=False)
class LinearIndex:
    """`offsets + sum(factor * value)`, broadcast to one shape from the last dimension."""

    offsets: Array
    factors: Mapping[ir.Value, int]

    def scale(self, factor: int) -> "LinearIndex":
        """Return the multiple by a number."""
        return LinearIndex(self.offsets * factor, {value: n * factor for value, n in self.factors.items()})

    def plus(self, other: "LinearIndex") -> "LinearIndex":
        """Return the sum with another form."""
        both = {**self.factors, **other.factors}
        return LinearIndex(
            self.offsets + other.offsets,
            {value: self.factors.get(value, 0) + other.factors.get(value, 0) for value in both},
        )

    def divide(self, divisor: int) -> "LinearIndex | None":
        """Return the quotient by a number; None unless all offsets and factors are multiples of it."""
        if (self.offsets % divisor).any() or any(n % divisor for n in self.factors.values()):
            return None
        return LinearIndex(self.offsets // divisor, {value: n // divisor for value, n in self.factors.items()})

    def without(self, dim: int) -> "tuple[int, LinearIndex] | None":
        """Return the step along a dimension counted from the end, and the form at position 0; None if steps differ."""
        shapes = map(distinct_shape, self.factors)
        if any(len(shape) >= -dim and shape[dim] != 1 for shape in shapes):
            return None
        if self.offsets.ndim < -dim or self.offsets.shape[dim] == 1:
            return 0, self
        first = self.offsets.take([0], axis=dim)
        grown = np.diff(self.offsets, axis=dim)
        step = int(grown.flat[0])
        return (step, LinearIndex(first, self.factors)) if (grown == step).all() else None

    def build(self, dtype: DType) -> ir.Value:
        """Build the integers, with one slice of each value along dimensions that repeat it."""
        slices = DistinctSlices()
        values = {slices.of(value): n for value, n in self.factors.items() if n}
        shape = broadcast(self.offsets.shape, *(read_type(value.type).shape for value in values))
        t = TensorType(shape, dtype)
        total = (
            constant(self.offsets, TensorType(self.offsets.shape, dtype)) if self.offsets.any() or not values else None
        )
        for value, factor in values.items():
            term = value if factor == 1 else elementwise("multiply", value, factor, result=t)
            total = term if total is None else elementwise("add", total, term, result=t)
        assert total is not None
        return total


def linear_index(value: ir.Value) -> LinearIndex:
    """Return the linear form of integers; an unknown value is a term of its own."""
    known = elements(_MOST_ELEMENTS)

    def transfer(value: ir.Value, op: ir.Operation | None, operands: Sequence[LinearIndex]) -> LinearIndex:
        if _is_integer(value) and (array := known.about(value)) is not None:
            return LinearIndex(array.astype(np.int64), {})
        itself = LinearIndex(np.zeros((1,) * read_type(value.type).rank, np.int64), {value: 1})
        return itself if op is None else _combined(op, operands) or itself

    return Facts(_is_followed, transfer).about(value)


def _is_followed(op: ir.Operation) -> bool:
    spec = definition(op) if op.name in _FOLLOWED else None
    return spec is not None and all(map(_is_integer, (*op.operands, *op.results))) and not is_overwritten(op.results[0])


def _is_integer(value: ir.Value) -> bool:
    """Return True for integers that can represent any index."""
    dtype = read_type(value.type).dtype
    return isinstance(dtype, DType) and not dtype.is_float and dtype.bits >= DType.I32.bits


def _combined(op: ir.Operation, operands: Sequence[LinearIndex]) -> LinearIndex | None:
    match op.name:
        case "ttir.add":
            return operands[0].plus(operands[1])
        case "ttir.subtract":
            return operands[0].plus(operands[1].scale(-1))
        case "ttir.multiply":
            for number, other in (operands, operands[::-1]):
                if not number.factors and number.offsets.size == 1:
                    return other.scale(int(number.offsets.flat[0]))
            return None
        case _:
            return operands[0]
