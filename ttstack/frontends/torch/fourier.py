"""Discrete Fourier transforms of pairs of real tensors, as ops that an exported program keeps until they are priced.

They are `ttir.fourier` and `ttir.real_fourier`: ttstack/ops/fourier.py.
"""
# Not all of PyTorch says its types.
# pyright: reportUnknownMemberType=false

import torch
from torch import Tensor


@torch.library.custom_op(
    "ttstack::fourier",
    mutates_args=(),
    schema="(Tensor re, Tensor? im, int dim, bool inverse, bool onesided, int divisor, bool root) -> (Tensor, Tensor)",
)
def fourier(
    re: Tensor, im: Tensor | None, dim: int, inverse: bool, onesided: bool, divisor: int, root: bool
) -> tuple[Tensor, Tensor]:
    """Return both parts of the transform along a dimension, divided by a number or by its square root.

    Args:
        re: Real parts, of any shape.
        im: Imaginary parts; None for real numbers.
        dim: The dimension.
        inverse: Whether the exponent is positive.
        onesided: Whether only the first half of the frequencies is returned, `size // 2 + 1`.
        divisor: The divisor of all results.
        root: Whether its square root is the divisor.
    """
    x = re.to(torch.complex128) if im is None else torch.complex(re.double(), im.double())
    y = torch.fft.ifft(x, dim=dim, norm="forward") if inverse else torch.fft.fft(x, dim=dim)
    y = y.narrow(dim, 0, _half(x.shape[dim])) if onesided else y
    return (y.real * _factor(divisor, root)).to(re.dtype), (y.imag * _factor(divisor, root)).to(re.dtype)


@fourier.register_fake
def _(
    re: Tensor,
    im: Tensor | None,  # noqa: ARG001
    dim: int,
    inverse: bool,  # noqa: ARG001
    onesided: bool,
    divisor: int,  # noqa: ARG001
    root: bool,  # noqa: ARG001
) -> tuple[Tensor, Tensor]:
    shape = list(re.shape)
    shape[dim] = _half(shape[dim]) if onesided else shape[dim]
    return re.new_empty(shape), re.new_empty(shape)


def _factor(divisor: int, root: bool) -> float:
    return divisor**-0.5 if root else 1 / divisor


def _half(size: int) -> int:
    return size // 2 + 1


@torch.library.custom_op(
    "ttstack::real_fourier",
    mutates_args=(),
    schema="(Tensor re, Tensor im, int dim, int size, int divisor, bool root) -> Tensor",
)
def real_fourier(re: Tensor, im: Tensor, dim: int, size: int, divisor: int, root: bool) -> Tensor:
    """Return the real inverse transform along a dimension of the first half of the frequencies, divided by a number.

    Args:
        re: Real parts of at least `size // 2 + 1` frequencies.
        im: Imaginary parts.
        dim: The dimension.
        size: The extent of the result.
        divisor: The divisor of all results.
        root: Whether its square root is the divisor.
    """
    x = torch.complex(re.double(), im.double())
    return (torch.fft.irfft(x, n=size, dim=dim, norm="forward") * _factor(divisor, root)).to(re.dtype)


@real_fourier.register_fake
def _(re: Tensor, im: Tensor, dim: int, size: int, divisor: int, root: bool) -> Tensor:  # noqa: ARG001
    shape = list(re.shape)
    shape[dim] = size
    return re.new_empty(shape)
