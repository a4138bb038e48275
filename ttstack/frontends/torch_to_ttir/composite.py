"""Elementwise ops that TTIR does not have, as formulas."""

import math
from functools import partial

from ttstack.dialects.ttir.build import cast, elementwise, slice_along
from ttstack.dialects.ttir.builders import ttir
from ttstack.dialects.types import read_type
from ttstack.frontends.torch_to_ttir.eltwise import compare, where
from ttstack.frontends.torch_to_ttir.table import TorchConversionTable
from ttstack.frontends.torch_to_ttir.torch_op import TorchOp
from ttstack.mlir import ir
from ttstack.ops.shapes import axis
from ttstack.ops.types import DType, ElementType, TensorType

CONVERSIONS = TorchConversionTable()

_REMAINDER = "remainder add where ne eq lt gt logical_and"
_FLOOR = f"{_REMAINDER} div floor subtract"

_WIDER: dict[ElementType, DType] = {DType.F16: DType.F32, DType.BF16: DType.F32}
"""The element type in which quotients of 16-bit types are computed."""


@CONVERSIONS("gelu", to="gelu gelu_tanh")
def _gelu(call: TorchOp) -> ir.Value:
    """Use the op of the exact form or of the approximation."""
    return (ttir.gelu if call.text(1) == "none" else ttir.gelu_tanh)(call.tensor(0))


@CONVERSIONS("elu", to="where gt multiply expm1")
def _elu(call: TorchOp) -> ir.Value:
    """Compute `scale * x` if positive, otherwise `scale * alpha * (exp(input_scale * x) - 1)`."""
    x, f = call.tensor(0), partial(elementwise, result=call.result)
    alpha, scale, input_scale = (float(call.number(i)) for i in (1, 2, 3))
    low = f("multiply", alpha * scale, f("expm1", x if input_scale == 1 else f("multiply", input_scale, x)))
    return where(compare("gt", x, 0), x if scale == 1 else f("multiply", scale, x), low, call.result)


@CONVERSIONS("selu", to="selu")
def _selu(call: TorchOp) -> ir.Value:
    """Use the op, with the constants of its definition."""
    return ttir.selu(call.tensor(0))


@CONVERSIONS("glu", to="multiply sigmoid slice_static")
def _glu(call: TorchOp) -> ir.Value:
    """Multiply the first half by the sigmoid of the second."""
    dim, f = axis(call.integer(1), call.result.rank), partial(elementwise, result=call.result)
    half = call.result.shape[dim]
    first, second = (slice_along(call.tensor(0), dim, at, at + half) for at in (0, half))
    return f("multiply", first, f("sigmoid", second))


@CONVERSIONS("hardswish", to="multiply hardsigmoid")
def _hardswish(call: TorchOp) -> ir.Value:
    """Compute `x * hardsigmoid(x)`."""
    x, f = call.tensor(0), partial(elementwise, result=call.result)
    return f("multiply", x, f("hardsigmoid", x))


@CONVERSIONS("softplus", to="where gt log1p exp multiply div")
def _softplus(call: TorchOp) -> ir.Value:
    """Compute `log(1 + exp(beta * x)) / beta`; `x` above the threshold."""
    x, f = call.tensor(0), partial(elementwise, result=call.result)
    beta, threshold = float(call.number(1)), float(call.number(2))
    scaled = x if beta == 1 else f("multiply", beta, x)
    soft = f("log1p", f("exp", f("minimum", scaled, threshold)))
    soft = soft if beta == 1 else f("div", soft, beta)
    return where(compare("gt", scaled, threshold), x, soft, call.result)


@CONVERSIONS("log_sigmoid", to="subtract minimum log1p exp neg abs")
def _log_sigmoid(call: TorchOp) -> ir.Value:
    """Compute `min(x, 0) - log(1 + exp(-|x|))`."""
    x, f = call.tensor(0), partial(elementwise, result=call.result)
    return f("subtract", f("minimum", x, 0), f("log1p", f("exp", f("neg", f("abs", x)))))


@CONVERSIONS("prelu", to="where gt multiply reshape")
def _prelu(call: TorchOp) -> ir.Value:
    """Select `x` if positive, otherwise `weight * x` with a weight per channel."""
    x, weight = call.tensor(0), call.tensor(1)
    rank, count = call.result.rank, read_type(weight.type).size
    if rank > 1:
        weight = ttir.reshape(weight, shape=(1, count, *(1,) * (rank - 2)))
    return where(compare("gt", x, 0), x, elementwise("multiply", weight, x, result=call.result), call.result)


@CONVERSIONS("log2", "log10", to="log multiply")
def _log(call: TorchOp) -> ir.Value:
    """Scale the natural logarithm."""
    f = partial(elementwise, result=call.result)
    return f("multiply", f("log", call.tensor(0)), 1 / math.log(2 if call.name.endswith("2") else 10))


@CONVERSIONS("sinh", "cosh", to="exp neg add subtract multiply")
def _hyperbolic(call: TorchOp) -> ir.Value:
    """Compute half the sum or difference of `exp(x)` and `exp(-x)`."""
    x, f = call.tensor(0), partial(elementwise, result=call.result)
    both = f("add" if call.name.endswith("cosh") else "subtract", f("exp", x), f("exp", f("neg", x)))
    return f("multiply", 0.5, both)


@CONVERSIONS("addcmul", "addcdiv", to="add multiply div")
def _addc(call: TorchOp) -> ir.Value:
    """Compute `x + value * a * b`, or `/ b`."""
    x, a, b, value = call.tensor(0), call.tensor(1), call.tensor(2), call.number(3)
    f = partial(elementwise, result=call.result)
    term = f("multiply" if call.name.endswith("mul") else "div", a, b)
    return f("add", x, term if value == 1 else f("multiply", value, term))


@CONVERSIONS("lerp.Scalar", "lerp.Tensor", to="add multiply subtract")
def _lerp(call: TorchOp) -> ir.Value:
    """Compute `a + weight * (b - a)`."""
    a, f = call.tensor(0), partial(elementwise, result=call.result)
    return f("add", a, f("multiply", call.operand(2), f("subtract", call.tensor(1), a)))


@CONVERSIONS("isnan", to="ne")
def _isnan(call: TorchOp) -> ir.Value:
    """Compare `x != x`."""
    return compare("ne", call.tensor(0), call.tensor(0))


@CONVERSIONS("isinf", to="eq abs")
def _isinf(call: TorchOp) -> ir.Value:
    """Compare `|x| == inf`."""
    x = call.tensor(0)
    return compare("eq", elementwise("abs", x, result=read_type(x.type)), math.inf)


@CONVERSIONS("floor_divide", "floor_divide.Scalar", to=_FLOOR)
def _floor_divide(call: TorchOp) -> ir.Value:
    """Round the quotient down."""
    return floor_quotient(call.operand(0), call.operand(1), call.result)


@CONVERSIONS("div.Tensor_mode", "div.Scalar_mode", to=f"{_FLOOR} trunc")
def _div_mode(call: TorchOp) -> ir.Value:
    """Keep the quotient, or round it down or towards zero."""
    a, b, result = call.operand(0), call.operand(1), call.result
    mode = "" if call.is_none(2) else call.text(2)
    if mode == "floor":
        return floor_quotient(a, b, result)
    quotient = elementwise("div", a, b, result=result)
    return ttir.trunc(quotient) if mode == "trunc" and result.dtype.is_float else quotient


@CONVERSIONS("remainder.Tensor", "remainder.Scalar", to=_REMAINDER)
def _remainder(call: TorchOp) -> ir.Value:
    """Compute the remainder towards zero, plus `b` if their signs differ."""
    result, b = call.result, call.operand(1)
    f = partial(elementwise, result=result)
    rest = f("remainder", call.operand(0), b)
    return rest if result.dtype.is_unsigned else where(_across(rest, b), f("add", rest, b), rest, result)


def floor_quotient(a: ir.Value | float, b: ir.Value | float, result: TensorType) -> ir.Value:
    """Return `floor(a / b)`: the integer quotient, minus 1 for a remainder whose sign differs from `b`."""
    f = partial(elementwise, result=result)
    if result.dtype.is_float:
        return cast(_real_floor_quotient(a, b, result.with_dtype(_WIDER.get(result.dtype, result.dtype))), result.dtype)
    quotient = f("div", a, b)
    if result.dtype.is_unsigned:
        return quotient
    return f("subtract", quotient, cast(_across(f("remainder", a, b), b), result.dtype))


def _real_floor_quotient(a: ir.Value | float, b: ir.Value | float, result: TensorType) -> ir.Value:
    """Return the floor of a real quotient by its remainder: `1.0 // 0.1` is 9, as the rounded quotient may be off."""
    f = partial(elementwise, result=result)
    rest = f("remainder", a, b)
    even = f("subtract", f("div", f("subtract", a, rest), b), cast(_across(rest, b), result.dtype))
    low = f("floor", even)
    quotient = f("add", low, cast(compare("gt", f("subtract", even, low), 0.5), result.dtype))
    if isinstance(b, ir.Value):
        return where(compare("eq", b, 0), f("div", a, b), quotient, result)
    return quotient if b else f("div", a, b)


def _across(rest: ir.Value, b: ir.Value | float) -> ir.Value:
    """Return whether there is a remainder with another sign than `b`."""
    if not isinstance(b, ir.Value):
        return compare("lt" if b > 0 else "gt", rest, 0)
    differ = compare("ne", compare("lt", rest, 0), compare("lt", b, 0))
    return compare("logical_and", compare("ne", rest, 0), differ)


@CONVERSIONS("tril", "triu", to="where arange le ge")
def _triangle(call: TorchOp) -> ir.Value:
    """Select the tensor or 0 by row and column."""
    result, diagonal = call.result, call.integer(1)
    rows, columns = result.shape[-2:]
    row = _count((rows, 1), diagonal, 0)
    column = _count((1, columns), 0, 1)
    kept = compare("le" if call.name.endswith("tril") else "ge", column, row)
    return where(kept, call.tensor(0), 0, result)


def _count(shape: tuple[int, int], start: int, dim: int) -> ir.Value:
    """Return integers from `start` along one dimension of a matrix."""
    bounds = {"start": start, "end": start + shape[dim], "step": 1}
    return ttir.arange(result=TensorType(shape, DType.I32), arange_dimension=dim, **bounds)
