"""Chebyshev polynomials of real numbers, whose degree is a tensor: by angles, inside and outside of [-1, 1].

Source: Abramowitz and Stegun, Handbook of Mathematical Functions, 1964, 22.3.15, 22.3.16.
"""

from collections.abc import Callable
from functools import partial

import torch
from torch import Tensor

_aten = torch.ops.aten


def _first(x: Tensor, n: Tensor) -> Tensor:
    """Return `cos(n t)` with `cos(t) = x`, or the hyperbolic functions of large `x`."""
    inside, outside, sign = _arguments(x, n)
    return torch.where(torch.abs(x) <= 1, torch.cos(n * inside), sign * torch.cosh(n * outside))


def _second(x: Tensor, n: Tensor) -> Tensor:
    """Return `sin((n + 1) t) / sin(t)`."""
    inside, outside, sign = _arguments(x, n)
    inner = _ratio(torch.sin((n + 1) * inside), torch.sin(inside), (n + 1) * torch.where(x < 0, sign, 1.0))
    outer = _ratio(torch.sinh((n + 1) * outside), torch.sinh(outside), n + 1)
    return torch.where(torch.abs(x) < 1, inner, sign * outer)


def _third(x: Tensor, n: Tensor) -> Tensor:
    """Return `cos((n + 1/2) t) / cos(t / 2)`."""
    return _second(x, n) - _second(x, n - 1)


def _fourth(x: Tensor, n: Tensor) -> Tensor:
    """Return `sin((n + 1/2) t) / sin(t / 2)`."""
    return _second(x, n) + _second(x, n - 1)


def _arguments(x: Tensor, n: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Return the angle of `x`, its hyperbolic counterpart, and the sign of `x ** n`."""
    size = torch.abs(x)
    sign = torch.where(x < 0, 1 - 2 * torch.remainder(n, 2), 1.0)
    return torch.acos(torch.clamp(x, -1, 1)), torch.acosh(torch.clamp(size, min=1)), sign


def _ratio(above: Tensor, below: Tensor, limit: Tensor) -> Tensor:
    return torch.where(below == 0, limit, above / torch.where(below == 0, 1.0, below))


def _polynomial(of: Callable[[Tensor, Tensor], Tensor], shifted: bool, x: Tensor, n: Tensor) -> Tensor:
    """Return the polynomial of degree `n`, truncated to an integer; 0 for negative degrees."""
    degree = torch.trunc(n)
    value = of(2 * x - 1 if shifted else x, degree)
    return torch.where(degree < 0, 0.0, value)


FORMULAS = {
    getattr(_aten, f"special_{kind}chebyshev_polynomial_{letter}").default: partial(_polynomial, of, bool(kind))
    for kind in ("", "shifted_")
    for letter, of in (("t", _first), ("u", _second), ("v", _third), ("w", _fourth))
}
"""The formula of each op."""
