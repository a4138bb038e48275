"""Between which numbers all elements of a value lie, whatever the inputs are; NaN aside."""

from collections.abc import Callable, Sequence

import numpy as np

from ttstack.dialects.base import attribute_values
from ttstack.dialects.elements import read_elements
from ttstack.dialects.ttir.destination import is_overwritten
from ttstack.dialects.types import read_type
from ttstack.mlir import ir
from ttstack.ops.base import OPS
from ttstack.ops.types import DType, ElementType
from ttstack.passes.dataflow import Facts
from ttstack.passes.ttir.queries.aliases import VIEWS

Bounds = tuple[float, float]
Rule = Callable[[ir.Operation, Sequence[Bounds]], Bounds]
"""From an op and the bounds of its operands to those of its result."""

SIGNIFICANT_BITS = {DType.F64: 53, DType.F32: 24, DType.BF16: 8, DType.F16: 11}
"""Bits of integers that a real type represents exactly."""

_ANY = (-np.inf, np.inf)


def bounds(value: ir.Value) -> Bounds:
    """The least and the greatest number that an element can be; infinite where it can overflow, or nothing is known."""
    return Facts(lambda op: op.name in _RULES, _transfer).about(value)


def _transfer(value: ir.Value, op: ir.Operation | None, operands: Sequence[Bounds]) -> Bounds:
    dtype = read_type(value.type).dtype
    if dtype == DType.I1:
        return 0, 1
    if op is None or is_overwritten(value):
        return _range(dtype) if isinstance(dtype, DType) and not dtype.is_float else _ANY
    low, high = _RULES[op.name](op, operands)
    return _round_off(low, dtype), _round_off(high, dtype)


def _range(dtype: DType) -> Bounds:
    limits = np.iinfo(dtype.numpy)
    return limits.min, limits.max


def _round_off(bound: float, dtype: ElementType) -> float:
    """As the type holds it: infinite beyond its largest number."""
    if not isinstance(dtype, DType) or not dtype.is_float:
        return bound
    with np.errstate(over="ignore"):
        return float(np.asarray(bound).astype(dtype.numpy))


def _constant(op: ir.Operation, _: Sequence[Bounds]) -> Bounds:
    values = read_elements(op.attributes["value"])
    return _hull([float(values.min()), float(values.max())]) if values.size else _ANY


def _full(op: ir.Operation, _: Sequence[Bounds]) -> Bounds:
    number = float(attribute_values(OPS["full"], op)["fill_value"])
    return _hull([number])


def _where(_: ir.Operation, operands: Sequence[Bounds]) -> Bounds:
    return _hull([*operands[1], *operands[2]])


def _same(_: ir.Operation, operands: Sequence[Bounds]) -> Bounds:
    return operands[0]


def _extremes(function: Callable[[float, float], float]) -> Rule:
    """The rule of a function of two operands whose extremes are at extremes of its operands."""

    def rule(_: ir.Operation, operands: Sequence[Bounds]) -> Bounds:
        lhs, rhs = operands
        with np.errstate(all="ignore"):
            return _hull([float(function(np.float64(a), np.float64(b))) for a in lhs for b in rhs])

    return rule


def _hull(numbers: list[float]) -> Bounds:
    return _ANY if np.isnan(numbers).any() else (min(numbers), max(numbers))


_RULES: dict[str, Rule] = {
    "ttir.constant": _constant,
    "ttir.full": _full,
    "ttir.where": _where,
    "ttir.add": _extremes(np.add),
    "ttir.subtract": _extremes(np.subtract),
    "ttir.multiply": _extremes(np.multiply),
    **dict.fromkeys(("ttir.typecast", "ttir.broadcast", "ttir.permute", "ttir.repeat_interleave", *VIEWS), _same),
}
