"""Smooth activations, which keep their relative precision where they vanish.

A sum such as `1 + erf(x)` or `1 + tanh(x)` has no digits left where it is almost 0, and `1 + exp(-x)` overflows
before its inverse is 0. So every function here is a product with an exponential of `-|x|`, which is computed in
float64: in float32, a rounded exponent of -80 alone costs a hundred units in the last place.
"""

from functools import cache
from itertools import pairwise

import numpy as np

from ttstack_runtime.chunks import in_chunks
from ttstack_runtime.kernels.special import normal_cdf
from ttstack_runtime.kernels.table import Array

_FLAT = 40
"""From here on, gradients are 0 or 1 in float32 and in float64."""

SLOPE = float(np.sqrt(8 / np.pi))
CUBIC = 0.044715


def gelu(x: Array) -> Array:
    """`x / 2 * (1 + erf(x / sqrt 2))`."""
    return in_chunks(lambda part: part * normal_cdf(part), x)


def gelu_gradient(x: Array) -> Array:
    """Derivative of `gelu`, by that of the distribution, its density."""

    def gradient(part: Array) -> Array:
        near = np.clip(part.astype(np.float64), -_FLAT, _FLAT)
        return normal_cdf(near) + near * np.exp(near * near * -0.5) / np.sqrt(2 * np.pi)

    return in_chunks(gradient, x)


KNOTS = (0.0, 0.5, 1.0, 1.5, 2.0, 3.0)
"""Where the lines begin and end that the vector unit's table has for GELU."""


def gelu_fast(x: Array) -> Array:
    """`x / 2` and a straight line of `|x|` between knots, for what GELU has more; beyond the last knot `max(x, 0)`."""
    slopes, offsets = lines()

    def product(part: Array) -> Array:
        wide = part.astype(np.float64)
        size = np.abs(wide)
        piece = np.clip(np.searchsorted(KNOTS, size, side="right") - 1, 0, len(slopes) - 1)
        near = wide / 2 + slopes[piece] * np.minimum(size, KNOTS[-1]) + offsets[piece]
        return np.where(size < KNOTS[-1], near, np.maximum(wide, 0))

    return in_chunks(product, x)


@cache
def lines() -> tuple[Array, Array]:
    """Slope and offset of each: through what GELU is at both ends, then moved so that it is as far above as below."""
    inside = np.array([np.linspace(begin, end, 65) for begin, end in pairwise(KNOTS)])
    more = inside * (normal_cdf(inside) - 0.5)
    slopes = (more[:, -1] - more[:, 0]) / (inside[:, -1] - inside[:, 0])
    below = more - slopes[:, None] * inside
    return slopes, (below.max(axis=1) + below.min(axis=1)) / 2


def gelu_tanh(x: Array) -> Array:
    """`x / 2 * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 x^3)))`, by `(1 + tanh(u)) / 2 = sigmoid(2 u)`."""

    def product(part: Array) -> Array:
        wide = part.astype(np.float64)
        return wide * _sigmoid(SLOPE * wide * (1 + CUBIC * wide * wide))

    return in_chunks(product, x)


def gelu_tanh_gradient(x: Array) -> Array:
    """Derivative of `gelu_tanh`."""

    def gradient(part: Array) -> Array:
        near = np.clip(part.astype(np.float64), -_FLAT, _FLAT)
        square = CUBIC * near * near
        u = SLOPE * near * (1 + square)
        return _sigmoid(u) * (1 + SLOPE * near * (1 + 3 * square) * _sigmoid(-u))

    return in_chunks(gradient, x)


def sigmoid(x: Array) -> Array:
    """`1 / (1 + exp(-x))`."""
    return in_chunks(_sigmoid, x)


def silu(x: Array) -> Array:
    """`x * sigmoid(x)`."""
    return in_chunks(lambda part: part * _sigmoid(part), x)


def mish(x: Array) -> Array:
    """`x * tanh(log(1 + exp(x)))`, by `tanh(log(1 + e)) = e (e + 2) / (e (e + 2) + 2)`."""

    def product(part: Array) -> Array:
        e = np.exp(np.minimum(part.astype(np.float64), 20))  # from 20 on the quotient is 1
        n = e * (e + 2)
        return part * (n / (n + 2))

    return in_chunks(product, x)


def _sigmoid(x: Array) -> Array:
    """In float64."""
    wide = x.astype(np.float64)
    return np.exp(np.minimum(wide, 0)) / (1 + np.exp(-np.abs(wide)))
