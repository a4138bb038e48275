"""Elementwise ops as scalar functions."""

from collections.abc import Callable

import numpy as np

from ttstack.ops.base import Op
from ttstack.ops.eltwise import ACTIVATED, ActivatedBinary, BitcastConvert, ClampScalar, GeluBw, LeakyRelu, Selu
from ttstack.ops.types import DType, storage_of
from ttstack.passes.ttir_to_linalg import formulas, scalars
from ttstack.passes.ttir_to_linalg.scalars import Scalar, compare, library, maximum, minimum, select, truth
from ttstack.passes.ttir_to_linalg.table import LoweringTable
from ttstack.passes.ttir_to_linalg.tensors import Dense, elementwise, reread

LOWERINGS = LoweringTable()
Function = Callable[..., Scalar]


def _library(name: str) -> Function:
    return lambda x: library(name, formulas.real(x))


def _real(function: Function) -> Function:
    return lambda x: function(formulas.real(x))


def _rounding(name: str) -> Function:
    """Return a rounding function that keeps integers."""
    return lambda x: library(name, x) if x.is_float else x


def _absolute(x: Scalar) -> Scalar:
    if x.is_float:
        return library("absf", x)
    return x if x.dtype.is_unsigned else select(x < 0, -x, x)


def _negate(x: Scalar) -> Scalar:
    return x if x.is_truth else -x


def _reciprocal(x: Scalar) -> Scalar:
    return formulas.divide(x.like(1), x)


def _sign_bit(x: Scalar) -> Scalar:
    whole = scalars.bits_of(x, DType.I32 if x.dtype is DType.F32 else DType.I64) if x.is_float else x
    return whole < 0


def _is_finite(x: Scalar) -> Scalar:
    return library("absf", x) < float("inf") if x.is_float else scalars.constant(1, DType.I1)


def _power(x: Scalar, y: Scalar) -> Scalar:
    return library("powf", x, y) if x.is_float else formulas.whole_power(x, y)


SCALAR: dict[str, Function] = {
    **{n: _library(n) for n in ("acos", "asin", "asinh", "atan", "cbrt", "cos", "erfc", "exp2", "expm1")},
    **{n: _library(n) for n in ("log", "log1p", "sin", "sqrt", "tan")},
    **{n: _rounding(n) for n in ("ceil", "floor", "trunc")},
    "exp": _real(formulas.exp),
    "erf": _real(formulas.erf),
    "gelu": _real(formulas.gelu),
    "gelu_fast": _real(formulas.gelu_fast),
    "gelu_tanh": _real(formulas.gelu_tanh),
    "mish": _real(formulas.mish),
    "sigmoid": _real(formulas.sigmoid),
    "silu": _real(lambda x: x * formulas.sigmoid(x)),
    "tanh": _real(formulas.tanh),
    "rsqrt": _real(lambda x: 1 / library("sqrt", x)),
    "hardsigmoid": _real(lambda x: formulas.clip(x + 3, 0, 6) / 6),
    "softsign": _real(lambda x: x / (library("absf", x) + 1)),
    "abs": _absolute,
    "neg": _negate,
    "sign": formulas.sign,
    "signbit": _sign_bit,
    "isfinite": _is_finite,
    "frac": lambda x: x - library("trunc", x) if x.is_float else x - x,
    "square": lambda x: x * x,
    "reciprocal": _reciprocal,
    "relu": lambda x: maximum(x, 0),
    "relu6": lambda x: formulas.clip(x, 0, 6),
    "logical_not": lambda x: ~truth(x),
    "bitwise_not": lambda x: ~x,
    "typecast": lambda x: x,
    "add": lambda x, y: x + y,
    "subtract": lambda x, y: x - y,
    "multiply": lambda x, y: x * y,
    "div": formulas.divide,
    "remainder": formulas.remainder,
    "pow": _power,
    "atan2": lambda x, y: library("atan2", formulas.real(x), formulas.real(y)),
    "maximum": maximum,
    "minimum": minimum,
    "bitwise_and": lambda x, y: x & y,
    "bitwise_or": lambda x, y: x | y,
    "bitwise_xor": lambda x, y: x ^ y,
    "logical_left_shift": lambda x, y: formulas.shift("shli", x, y),
    "logical_right_shift": lambda x, y: formulas.shift("shrui", x, y),
    "right_shift": lambda x, y: formulas.shift("shrui" if x.dtype.is_unsigned else "shrsi", x, y),
    **{n: (lambda x, y, n=n: compare(n, x, y)) for n in ("eq", "ne", "ge", "gt", "le", "lt")},
    "logical_and": lambda x, y: truth(x) & truth(y),
    "logical_or": lambda x, y: truth(x) | truth(y),
    "logical_xor": lambda x, y: truth(x) ^ truth(y),
    "clamp_tensor": lambda x, low, high: minimum(maximum(x, low), high),
    "where": lambda condition, x, y: select(truth(condition), x, y),
}
"""The scalar function of each op, by mnemonic."""


@LOWERINGS(*SCALAR)
def _plain(op: Op, *operands: Dense) -> Dense:
    return elementwise(SCALAR[op.mnemonic], operands, op.results[0].dtype)


def activate(x: Dense, name: str) -> Dense:
    """Apply a unary function by mnemonic; return `x` for an empty name."""
    return elementwise(SCALAR[name], [x], x.dtype) if name else x


@LOWERINGS("selu")
def _selu(op: Selu, x: Dense) -> Dense:
    def body(e: Scalar) -> Scalar:
        wide = formulas.real(e)
        below = library("expm1", minimum(wide, 0)) * (op.scale * op.alpha)
        return select(wide > 0, wide * op.scale, below)

    return elementwise(body, [x], op.results[0].dtype)


@LOWERINGS("leaky_relu")
def _leaky_relu(op: LeakyRelu, x: Dense) -> Dense:
    def body(e: Scalar) -> Scalar:
        wide = formulas.real(e)
        return select(wide >= 0, wide, wide * op.parameter)

    return elementwise(body, [x], op.results[0].dtype)


@LOWERINGS(*(f"{ACTIVATED}{name}" for name in ("add", "subtract", "multiply")))
def _activated(op: ActivatedBinary, lhs: Dense, rhs: Dense) -> Dense:
    def body(x: Scalar, y: Scalar) -> Scalar:
        x = SCALAR[op.lhs_activation](x) if op.lhs_activation else x
        y = SCALAR[op.rhs_activation](y) if op.rhs_activation else y
        found = SCALAR[op.function](x, y)
        return SCALAR[op.activation](found) if op.activation else found

    return elementwise(body, [lhs, rhs], op.results[0].dtype)


@LOWERINGS("gelu_bw")
def _gelu_gradient(op: GeluBw, gradient: Dense, x: Dense) -> Dense:
    slope = formulas.gelu_tanh_gradient if op.approximate == "tanh" else formulas.gelu_gradient
    return elementwise(lambda g, e: formulas.real(g) * slope(formulas.real(e)), [gradient, x], op.results[0].dtype)


@LOWERINGS("clamp_scalar")
def _clamp(op: ClampScalar, x: Dense) -> Dense:
    low, high = (_bound(b, x.dtype) for b in (op.min, op.max))
    return elementwise(lambda e: minimum(maximum(e, low), high), [x], op.results[0].dtype)


def _bound(bound: float, dtype: DType) -> float | int:
    """Return a bound clamped to an integer type."""
    if dtype.is_float or dtype is DType.I1:
        return bound
    limits = np.iinfo(dtype.numpy)
    return int(min(max(bound, limits.min), limits.max))


@LOWERINGS("bitcast_convert")
def _bits(op: BitcastConvert, x: Dense) -> Dense:
    return reread(x, storage_of(op.results[0].dtype))
