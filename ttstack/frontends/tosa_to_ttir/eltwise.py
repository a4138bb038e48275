"""Elementwise ops with a TTIR op."""

from functools import partial

from ttstack.dialects.elements import read_elements
from ttstack.dialects.python_attributes import read_plain
from ttstack.dialects.ttir.build import cast, constant, scalar, splat
from ttstack.dialects.ttir.builders import ttir
from ttstack.dialects.types import read_type
from ttstack.frontends.conversion.rounding import TO_EVEN, round_to_even
from ttstack.frontends.stablehlo_to_ttir.eltwise import combine
from ttstack.frontends.tosa_to_ttir.tosa_op import TosaConversionTable, TosaOp
from ttstack.mlir import ir
from ttstack.ops.types import DType, ElementType

CONVERSIONS = TosaConversionTable()

_UNARY = {
    "abs": "abs",
    "bitwise_not": "bitwise_not",
    "ceil": "ceil",
    "cos": "cos",
    "erf": "erf",
    "exp": "exp",
    "floor": "floor",
    "log": "log",
    "reciprocal": "reciprocal",
    "rsqrt": "rsqrt",
    "sigmoid": "sigmoid",
    "sin": "sin",
    "tanh": "tanh",
}
_BINARY = {
    "add": "add",
    "sub": "subtract",
    "pow": "pow",
    "intdiv": "div",
    "bitwise_and": "bitwise_and",
    "bitwise_or": "bitwise_or",
    "bitwise_xor": "bitwise_xor",
    "logical_left_shift": "logical_left_shift",
    "logical_right_shift": "logical_right_shift",
}
_TO_BOOL = {
    "equal": "eq",
    "greater": "gt",
    "greater_equal": "ge",
    "logical_and": "logical_and",
    "logical_or": "logical_or",
    "logical_xor": "logical_xor",
}


def _unary(mnemonic: str, call: TosaOp) -> ir.Value:
    return ttir.build(mnemonic, call.tensor(0))


def _binary(mnemonic: str, call: TosaOp) -> ir.Value:
    return combine(mnemonic, call.tensor(0), call.tensor(1))


def _to_bool(mnemonic: str, call: TosaOp) -> ir.Value:
    return combine(mnemonic, call.tensor(0), call.tensor(1), result=call.result)


for _source, _mnemonic in _UNARY.items():
    CONVERSIONS.add([_source], [_mnemonic], partial(_unary, _mnemonic))
for _source, _mnemonic in _BINARY.items():
    CONVERSIONS.add([_source], [_mnemonic], partial(_binary, _mnemonic))
for _source, _mnemonic in _TO_BOOL.items():
    CONVERSIONS.add([_source], [_mnemonic], partial(_to_bool, _mnemonic))


@CONVERSIONS("const", to="constant full")
def _const(call: TosaOp) -> ir.Value:
    """Use `full` for a splat; large constants are parameters."""
    elements, t = ir.DenseElementsAttr(call.op.attributes["values"]), call.result
    if elements.is_splat and t.rank and t.dtype is not DType.I1:
        return splat(read_elements(elements).reshape(-1)[0].item(), t)
    return constant(read_elements(elements), t)


@CONVERSIONS("identity", to="")
def _identity(call: TosaOp) -> ir.Value:
    """Return the operand."""
    return call.tensor(0)


@CONVERSIONS("logical_not", to="logical_not")
def _logical_not(call: TosaOp) -> ir.Value:
    """Use the same op."""
    return ttir.logical_not(call.tensor(0), result=call.result)


@CONVERSIONS("maximum", "minimum", to="maximum minimum ne where")
def _extreme(call: TosaOp) -> ir.Value:
    """Propagate NaN, or use the other operand if NaN is ignored."""
    x, y = call.tensor(0), call.tensor(1)
    found = combine(call.name.removeprefix("tosa."), x, y)
    if call.word("nan_mode", "propagate") == "propagate" or not call.result.dtype.is_float:
        return found
    for value, other in ((x, y), (y, x)):
        nan = ttir.ne(value, value, result=read_type(value.type).with_dtype(DType.I1))
        found = combine("where", nan, other, found)
    return found


@CONVERSIONS("select", to="where")
def _select(call: TosaOp) -> ir.Value:
    """Select the second operand if the condition holds, otherwise the third."""
    return combine("where", call.tensor(0), call.tensor(1), call.tensor(2))


@CONVERSIONS("clamp", to="clamp_tensor full ne where")
def _clamp(call: TosaOp) -> ir.Value:
    """Keep NaN, or use the lower bound if NaN is ignored."""
    x, t = call.tensor(0), call.result
    low, high = (scalar(read_plain(call.op.attributes[name]), t) for name in ("min_val", "max_val"))
    found = ttir.clamp_tensor(x, low, high)
    if call.word("nan_mode", "propagate") == "propagate" or not t.dtype.is_float:
        return found
    return combine("where", ttir.ne(x, x, result=t.with_dtype(DType.I1)), low, found)


@CONVERSIONS("cast", to=f"typecast clamp_tensor {TO_EVEN}")
def _cast(call: TosaOp) -> ir.Value:
    """Round real numbers to the nearest integer, ties to even, and clamp; bools are 0 and 1."""
    x, t = call.tensor(0), call.result
    if not call.type(0).dtype.is_float or t.dtype.is_float or t.dtype is DType.I1:
        return cast(x, t.dtype)
    whole = round_to_even(x)
    wide = cast(ttir.clamp_tensor(whole, *(scalar(b, call.type(0)) for b in _WITHIN)), DType.I64)
    limits = [scalar(bound, read_type(wide.type)) for bound in bounds(t.dtype)]
    return cast(ttir.clamp_tensor(wide, *limits), t.dtype)


_WITHIN = (-float(1 << 40), float(1 << 40))
"""Bounds of real numbers that cover all integer types of TOSA and fit 64-bit integers."""


def bounds(dtype: ElementType, *, unsigned: bool = False) -> tuple[int, int]:
    """Return the smallest and the largest integer of an element type."""
    if unsigned or dtype.is_unsigned:
        return 0, (1 << dtype.bits) - 1
    return -(1 << dtype.bits - 1), (1 << dtype.bits - 1) - 1
