"""Smooth real functions as straight-line arithmetic that compilers vectorize.

float32 has its own formulas, within a few units in the last place of the runtime's float64; float64 calls the C
library. Coefficients are shared with the runtime if it has them.
"""

from collections.abc import Sequence

import numpy as np

from ttstack.mlir import arith
from ttstack.ops.types import DType
from ttstack.passes.ttir_to_linalg.scalars import (
    Number,
    Scalar,
    bits_of,
    cast,
    compare,
    is_nan,
    library,
    maximum,
    minimum,
    select,
)
from ttstack_runtime.kernels import activations, special

_LOG2_E = 1.4426950408889634
_LN2_HIGH, _LN2_LOW = 0.693359375, -2.12194440e-4
"""Two numbers that sum to ln 2; the first has few bits, so that its products with exponents are exact."""
_EXP = (1.0, 1.0, 5.0000001201e-1, 1.6666665459e-1, 4.1665795894e-2, 8.3334519073e-3, 1.3981999507e-3, 1.9875691500e-4)
"""Coefficients of `exp` near 0, lowest first (Cephes, `expf`)."""
_TANH = (1.0, -3.33332819422e-1, 1.33314422036e-1, -5.37397155531e-2, 2.06390887954e-2, -5.70498872745e-3)
"""Coefficients of `tanh(x) / x` in `x * x`, below 0.625 (Cephes, `tanhf`)."""
_ROUNDER = 12582912.0
"""1.5 * 2 ** 23: adding it rounds a small number to an integer, which is then in its last bits."""


def polynomial(x: Scalar, coefficients: Sequence[float]) -> Scalar:
    """Evaluate a polynomial by Horner's rule, lowest coefficient first."""
    found = x.like(coefficients[-1])
    for c in reversed(coefficients[:-1]):
        found = found * x + c
    return found


def real(x: Scalar) -> Scalar:
    """Convert integers to float64, as NumPy's functions do."""
    return x if x.is_float else cast(x, DType.F64)


def absolute(x: Scalar) -> Scalar:
    """Return `|x|`."""
    return library("absf", x)


def exp(x: Scalar) -> Scalar:
    """Return the exponential of `x`."""
    if x.dtype is not DType.F32:
        return library("exp", x)
    near = minimum(maximum(x, -150.0), 100.0)
    shifted = near * _LOG2_E + _ROUNDER
    whole = shifted - _ROUNDER
    power = bits_of(shifted, DType.I32) - int(np.float32(_ROUNDER).view(np.int32))
    rest = near - whole * _LN2_HIGH - whole * _LN2_LOW
    half = _shift(power, 1)
    return polynomial(rest, _EXP) * _power_of_two(half) * _power_of_two(power - half)


def _shift(x: Scalar, count: int) -> Scalar:
    return Scalar(arith.shrsi(x.value, x.like(count).value), x.dtype)


def _power_of_two(exponent: Scalar) -> Scalar:
    """Return 2 to a small integer power, by the bits of a float32."""
    biased = exponent + 127
    return bits_of(Scalar(arith.shli(biased.value, biased.like(23).value), DType.I32), DType.F32)


def tanh(x: Scalar) -> Scalar:
    """Return the hyperbolic tangent."""
    if x.dtype is not DType.F32:
        return library("tanh", x)
    size = absolute(x)
    large = 1 - 2 / (exp(size * 2) + 1)
    square = x * x
    return select(size < 0.625, x * polynomial(square, _TANH), library("copysign", large, x))


def sigmoid(x: Scalar) -> Scalar:
    """Return `1 / (1 + exp(-x))`, accurate in the tail too."""
    small = exp(-absolute(x))
    return select(x < 0, small, x.like(1)) / (small + 1)


def erf(x: Scalar) -> Scalar:
    """Return the error function."""
    if x.dtype is not DType.F32:
        return library("erf", x)
    near = clip(x, -special.ERF32_LIMIT, special.ERF32_LIMIT)
    square = near * near
    ratio = near * polynomial(square, special.ERF32_NUMERATOR) / polynomial(square, special.ERF32_DENOMINATOR)
    return clip(ratio, -1, 1)


def normal_cdf(x: Scalar) -> Scalar:
    """Return `(1 + erf(x / sqrt 2)) / 2`, accurate in the tail too."""
    if x.dtype is not DType.F32:
        return library("erfc", x * -float(np.sqrt(0.5))) * 0.5
    size = minimum(absolute(x), special.CDF32_LIMIT)
    ratio = polynomial(size, special.CDF32_NUMERATOR) / polynomial(size, special.CDF32_DENOMINATOR)
    below = ratio * exp(size * size * -0.5)
    return select(x >= 0, 1 - below, below)


def gelu(x: Scalar) -> Scalar:
    """Return `x / 2 * (1 + erf(x / sqrt 2))`."""
    return x * normal_cdf(x)


def gelu_tanh(x: Scalar) -> Scalar:
    """Return `gelu` with a hyperbolic tangent instead of the error function."""
    return x * sigmoid(x * (x * x * activations.CUBIC + 1) * activations.SLOPE)


def gelu_fast(x: Scalar) -> Scalar:
    """Return `gelu` by linear interpolation."""
    slopes, offsets = activations.lines()
    size = absolute(x)
    slope, offset = x.like(float(slopes[0])), x.like(float(offsets[0]))
    for knot, next_slope, next_offset in zip(activations.KNOTS[1:], slopes[1:], offsets[1:], strict=False):
        beyond = size >= knot
        slope = select(beyond, x.like(float(next_slope)), slope)
        offset = select(beyond, x.like(float(next_offset)), offset)
    near = x * 0.5 + slope * size + offset
    return select(size < activations.KNOTS[-1], near, maximum(x, 0))


def gelu_gradient(x: Scalar) -> Scalar:
    """Return the derivative of `gelu`."""
    near = clip(x, -special.CDF32_LIMIT, special.CDF32_LIMIT)
    return normal_cdf(near) + near * exp(near * near * -0.5) * float(1 / np.sqrt(2 * np.pi))


def gelu_tanh_gradient(x: Scalar) -> Scalar:
    """Return the derivative of `gelu_tanh`."""
    near = clip(x, -special.CDF32_LIMIT, special.CDF32_LIMIT)
    square = near * near * activations.CUBIC
    u = near * (square + 1) * activations.SLOPE
    return sigmoid(u) * (near * (square * 3 + 1) * sigmoid(-u) * activations.SLOPE + 1)


def mish(x: Scalar) -> Scalar:
    """Return `x * tanh(log(1 + exp(x)))`."""
    e = exp(minimum(x, 20))
    n = e * (e + 2)
    return x * (n / (n + 2))


def clip(x: Scalar, low: Number, high: Number) -> Scalar:
    """Clamp `x` between two numbers; NaN stays NaN."""
    return minimum(maximum(x, low), high)


def sign(x: Scalar) -> Scalar:
    """Return -1, 0 or 1; NaN stays NaN and -0 stays -0."""
    if x.is_truth:
        return x
    one = select(x > 0, x.like(1), x)
    below = select(x < 0, x.like(-1), one) if x.is_float or not x.dtype.is_unsigned else one
    return select(is_nan(x), x, below) if x.is_float else below


def whole_power(base: Scalar, exponent: Scalar) -> Scalar:
    """Return the wrapping power of integers; a negative exponent gives the truncated value."""
    found, square = base.like(1), base
    for bit in range(base.dtype.bits - 1):
        asked = compare("ne", exponent & (1 << bit), 0)
        found = select(asked, found * square, found)
        square = square * square
    if base.dtype.is_unsigned:
        return found
    odd = compare("ne", exponent & 1, 0)
    unit = select(odd, base, base.like(1))
    is_unit = compare("eq", base, 1) | compare("eq", base, -1)
    return select(exponent < 0, select(is_unit, unit, 0), found)


def divide(x: Scalar, y: Scalar) -> Scalar:
    """Return the quotient; integers round towards zero, x / 0 sets all bits, and the minimum / -1 is the minimum."""
    if x.is_float:
        return x / y
    zero = compare("eq", y, 0)
    if x.dtype.is_unsigned:
        safe = select(zero, y.like(1), y)
        return select(zero, x.like(-1), Scalar(arith.divui(x.value, safe.value), x.dtype))
    minus = compare("eq", y, -1)
    safe = select(zero | minus, y.like(1), y)
    quotient = select(minus, -x, Scalar(arith.divsi(x.value, safe.value), x.dtype))
    return select(zero, x.like(-1), quotient)


def remainder(x: Scalar, y: Scalar) -> Scalar:
    """Return the remainder with the sign of the dividend; the dividend for integer division by zero."""
    if x.is_float:
        return Scalar(arith.remf(x.value, y.value), x.dtype)
    zero = compare("eq", y, 0)
    trivial = zero if x.dtype.is_unsigned else zero | compare("eq", y, -1)
    safe = select(trivial, y.like(1), y)
    rest = Scalar((arith.remui if x.dtype.is_unsigned else arith.remsi)(x.value, safe.value), x.dtype)
    return select(zero, x, rest)


def shift(name: str, x: Scalar, y: Scalar) -> Scalar:
    """Shift by `shli`, `shrsi` or `shrui` of `arith`; a shift by the width or more moves out all bits."""
    width = x.dtype.bits
    beyond = Scalar(arith.cmpi(9, y.value, y.like(width).value), DType.I1)  # not below, without a sign
    by = select(beyond, y.like(width - 1), y)
    moved = Scalar(getattr(arith, name)(x.value, by.value), x.dtype)
    return moved if name == "shrsi" else select(beyond, x.like(0), moved)
