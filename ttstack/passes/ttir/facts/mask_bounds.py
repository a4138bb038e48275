"""Bounds of the elements of each block of a large mask, without computing them."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import product
from typing import Any

import numpy as np

from ttstack.dialects.base import definition_of
from ttstack.dialects.types import read_type
from ttstack.mlir import ir
from ttstack.ops.movement import Permutation
from ttstack.ops.types import DType, ElementType, TensorType
from ttstack.passes.ttir.queries.aliases import VIEWS
from ttstack.passes.ttir.queries.compile_time import result_elements
from ttstack.passes.ttir.queries.movement_chain import PERMUTATIONS

Array = np.ndarray[Any, Any]

_ORDERED = frozenset({"lt", "le", "gt", "ge", "add", "subtract", "maximum", "minimum", "neg"})
"""Ops that are monotonic in each operand: extremes are at some extremes of the operands."""
_LOGICAL = frozenset({"logical_and", "logical_or", "logical_not", "logical_xor"})
"""Monotonic ops on truth values."""


@dataclass(frozen=True)
class Bounds:
    """The smallest and the largest element of each block of the last two dimensions."""

    least: Array
    most: Array

    @property
    def constant(self) -> Array:
        """Return the blocks whose elements are all equal."""
        return np.asarray(self.least == self.most)


def bounds_of(elements: Array, starts: Sequence[Array | None]) -> Bounds | None:
    """Return the bounds of an array whose last two dimensions are split at `starts`, or not for None."""
    least = most = elements
    for axis, begins in zip((-2, -1), starts, strict=True):
        if begins is not None:
            least, most = np.minimum.reduceat(least, begins, axis), np.maximum.reduceat(most, begins, axis)
    return _sound(least, most)


def bounds_after(op: ir.Operation, operands: Sequence[Bounds | None]) -> Bounds | None:
    """Return the bounds of the result of an elementwise op, a view, a broadcast or a move of leading dimensions.

    None if nothing is known about it. Operands are assumed independent: actual bounds may be tighter.
    """
    result, present = read_type(op.results[0].type), [bounds for bounds in operands if bounds is not None]
    computed = _after(op, result, present) if len(present) == len(operands) else None
    if computed is None and result.dtype == DType.I1:
        unknown = (*result.shape[:-2], 1, 1)
        return Bounds(np.zeros(unknown, bool), np.ones(unknown, bool))
    return computed


def _after(op: ir.Operation, result: TensorType, bounds: Sequence[Bounds]) -> Bounds | None:
    (first, *_), lead, name = bounds, result.shape[:-2], op.name.removeprefix("ttir.")
    if name in ("eq", "ne"):
        return _equal(*bounds, negated=name == "ne")
    if op.name in VIEWS:
        return Bounds(*(b.reshape(*lead, *b.shape[-2:]) for b in (first.least, first.most)))
    if name == "broadcast":
        return Bounds(*(np.broadcast_to(b, (*lead, *b.shape[-2:])) for b in (first.least, first.most)))
    if order := order_of_leading_dims(op):
        return Bounds(*(b.transpose(order) for b in (first.least, first.most)))
    types = [read_type(operand.type).dtype for operand in op.operands]
    return _by_corners(op, bounds) if _is_monotone(name, types, result.dtype) else None


def order_of_leading_dims(op: ir.Operation) -> tuple[int, ...] | None:
    """Return the order of a permutation that leaves the last two dimensions; None for any other op."""
    if op.name not in PERMUTATIONS:
        return None
    permutation = definition_of(op)
    assert isinstance(permutation, Permutation)
    order, rank = permutation.order, permutation.input.rank
    return order if order[-2:] == (rank - 2, rank - 1) else None


def _is_monotone(name: str, operands: Sequence[ElementType], result: ElementType) -> bool:
    truths = [dtype == DType.I1 for dtype in operands]
    match name:
        case "where":
            return truths[0]
        case "typecast":
            return truths[0] or result.is_float
        case "multiply":
            return result.is_float
        case _:
            return name in _ORDERED or (name in _LOGICAL and all(truths))


def _by_corners(op: ir.Operation, bounds: Sequence[Bounds]) -> Bounds | None:
    """Return the extremes of the op's results over all combinations of the operands' bounds."""
    results = [result_elements(op, corner) for corner in product(*((b.least, b.most) for b in bounds))]
    computed = [result for result in results if result is not None]
    return _sound(reduce(np.minimum, computed), reduce(np.maximum, computed)) if len(computed) == len(results) else None


def _equal(a: Bounds, b: Bounds, *, negated: bool) -> Bounds:
    never = (a.most < b.least) | (b.most < a.least)
    always = a.constant & b.constant & (a.least == b.least)
    return Bounds(never, ~always) if negated else Bounds(always, ~never)


def _sound(least: Array, most: Array) -> Bounds | None:
    """Return None if elements may be NaN, or integers whose sum could overflow."""
    if least.dtype.kind in "iu":
        limit = np.iinfo(least.dtype).max // 2
        is_sound = bool((least >= -limit).all() and (most <= limit).all())
    else:
        is_sound = not (np.isnan(least).any() or np.isnan(most).any())
    return Bounds(least, most) if is_sound else None
