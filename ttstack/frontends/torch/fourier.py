"""Discrete Fourier transforms as matmuls with constant matrices, on pairs of real tensors.

A transform of length `n = a * b` is `b` transforms of length `a`, a multiplication by twiddle factors, and `a`
transforms of length `b` (Cooley and Tukey, 1965). Short lengths and primes are one matmul with the whole matrix.
"""

import math
from collections.abc import Sequence

import torch
from torch import Tensor
from torch.utils._python_dispatch import _disable_current_modes

DIRECT = 256
"""Lengths up to which a transform is one matmul: its matrix has at most 8 x 8 tiles."""


def discrete_fourier(
    re: Tensor, im: Tensor | None, dim: int, *, forward: bool, kept: int | None = None
) -> tuple[Tensor, Tensor]:
    """Return the transform along a dimension, without a scale.

    Args:
        re: Real parts, of any shape.
        im: Imaginary parts; None for real numbers.
        dim: The dimension.
        forward: Whether the exponent is negative.
        kept: How many of the first frequencies are computed; all if None.
    """
    size = re.shape[dim]
    re, im = re.movedim(dim, -1), None if im is None else im.movedim(dim, -1)
    first = _factor(size)
    found = _direct(re, im, size, forward, kept) if first is None else _split(re, im, size, first, forward)
    if first is not None and kept is not None:
        found = found[0].narrow(-1, 0, kept), found[1].narrow(-1, 0, kept)
    return found[0].movedim(-1, dim), found[1].movedim(-1, dim)


def real_of_half(re: Tensor, im: Tensor, dim: int, size: int) -> Tensor:
    """Return the real inverse transform, without a scale, of the first half of the frequencies along a dimension."""
    half = size // 2 + 1
    re, im = re.movedim(dim, -1).narrow(-1, 0, half), im.movedim(dim, -1).narrow(-1, 0, half)
    cos, sin = _inverse_of_half(half, size, re.dtype)
    return (re @ cos - im @ sin).movedim(-1, dim)


def _inverse_of_half(half: int, size: int, dtype: torch.dtype) -> tuple[Tensor, Tensor]:
    """Each frequency but the first, and the last of an even size, counts twice."""
    with _disable_current_modes():
        weight = torch.full((half, 1), 2.0, dtype=torch.float64)
        weight[0] = 1.0
        if size % 2 == 0:
            weight[-1] = 1.0
        angle = _angles(half, size, size)
        return (weight * torch.cos(angle)).to(dtype), (weight * torch.sin(angle)).to(dtype)


def _factor(size: int) -> int | None:
    """The factor next below the root of a length that is split; None of one that is not."""
    if size <= DIRECT:
        return None
    return next((a for a in range(math.isqrt(size), 1, -1) if size % a == 0), None)


def _direct(re: Tensor, im: Tensor | None, size: int, forward: bool, kept: int | None) -> tuple[Tensor, Tensor]:
    cos, sin = _cos_and_sin(size, kept or size, size, re.dtype)
    sign = -1.0 if forward else 1.0
    if im is None:
        return re @ cos, (re @ sin) * sign
    return re @ cos - sign * (im @ sin), im @ cos + sign * (re @ sin)


def _split(re: Tensor, im: Tensor | None, size: int, first: int, forward: bool) -> tuple[Tensor, Tensor]:
    """Input index `a * second + b`, output index `k + first * l`."""
    second, lead = size // first, re.shape[:-1]
    shape = (*lead, first, second)
    parts = re.reshape(shape), None if im is None else im.reshape(shape)
    inner_re, inner_im = discrete_fourier(*parts, dim=-2, forward=forward)
    cos, sin = _cos_and_sin(first, second, size, re.dtype)
    sign = -1.0 if forward else 1.0
    turned_re = inner_re * cos - sign * (inner_im * sin)
    turned_im = inner_im * cos + sign * (inner_re * sin)
    outer = discrete_fourier(turned_re, turned_im, -1, forward=forward)
    return _joined(outer[0], lead, size), _joined(outer[1], lead, size)


def _joined(x: Tensor, lead: Sequence[int], size: int) -> Tensor:
    return x.transpose(-1, -2).reshape(*lead, size)


def _cos_and_sin(rows: int, columns: int, size: int, dtype: torch.dtype) -> tuple[Tensor, Tensor]:
    with _disable_current_modes():
        angle = _angles(rows, columns, size)
        return torch.cos(angle).to(dtype), torch.sin(angle).to(dtype)


def _angles(rows: int, columns: int, size: int) -> Tensor:
    """2 pi r c / n in float64, of products that are taken modulo n."""
    products = torch.outer(torch.arange(rows), torch.arange(columns)) % size
    return products.to(torch.float64) * (2 * math.pi / size)
