"""Operands of elementwise ops, which TTIR broadcasts, and constants."""

import math
from typing import Any

import numpy as np

from ttstack.dialects.base import attribute_values, definition_of
from ttstack.dialects.defining_op import defining_op
from ttstack.dialects.elements import read_elements
from ttstack.dialects.ttir.build import constant, reshape_to, splat
from ttstack.dialects.ttir.builders import ttir
from ttstack.dialects.types import read_type
from ttstack.mlir import ir
from ttstack.ops.base import OPS
from ttstack.ops.reduction import Reduction
from ttstack.ops.shapes import broadcast
from ttstack.ops.types import TensorType

_REDUCTIONS = frozenset(f"ttir.{name}" for name, spec in OPS.items() if issubclass(spec, Reduction))


def narrow(*values: ir.Value) -> list[ir.Value]:
    """Return the values without broadcasts that an elementwise op does itself."""
    shape = broadcast(*(read_type(v.type).shape for v in values))
    found = list(values)
    for i, value in enumerate(values):
        small = _unrepeat(value)
        others = [read_type(v.type).shape for v in (*found[:i], small, *found[i + 1 :])]
        if broadcast(*others) == shape:
            found[i] = small
    return found


def _unrepeat(value: ir.Value) -> ir.Value:
    owner = defining_op(value)
    t = read_type(value.type)
    if owner is None or t.rank == 0:
        return value
    if owner.name == "ttir.broadcast":
        return owner.operands[0]
    if owner.name == "ttir.full":
        number = attribute_values(OPS["full"], owner)["fill_value"]
        return splat(number, t.with_shape((1,) * t.rank))
    if owner.name == "ttir.constant" and ir.DenseElementsAttr(owner.attributes["value"]).is_splat:
        element = read_elements(owner.attributes["value"]).reshape(-1)[:1]
        one = t.with_shape((1,) * t.rank)
        return constant(element.reshape(one.shape), one)
    return value


def known_elements(value: ir.Value) -> np.ndarray[Any, Any] | None:
    """Return the elements of a constant, or None."""
    owner = defining_op(value)
    t = read_type(value.type)
    if owner is None:
        return None
    if owner.name in ("ttir.reshape", "ttir.broadcast"):
        inner = known_elements(owner.operands[0])
        return (
            None
            if inner is None
            else inner.reshape(t.shape)
            if inner.size == t.size
            else np.broadcast_to(inner, t.shape)
        )
    if owner.name == "ttir.full":
        return np.full(t.shape, attribute_values(OPS["full"], owner)["fill_value"], t.dtype.numpy)
    if owner.name in ("ttir.constant", "stablehlo.constant"):
        return read_elements(owner.attributes["value"])
    return None


def in_shape(value: ir.Value, shape: tuple[int, ...]) -> ir.Value:
    """Return `value` in another shape; a reduction whose dimensions are restored keeps them instead."""
    owner = defining_op(value)
    if owner is not None and owner.name in _REDUCTIONS:
        op = definition_of(owner)
        assert isinstance(op, Reduction)
        kept = tuple(1 if d in op.dims else extent for d, extent in enumerate(op.input.shape))
        if shape == kept and not op.keep_dim:
            attributes = attribute_values(type(op), owner) | {"keep_dim": True}
            result = op.results[0].with_shape(shape) if op.result_fields() else None
            return ttir.build(op.mnemonic, owner.operands[0], result=result, **attributes)
    return reshape_to(value, shape)


def spread(value: ir.Value, dims: tuple[int, ...], result: TensorType) -> ir.Value:
    """Compute `broadcast_in_dim`: dimension `i` of the value is dimension `dims[i]` of the result."""
    shape = read_type(value.type).shape
    line = [1] * result.rank
    for at, extent in zip(dims, shape, strict=True):
        line[at] = extent
    ordered = value
    if list(dims) != sorted(dims):
        order = sorted(range(len(dims)), key=lambda i: dims[i])
        ordered = ttir.permute(value, permutation=tuple(order))
    small = in_shape(ordered, tuple(line))
    factors = tuple(new if old == 1 else 1 for old, new in zip(line, result.shape, strict=True))
    if set(factors) <= {1}:
        return small
    if math.prod(result.shape) == 0:
        return splat(0, result)
    return ttir.broadcast(small, broadcast_dimensions=factors)


def neutral(which: str, value: ir.Value) -> bool:
    """Return True for a constant that is neutral in this kind of reduction."""
    found = known_elements(value)
    if found is None:
        return False
    number, t = found.reshape(-1)[0], found.dtype
    least, most = (-np.inf, np.inf) if t.kind not in "iub" else (0, 1) if t.kind == "b" else _limits(t)
    return bool(number == {"sum": 0, "prod": 1, "max": least, "min": most, "and": most, "or": 0}[which])


def _limits(dtype: np.dtype[Any]) -> tuple[int, int]:
    limits = np.iinfo(dtype)
    return limits.min, limits.max
