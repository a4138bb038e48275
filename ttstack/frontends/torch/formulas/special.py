"""Special functions as formulas: gamma functions, Bessel functions, Chebyshev polynomials.

Sources: Abramowitz and Stegun, Handbook of Mathematical Functions, 1964; the numbers are those of its formulas.
"""

import math

import torch
from torch import Tensor

_aten = torch.ops.aten

_BERNOULLI = (1 / 6, -1 / 30, 1 / 42, -1 / 30, 5 / 66, -691 / 2730)
"""Bernoulli numbers B2, B4, ... of Euler-Maclaurin sums."""
_TERMS = 10
"""Terms that are summed before the Euler-Maclaurin remainder."""
_NODES = 64
"""Nodes of the trapezoidal rule for integrals over a period."""
_FAR = 40.0
"""The argument from which Bessel functions are computed by their asymptotic series."""


def digamma(x: Tensor) -> Tensor:
    """Return the logarithmic derivative of the gamma function (6.3.5, 6.3.7, 6.3.18)."""
    positive = torch.where(x > 0, x, 1 - x)
    total = torch.zeros_like(positive)
    for k in range(_TERMS):
        total = total + 1 / (positive + k)
    far = positive + _TERMS
    value = torch.log(far) - 0.5 / far - total
    for j, number in enumerate(_BERNOULLI, 1):
        value = value - number / (2 * j) * far ** (-2.0 * j)
    reflected = value - math.pi / torch.tan(math.pi * x)
    value = torch.where(x > 0, value, torch.where(x == torch.floor(x), math.nan, reflected))
    return torch.where(x == 0, -torch.copysign(torch.full_like(x, math.inf), x), value)


def _hurwitz(s: Tensor, q: Tensor) -> Tensor:
    """Return the sum of `(q + k) ** -s` for `s > 1` and `q > 0`, by Euler-Maclaurin (23.1.30)."""
    total = torch.zeros_like(s * q)
    for k in range(_TERMS):
        total = total + (q + k) ** -s
    far = q + _TERMS
    power = far**-s
    value = total + power * (far / (s - 1) + 0.5)
    factor = s * power / far
    for j, number in enumerate(_BERNOULLI, 1):
        value = value + number / math.factorial(2 * j) * factor
        factor = factor * (s + 2 * j - 1) * (s + 2 * j) / (far * far)
    return value


def zeta(s: Tensor, q: Tensor) -> Tensor:
    """Return the Hurwitz zeta function; the terms of negative `q` are summed as two other ones."""
    fraction = q - torch.floor(q)
    steps = -torch.floor(q)
    sign = 1 - 2 * torch.remainder(s, 2)
    start = torch.where(q > 0, 1.0, 1 - fraction)
    left = _hurwitz(s, start) - _hurwitz(s, start + torch.where(q > 0, 0.0, steps))
    right = _hurwitz(s, torch.where(q > 0, q, torch.where(fraction > 0, fraction, 1.0)))
    value = torch.where(q > 0, right, right + sign * left)
    value = torch.where((q <= 0) & (s != torch.floor(s)), math.nan, value)
    value = torch.where((q <= 0) & (fraction == 0), math.inf, value)
    return torch.where(s == 1, math.inf, torch.where(s < 1, math.nan, value))


def polygamma(n: int, x: Tensor) -> Tensor:
    """Return derivative `n` of `digamma` (6.4.10)."""
    if n == 0:
        return digamma(x)
    order = torch.full_like(x, float(n + 1))
    return (-1) ** (n + 1) * math.factorial(n) * zeta(order, x)


def _angles(x: Tensor) -> Tensor:
    return torch.arange(_NODES, dtype=x.dtype) * (2 * math.pi / _NODES)


def _scaled_i(order: int, x: Tensor) -> Tensor:
    """Return `exp(-|x|) * I(x)` of order 0 or 1 (9.6.19, 9.7.1)."""
    size, angles = torch.abs(x), _angles(x)
    near = torch.exp(torch.clamp(size, max=_FAR)[..., None] * (torch.cos(angles) - 1)) * torch.cos(order * angles)
    far = torch.clamp(size, min=_FAR)
    value = torch.where(size <= _FAR, torch.mean(near, -1), _series(order, -far) / torch.sqrt(2 * math.pi * far))
    return value if order == 0 else torch.sign(x) * value


def _series(order: int, x: Tensor) -> Tensor:
    """Return the asymptotic series of modified Bessel functions in `1 / x` (9.7.2)."""
    term = value = torch.ones_like(x)
    for k in range(1, 5):
        term = term * (4 * order**2 - (2 * k - 1) ** 2) / (k * 8 * x)
        value = value + term
    return value


def i0(x: Tensor) -> Tensor:
    """Return the modified Bessel function of the first kind of order 0."""
    return torch.exp(torch.abs(x)) * _scaled_i(0, x)


def i0e(x: Tensor) -> Tensor:
    """Return `exp(-|x|) * i0(x)`."""
    return _scaled_i(0, x)


def i1(x: Tensor) -> Tensor:
    """Return the modified Bessel function of the first kind of order 1."""
    return torch.exp(torch.abs(x)) * _scaled_i(1, x)


def i1e(x: Tensor) -> Tensor:
    """Return `exp(-|x|) * i1(x)`."""
    return _scaled_i(1, x)


def _scaled_k(order: int, x: Tensor) -> Tensor:
    """Return `exp(x) * K(x)` of order 0 or 1, by the trapezoidal rule (9.6.24); the integrand decays doubly."""
    positive = torch.clamp(x, min=2.0**-100)
    # The integrand is below 2^-40 of its maximum where x (cosh t - 1) exceeds 40.
    end = torch.acosh(1 + _FAR / positive)
    share = (torch.arange(_NODES, dtype=x.dtype) + 0.5) / _NODES
    t = end[..., None] * share
    grown = torch.exp(-positive[..., None] * (torch.cosh(t) - 1)) * (torch.cosh(t) if order else 1)
    value = torch.mean(grown, -1) * end
    return torch.where(x > 0, value, torch.where(x == 0, math.inf, math.nan))


def scaled_k0(x: Tensor) -> Tensor:
    """Return `exp(x) * k0(x)`."""
    return _scaled_k(0, x)


def scaled_k1(x: Tensor) -> Tensor:
    """Return `exp(x) * k1(x)`."""
    return _scaled_k(1, x)


def k0(x: Tensor) -> Tensor:
    """Return the modified Bessel function of the second kind of order 0."""
    return torch.exp(-x) * _scaled_k(0, x)


def k1(x: Tensor) -> Tensor:
    """Return the modified Bessel function of the second kind of order 1."""
    return torch.exp(-x) * _scaled_k(1, x)


def spherical_j0(x: Tensor) -> Tensor:
    """Return `sin(x) / x`."""
    return torch.where(x == 0, 1.0, torch.sin(x) / x)


def _bessel_j(order: int, x: Tensor) -> Tensor:
    """Return the Bessel function of the first kind of order 0 or 1 (9.1.21, 9.2.5)."""
    size, angles = torch.abs(x), _angles(x)
    phases = torch.clamp(size, max=_FAR)[..., None] * torch.sin(angles) - order * angles
    far = torch.clamp(size, min=_FAR)
    even, odd, term = torch.ones_like(far), torch.zeros_like(far), torch.ones_like(far)
    for k in range(1, 5):
        term = term * (4 * order**2 - (2 * k - 1) ** 2) / (k * 8 * far)
        even, odd = (even, odd + (-1) ** (k // 2) * term) if k % 2 else (even + (-1) ** (k // 2) * term, odd)
    phase = far - (order / 2 + 0.25) * math.pi
    wave = torch.sqrt(2 / (math.pi * far)) * (even * torch.cos(phase) - odd * torch.sin(phase))
    value = torch.where(size <= _FAR, torch.mean(torch.cos(phases), -1), wave)
    return value if order == 0 else torch.sign(x) * value


def j0(x: Tensor) -> Tensor:
    """Return the Bessel function of the first kind of order 0."""
    return _bessel_j(0, x)


def j1(x: Tensor) -> Tensor:
    """Return the Bessel function of the first kind of order 1."""
    return _bessel_j(1, x)


def erfcx(x: Tensor) -> Tensor:
    """Return `exp(x * x) * erfc(x)`: for large `x` the continued fraction (7.1.14)."""
    far = torch.clamp(x, min=2.0)
    fraction = far
    for k in range(24, 0, -1):
        fraction = far + 0.5 * k / fraction
    near = torch.clamp(x, max=2.0)
    return torch.where(x > 2, 1 / (math.sqrt(math.pi) * fraction), torch.exp(near * near) * torch.erfc(near))


def ndtri(p: Tensor) -> Tensor:
    """Return the quantile of the normal distribution, by the inverse error function and a Newton step."""
    x = math.sqrt(2) * torch.erfinv(2 * p - 1)
    inside = torch.isfinite(x)
    at = torch.where(inside, x, 0.0)
    error = 0.5 * torch.erfc(-at / math.sqrt(2)) - p
    better = at - error * math.sqrt(2 * math.pi) * torch.exp(0.5 * at * at)
    return torch.where(inside & (torch.abs(at) < 4), better, x)


FORMULAS = {
    _aten.digamma.default: digamma,
    _aten.polygamma.default: polygamma,
    _aten.special_zeta.default: zeta,
    _aten.special_i0e.default: i0e,
    _aten.special_i1.default: i1,
    _aten.special_i1e.default: i1e,
    _aten.special_bessel_j0.default: j0,
    _aten.special_bessel_j1.default: j1,
    _aten.special_erfcx.default: erfcx,
    _aten.special_ndtri.default: ndtri,
    _aten.special_modified_bessel_i0.default: i0,
    _aten.special_modified_bessel_i1.default: i1,
    _aten.special_modified_bessel_k0.default: k0,
    _aten.special_modified_bessel_k1.default: k1,
    _aten.special_scaled_modified_bessel_k0.default: scaled_k0,
    _aten.special_scaled_modified_bessel_k1.default: scaled_k1,
    _aten.special_spherical_bessel_j0.default: spherical_j0,
}
"""The formula of each op."""
