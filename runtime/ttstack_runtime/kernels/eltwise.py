"""Elementwise ops: most are one NumPy function, the others stand below.

Float functions of integer operands compute in float64. Arithmetic on `i1` is StableHLO's: `add` is or,
`multiply` is and; `subtract` is exclusive or.
"""

import numpy as np

from ttstack_runtime.kernels import activations, integer, special
from ttstack_runtime.kernels.table import Array, Kernel, KernelTable


def _of_floats(function: Kernel) -> Kernel:
    """`function` of a float array, converting integers first."""

    def run(x: Array) -> Array:
        return function(x if x.dtype.kind == "f" else x.astype(np.float64))

    run.__name__, run.__doc__ = function.__name__, function.__doc__
    return run


_FLOAT_FUNCTIONS = {
    "acos": np.arccos,
    "asin": np.arcsin,
    "asinh": np.arcsinh,
    "atan": np.arctan,
    "cbrt": np.cbrt,
    "cos": np.cos,
    "erf": special.erf,
    "erfc": special.erfc,
    "exp": np.exp,
    "exp2": np.exp2,
    "expm1": np.expm1,
    "gelu": activations.gelu,
    "gelu_fast": activations.gelu_fast,
    "gelu_tanh": activations.gelu_tanh,
    "log": np.log,
    "log1p": np.log1p,
    "mish": activations.mish,
    "sigmoid": activations.sigmoid,
    "silu": activations.silu,
    "sin": np.sin,
    "sqrt": np.sqrt,
    "tan": np.tan,
    "tanh": np.tanh,
}

KERNELS = KernelTable(
    {name: _of_floats(function) for name, function in _FLOAT_FUNCTIONS.items()}
    | {
        "abs": np.abs,
        "add": np.add,
        "atan2": np.arctan2,
        "bitwise_and": np.bitwise_and,
        "bitwise_not": np.invert,
        "bitwise_or": np.bitwise_or,
        "bitwise_xor": np.bitwise_xor,
        "ceil": np.ceil,
        "eq": np.equal,
        "floor": np.floor,
        "ge": np.greater_equal,
        "gt": np.greater,
        "isfinite": np.isfinite,
        "le": np.less_equal,
        "logical_and": np.logical_and,
        "logical_left_shift": np.left_shift,
        "logical_not": np.logical_not,
        "logical_or": np.logical_or,
        "logical_right_shift": integer.shift_right_logical,
        "logical_xor": np.logical_xor,
        "lt": np.less,
        "maximum": np.maximum,
        "minimum": np.minimum,
        "multiply": np.multiply,
        "ne": np.not_equal,
        "right_shift": np.right_shift,
        "trunc": np.trunc,
    }
)


@KERNELS
def subtract(lhs: Array, rhs: Array) -> Array:
    """`lhs - rhs`."""
    return np.logical_xor(lhs, rhs) if lhs.dtype.kind == "b" else np.subtract(lhs, rhs)


def _activated(function: str) -> Kernel:
    """`function` of operands that go through the ops that two attributes name, and its result through a third."""

    def run(
        lhs: Array, rhs: Array, *, lhs_activation: str = "", rhs_activation: str = "", activation: str = ""
    ) -> Array:
        named = (lhs_activation, lhs), (rhs_activation, rhs)
        out = KERNELS.by_name[function](*[KERNELS.by_name[name](x) if name else x for name, x in named])
        return KERNELS.by_name[activation](out) if activation else out

    run.__name__ = f"activated_{function}"
    return run


for _function in ("add", "subtract", "multiply"):
    KERNELS(_activated(_function))


@KERNELS
def div(lhs: Array, rhs: Array) -> Array:
    """`lhs / rhs`; integers as `integer.divide`."""
    return np.divide(lhs, rhs) if lhs.dtype.kind == "f" else integer.divide(lhs, rhs)


@KERNELS
def remainder(lhs: Array, rhs: Array) -> Array:
    """Truncated remainder, with the sign of the dividend, as StableHLO defines it: -17 rem 3 is -2."""
    return np.fmod(lhs, rhs) if lhs.dtype.kind == "f" else integer.remainder(lhs, rhs)


@KERNELS
def pow_(lhs: Array, rhs: Array) -> Array:
    """`lhs ** rhs`; integers as `integer.power`."""
    return np.power(lhs, rhs) if lhs.dtype.kind == "f" else integer.power(lhs, rhs)


@KERNELS
def where(first: Array, second: Array, third: Array) -> Array:
    """`second` where `first` is not zero, else `third`."""
    return np.where(first if first.dtype.kind == "b" else first != 0, second, third)


@KERNELS
def neg(x: Array) -> Array:
    """`-x`, wrapping for integers; the identity on `i1`."""
    return x if x.dtype.kind == "b" else np.negative(x)


@KERNELS
def sign(x: Array) -> Array:
    """-1, 0 or 1; NaN stays NaN and -0 stays -0."""
    if x.dtype.kind == "b":
        return x
    return np.where(x == 0, x, np.sign(x)) if x.dtype.kind == "f" else np.sign(x)


@KERNELS
def signbit(x: Array) -> Array:
    """Whether the sign bit is set, also of -0 and NaN."""
    return np.signbit(x) if x.dtype.kind == "f" else x < 0


@KERNELS
def frac(x: Array) -> Array:
    """`x - trunc(x)`."""
    return x - np.trunc(x)


@KERNELS
def square(x: Array) -> Array:
    """`x * x`."""
    return x * x


@KERNELS
def reciprocal(x: Array) -> Array:
    """`1 / x`; integers truncate."""
    return np.reciprocal(x) if x.dtype.kind == "f" else integer.divide(np.ones_like(x), x)


@KERNELS
@_of_floats
def rsqrt(x: Array) -> Array:
    """`1 / sqrt(x)`."""
    return 1 / np.sqrt(x)


@KERNELS
def relu(x: Array) -> Array:
    """The larger of `x` and 0."""
    return np.maximum(x, x.dtype.type(0))


@KERNELS
def relu6(x: Array) -> Array:
    """`x` between 0 and 6."""
    return np.clip(x, x.dtype.type(0), x.dtype.type(6))


@KERNELS
@_of_floats
def hardsigmoid(x: Array) -> Array:
    """`x / 6 + 1/2` between 0 and 1."""
    return np.clip(x + 3, 0, 6) / 6


@KERNELS
@_of_floats
def softsign(x: Array) -> Array:
    """`x / (1 + |x|)`."""
    return x / (1 + np.abs(x))


@KERNELS
def selu(x: Array, *, scale: float = 1.0507009873390197, alpha: float = 1.6732635498046875) -> Array:
    """`scale * x` above 0, `scale * alpha * (exp(x) - 1)` below."""
    return np.where(x > 0, scale * x, scale * alpha * np.expm1(np.minimum(x, 0)))


@KERNELS
def leaky_relu(x: Array, *, parameter: float) -> Array:
    """`x` from 0 on, `parameter * x` below."""
    return np.where(x >= 0, x, parameter * x)


@KERNELS
def clamp_scalar(x: Array, *, min: float, max: float) -> Array:  # noqa: A002 the op's attribute names
    """`x` between two numbers; NaN stays NaN, and `max` wins where it is below `min`."""
    return np.minimum(np.maximum(x, _as_type(min, x)), _as_type(max, x))


@KERNELS
def clamp_tensor(x: Array, low: Array, high: Array) -> Array:
    """`x` between two tensors, broadcast."""
    return np.minimum(np.maximum(x, low), high)


@KERNELS
def gelu_bw(grad: Array, x: Array, *, approximate: str = "none") -> Array:
    """Gradient of GELU at `x` times `grad`; `approximate` is `none` or `tanh`."""
    return grad * (activations.gelu_tanh_gradient(x) if approximate == "tanh" else activations.gelu_gradient(x))


@KERNELS
def typecast(
    x: Array,
    *,
    dtype: np.dtype,
    conservative_folding: bool = False,  # noqa: ARG001 for the compiler's folding
) -> Array:
    """`x` as `dtype`: floats truncate to integers, saturating, NaN to 0; integers wrap; nonzero is true."""
    target = np.dtype(dtype)
    return integer.saturate(x, target) if (x.dtype.kind, target.kind) in {("f", "i"), ("f", "u")} else x.astype(target)


@KERNELS
def bitcast_convert(x: Array, *, dtype: np.dtype, source: np.dtype | None = None) -> Array:
    """The bits of `x` read as `dtype`, of the same size; `source` is the storage type of a widened `x`."""
    stored = x if source is None else x.astype(source)
    return np.ascontiguousarray(stored).view(dtype).reshape(x.shape)


def _as_type(bound: float, x: Array) -> Array:
    """A clamp bound as an element of `x`'s type; bounds outside an integer type are its limits."""
    if x.dtype.kind not in "iu":
        return x.dtype.type(bound)
    limits = np.iinfo(x.dtype)
    if abs(bound) == float("inf"):
        return x.dtype.type(limits.max if bound > 0 else limits.min)
    return x.dtype.type(sorted((limits.min, int(bound), limits.max))[1])
