"""Functions of single elements."""

import math
from collections.abc import Callable, Sequence
from enum import Enum
from functools import reduce
from itertools import pairwise
from typing import Any

import numpy as np

from tests.ttnn_python.stand_in.tensor import Array, DataType, Tensor, given, made

_WORD = (1 << 32) - 1

UnaryOpType = Enum("UnaryOpType", "GELU GELU_TANH HARDSIGMOID RELU RELU6 SIGMOID SILU TANH")
"""What products and convolutions can end in, and functions of two elements begin with."""


def _sigmoid(x: Array) -> Array:
    return 1 / (1 + np.exp(-x))


_erf = np.vectorize(math.erf, otypes=[np.float64])
_erfc = np.vectorize(math.erfc, otypes=[np.float64])

UNARY: dict[str, Callable[[Any], Any]] = {
    "abs": np.abs,
    "acos": np.arccos,
    "asin": np.arcsin,
    "asinh": np.arcsinh,
    "atan": np.arctan,
    "bitwise_not": np.invert,
    "cbrt": np.cbrt,
    "ceil": np.ceil,
    "cos": np.cos,
    "erf": _erf,
    "erfc": _erfc,
    "exp": np.exp,
    "exp2": np.exp2,
    "expm1": np.expm1,
    "floor": np.floor,
    "frac": lambda x: x - np.trunc(x),
    "hardsigmoid": lambda x: np.clip(x / 6 + 0.5, 0, 1),
    "isfinite": np.isfinite,
    "log": np.log,
    "log1p": np.log1p,
    "logical_not": lambda x: x == 0,
    "mish": lambda x: x * np.tanh(np.logaddexp(0, x)),
    "neg": np.negative,
    "reciprocal": lambda x: 1 / x,
    "relu": lambda x: np.maximum(x, 0),
    "relu6": lambda x: np.clip(x, 0, 6),
    "rsqrt": lambda x: 1 / np.sqrt(x),
    "sigmoid": _sigmoid,
    "sign": np.sign,
    "signbit": np.signbit,
    "silu": lambda x: x * _sigmoid(x),
    "sin": np.sin,
    "softsign": lambda x: x / (1 + np.abs(x)),
    "sqrt": np.sqrt,
    "square": np.square,
    "tan": np.tan,
    "tanh": np.tanh,
    "trunc": np.trunc,
}
"""By name, of one tensor."""

BINARY: dict[str, Callable[[Any, Any], Any]] = {
    "add": np.add,
    "atan2": np.arctan2,
    "bitwise_and": np.bitwise_and,
    "bitwise_or": np.bitwise_or,
    "bitwise_right_shift": np.right_shift,
    "bitwise_xor": np.bitwise_xor,
    "divide": np.true_divide,
    "eq": np.equal,
    "fmod": np.fmod,
    "ge": np.greater_equal,
    "gt": np.greater,
    "le": np.less_equal,
    "logical_and": lambda a, b: (a != 0) & (b != 0),
    "logical_left_shift": lambda a, b: np.where(b < 32, a << np.minimum(b, 31), 0),
    "logical_or": lambda a, b: (a != 0) | (b != 0),
    "logical_right_shift": lambda a, b: np.where(b < 32, (a & _WORD) >> np.minimum(b, 31), 0),
    "logical_xor": lambda a, b: (a != 0) ^ (b != 0),
    "lt": np.less,
    "maximum": np.maximum,
    "minimum": np.minimum,
    "multiply": np.multiply,
    "ne": np.not_equal,
    "pow": np.power,
    "remainder": np.remainder,
    "subtract": np.subtract,
}
"""By name, of two tensors, or a tensor and a number."""


def unary(function: Callable[[Any], Any]) -> Callable[..., Tensor]:
    """The call of a function of one element."""
    return lambda x, **keywords: made(x, function(x.values), **keywords)


def binary(function: Callable[[Any, Any], Any]) -> Callable[..., Tensor]:
    """The call of a function of two elements."""

    def run(
        x: Any,
        y: Any,
        *,
        input_tensor_a_activations: Sequence[Any] = (),
        input_tensor_b_activations: Sequence[Any] = (),
        activations: Sequence[Any] = (),
        **keywords: Any,
    ) -> Tensor:
        first, second = given([x, y])
        first = reduce(activated, input_tensor_a_activations, first)
        second = reduce(activated, input_tensor_b_activations, second)
        return made(x, reduce(activated, activations, function(first, second)), **keywords)

    return run


GeluVariant = Enum("GeluVariant", "Accurate FastLut Tanh")


def gelu(x: Tensor, *, variant: GeluVariant = GeluVariant.Accurate, **keywords: Any) -> Tensor:
    """By the error function, by the vector unit's table of lines, or by the hyperbolic tangent."""
    return made(x, (_gelu, _table_gelu, _tanh_gelu)[variant.value - 1](x.values), **keywords)


def _gelu(x: Array) -> Array:
    return x * (1 + _erf(x / math.sqrt(2))) / 2


def _table_gelu(x: Array) -> Array:
    """Between two knots the line that is nowhere further from `gelu(|x|) - |x| / 2` than any other; outside, ReLU."""
    size = np.abs(x)
    found = np.maximum(x, 0)
    for low, high in pairwise((0, 0.5, 1, 1.5, 2, 3)):
        places = np.linspace(low, high, 65)
        curve = _gelu(places) - places / 2
        slope = (curve[-1] - curve[0]) / (high - low)
        rest = curve - slope * places
        found = np.where((size >= low) & (size < high), x / 2 + slope * size + (rest.min() + rest.max()) / 2, found)
    return found


def _tanh_gelu(x: Array) -> Array:
    return x * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3))) / 2


def gelu_bw(grad: Tensor, x: Tensor, *, variant: GeluVariant = GeluVariant.Accurate, **keywords: Any) -> list[Tensor]:
    """The slope of either form, times the gradient; alone in a list."""
    slope = _gelu_slope if variant is GeluVariant.Accurate else _tanh_gelu_slope
    return [made(x, grad.values * slope(x.values), **keywords)]


def _gelu_slope(x: Array) -> Array:
    return (1 + _erf(x / math.sqrt(2))) / 2 + x * np.exp(-(x**2) / 2) / math.sqrt(2 * math.pi)


def _tanh_gelu_slope(x: Array) -> Array:
    inner = np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3))
    steep = math.sqrt(2 / math.pi) * (1 + 3 * 0.044715 * x**2)
    return (1 + inner) / 2 + x * (1 - inner**2) * steep / 2


def activated(values: Array, activation: Any) -> Array:
    """What a product or a convolution does at its end: a function with its parameters, or nothing."""
    if activation is None:
        return values
    kind, *parameters = activation.arguments
    if kind is UnaryOpType.GELU:
        assert parameters in ([0.0], [1.0]), "without a parameter it is not said which form is taken"
        return (_table_gelu if parameters == [1.0] else _gelu)(values)
    return _tanh_gelu(values) if kind is UnaryOpType.GELU_TANH else UNARY[kind.name.lower()](values)


def leaky_relu(x: Tensor, slope: float, **keywords: Any) -> Tensor:
    """With a slope below zero."""
    return made(x, np.where(x.values < 0, slope * x.values, x.values), **keywords)


def selu(x: Tensor, *, scale: float, alpha: float, **keywords: Any) -> Tensor:
    """An exponential below zero, all of it scaled."""
    return made(x, scale * np.where(x.values > 0, x.values, alpha * np.expm1(x.values)), **keywords)


def clamp(x: Tensor, *, min: Any = None, max: Any = None, **keywords: Any) -> Tensor:  # noqa: A002 the library's names
    """Between numbers, or between tensors."""
    low, high = given([min, max])
    above = x.values if low is None else np.maximum(x.values, low)
    return made(x, above if high is None else np.minimum(above, high), **keywords)


def div(x: Tensor, y: Any, *, rounding_mode: str | None = None, **keywords: Any) -> Tensor:
    """A quotient, whole where a mode asks for it."""
    (divisor,) = given([y])
    found = np.true_divide(x.values, divisor)
    return made(x, {None: found, "trunc": np.trunc(found), "floor": np.floor(found)}[rounding_mode], **keywords)


def where(condition: Tensor, x: Any, y: Any, **keywords: Any) -> Tensor:
    """One of two, each a tensor or a number."""
    like = next(value for value in (x, y, condition) if isinstance(value, Tensor))
    return made(like, np.where(condition.values != 0, *given([x, y])), **keywords)


def typecast(x: Tensor, dtype: DataType, **keywords: Any) -> Tensor:
    """Another format: reals are truncated to integers, but rounded to those of 16 bits, where they are not in blocks."""
    rounded = dtype is DataType.UINT16 and x.dtype in (DataType.BFLOAT16, DataType.FLOAT32)
    return made(x, np.floor(x.values + 0.5) if rounded else x.values, dtype, **keywords)


def bitcast(x: Tensor, dtype: DataType, **keywords: Any) -> Tensor:
    """The same bits as another format."""
    return made(x, _numbers(_bits(x), dtype), dtype, **keywords)


def _bits(x: Tensor) -> Array:
    if not x.dtype.is_real:
        return x.values
    words = x.values.astype(np.float32).view(np.uint32).astype(np.int64)
    return words >> 16 if x.dtype is DataType.BFLOAT16 else words


def _numbers(bits: Array, dtype: DataType) -> Array:
    if not dtype.is_real:
        return bits
    return (bits << 16 if dtype is DataType.BFLOAT16 else bits).astype(np.uint32).view(np.float32)


def quantize(x: Tensor, scale: Any, zero: Any, *, axis: int | None = None, **keywords: Any) -> Tensor:
    """Whole numbers of steps, from a zero point on."""
    scale, zero = (_along(n, x, axis) for n in (scale, zero))
    return made(x, np.rint(x.values / scale) + zero, **keywords)


def dequantize(x: Tensor, scale: Any, zero: Any, *, axis: int | None = None, **keywords: Any) -> Tensor:
    """Real numbers of steps."""
    scale, zero = (_along(n, x, axis) for n in (scale, zero))
    return made(x, (x.values - zero) * scale, **keywords)


def requantize(x: Tensor, *parameters: Any, axis: int | None = None, **keywords: Any) -> Tensor:
    """Steps of one size as steps of another."""
    scale, zero, to_scale, to_zero = (_along(n, x, axis) for n in parameters)
    return made(x, np.rint((x.values - zero) * scale / to_scale) + to_zero, **keywords)


def _along(number: Any, x: Tensor, axis: int | None) -> Any:
    (found,) = given([number])
    if axis is None or np.ndim(found) != 1:
        return found
    return np.reshape(found, [-1 if d == axis % len(x.shape) else 1 for d in range(len(x.shape))])
