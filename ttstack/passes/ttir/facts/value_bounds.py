"""Bounds of all elements of a value for any inputs, except NaN."""

import math
from collections.abc import Callable, Sequence

import numpy as np

from ttstack.dialects.base import attribute_values
from ttstack.dialects.elements import read_elements
from ttstack.dialects.ttir.destination import is_overwritten, pure_producer
from ttstack.dialects.types import read_type
from ttstack.mlir import ir
from ttstack.ops.base import OPS
from ttstack.ops.types import DType, ElementType
from ttstack.passes.dataflow import Facts
from ttstack.passes.ttir.queries.aliases import VIEWS
from ttstack.passes.ttir.queries.producers import scalar

Bounds = tuple[float, float]
Rule = Callable[[ir.Operation, Sequence[Bounds]], Bounds]
"""Computes the bounds of a result from an op and the bounds of its operands."""

SIGNIFICANT_BITS = {DType.F64: 53, DType.F32: 24, DType.BF16: 8, DType.F16: 11}
"""Bits of integers that a real type represents exactly."""

_ORDERED = 32
"""Casts from integers with fewer bits can wrap around."""

_ANY = (-np.inf, np.inf)


def bounds(value: ir.Value) -> Bounds:
    """Return the smallest and the largest possible element; infinite if it can overflow or is unknown."""
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
    """Round a bound as the type does: infinite beyond its largest number."""
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


def _where(op: ir.Operation, operands: Sequence[Bounds]) -> Bounds:
    """Return the bounds of both choices, the first one restricted by the condition."""
    low, high = operands[1]
    condition, chosen, _ = op.operands
    for comparison in _conjuncts(condition):
        compared, limit = comparison.operands[0], scalar(comparison.operands[1])
        if limit is None or is_overwritten(compared) or _before_casts(compared) != _before_casts(chosen):
            continue
        if comparison.name == "ttir.ge":
            low = max(low, math.floor(limit))
        elif comparison.name == "ttir.lt" and limit > 0:
            whole = not read_type(chosen.type).dtype.is_float
            high = min(high, math.ceil(limit) - 1 if whole else limit)
    return _hull([low, high, *operands[2]])


def _conjuncts(condition: ir.Value) -> list[ir.Operation]:
    """List the comparisons whose conjunction is the condition."""
    op = pure_producer(condition)
    if op is None:
        return []
    if op.name == "ttir.logical_and":
        return [comparison for operand in op.operands for comparison in _conjuncts(operand)]
    return [op] if op.name in ("ttir.ge", "ttir.lt") else []


def _before_casts(value: ir.Value) -> ir.Value:
    """Return the source of casts that keep the order of numbers."""
    while (cast := pure_producer(value, "ttir.typecast")) is not None and read_type(value.type).dtype.bits >= _ORDERED:
        value = cast.operands[0]
    return value


def _same(_: ir.Operation, operands: Sequence[Bounds]) -> Bounds:
    return operands[0]


def _extremes(function: Callable[[float, float], float]) -> Rule:
    """Return the rule of a binary function whose extremes are at extremes of its operands."""

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
