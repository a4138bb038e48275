"""Between which numbers all elements of a value lie, whatever the inputs are; NaN aside."""

from collections.abc import Callable
from typing import Any

import numpy as np

from ttstack.dialects.base import attribute_values
from ttstack.dialects.elements import read_elements
from ttstack.dialects.types import read_type
from ttstack.mlir import ir
from ttstack.ops.base import OPS
from ttstack.ops.types import DType, ElementType
from ttstack.passes.pattern import producer
from ttstack.passes.ttir.writes import VIEWS

Bounds = tuple[float, float]

_ANY = (-np.inf, np.inf)


def bounds(value: ir.Value) -> Bounds:
    """The least and the greatest number that an element can be; infinite where it can overflow, or nothing is known."""
    dtype, op = read_type(value.type).dtype, producer(value)
    if dtype == DType.I1:
        return 0, 1
    rule = _RULES.get(op.name) if op is not None else None
    if rule is None:
        return _range(dtype) if isinstance(dtype, DType) and not dtype.is_float else _ANY
    low, high = rule(op)
    return _rounded(low, dtype), _rounded(high, dtype)


def _range(dtype: DType) -> Bounds:
    limits = np.iinfo(dtype.numpy)
    return limits.min, limits.max


def _rounded(bound: float, dtype: ElementType) -> float:
    """As the type holds it: infinite beyond its largest number."""
    if not isinstance(dtype, DType) or not dtype.is_float:
        return bound
    with np.errstate(over="ignore"):
        return float(np.asarray(bound).astype(dtype.numpy))


def _constant(op: Any) -> Bounds:
    values = read_elements(op.attributes["value"])
    return _hull([float(values.min()), float(values.max())]) if values.size else _ANY


def _full(op: Any) -> Bounds:
    number = float(attribute_values(OPS["full"], op)["fill_value"])
    return _hull([number])


def _chosen(op: Any) -> Bounds:
    return _hull([*bounds(op.operands[1]), *bounds(op.operands[2])])


def _same(op: Any) -> Bounds:
    return bounds(op.operands[0])


def _combined(function: Callable[[float, float], float]) -> Callable[[Any], Bounds]:
    """Of a function of two operands whose extremes are at extremes of its operands."""

    def rule(op: Any) -> Bounds:
        lhs, rhs = (bounds(v) for v in op.operands)
        with np.errstate(all="ignore"):
            return _hull([float(function(np.float64(a), np.float64(b))) for a in lhs for b in rhs])

    return rule


def _hull(numbers: list[float]) -> Bounds:
    return _ANY if np.isnan(numbers).any() else (min(numbers), max(numbers))


_RULES: dict[str, Callable[[Any], Bounds]] = {
    "ttir.constant": _constant,
    "ttir.full": _full,
    "ttir.where": _chosen,
    "ttir.add": _combined(np.add),
    "ttir.subtract": _combined(np.subtract),
    "ttir.multiply": _combined(np.multiply),
    **dict.fromkeys(("ttir.typecast", "ttir.broadcast", "ttir.permute", "ttir.repeat_interleave", *VIEWS), _same),
}
