"""Functions of the bits of float32 numbers."""

import torch
from torch import Tensor

from ttstack.diagnostics import UnsupportedOpError

_aten = torch.ops.aten

_PLACES = 23
"""Bits of the fraction of a float32."""
_HALF = 126
"""The stored exponent of numbers from 1/2 to 1."""
_RAISE = 24
"""The power of two that makes subnormal numbers normal."""


def _bits(x: Tensor, name: str) -> Tensor:
    if x.dtype != torch.float32:
        raise UnsupportedOpError(f"`{name}` is computed of {x.dtype}, only float32 is supported", hint="cast it first")
    return x.view(torch.int32)


def frexp(x: Tensor) -> tuple[Tensor, Tensor]:
    """Return numbers from 1/2 to 1 and exponents, whose power of two they are multiplied by."""
    small = torch.abs(x) < torch.finfo(torch.float32).tiny
    bits = _bits(torch.where(small, x * 2.0**_RAISE, x), "frexp")
    exponent = (bits >> _PLACES & 0xFF) - _HALF - torch.where(small, _RAISE, 0).to(torch.int32)
    plain = (x == 0) | ~torch.isfinite(x)
    share = (bits & -(0xFF << _PLACES) - 1 | _HALF << _PLACES).view(torch.float32)
    return torch.where(plain, x, share), torch.where(plain, 0, exponent).to(torch.int32)


def nextafter(x: Tensor, y: Tensor) -> Tensor:
    """Return the next number from `x` towards `y`."""
    bits = _bits(x, "nextafter")
    away = (x < y) == (x > 0)
    moved = (bits + torch.where(away, 1, -1).to(torch.int32)).view(torch.float32)
    least = torch.copysign(torch.full_like(x, torch.finfo(torch.float32).smallest_normal * 2.0**-_PLACES), y)
    moved = torch.where(x == 0, least, moved)
    return torch.where(torch.isnan(x) | torch.isnan(y), x + y, torch.where(x == y, y, moved))


FORMULAS = {_aten.frexp.Tensor: frexp, _aten.nextafter.default: nextafter}
"""The formula of each op."""
