"""Discrete Fourier transforms by NumPy, in float64."""

import numpy as np

from ttstack_runtime.kernels.table import Array, KernelTable

KERNELS = KernelTable()


@KERNELS
def fourier(
    re: Array,
    im: Array | None = None,
    *,
    dim: int,
    inverse: bool = False,
    onesided: bool = False,
    divisor: int = 1,
    root: bool = False,
) -> tuple[Array, Array]:
    """Both parts of the transform along `dim`; with `inverse` the exponent is positive."""
    x = _join(re, im)
    found = np.fft.ifft(x, axis=dim, norm="forward") if inverse else np.fft.fft(x, axis=dim)
    if onesided:
        found = np.take(found, range(x.shape[dim] // 2 + 1), axis=dim)
    found = found * _factor(divisor, root)
    return found.real.astype(re.dtype), found.imag.astype(re.dtype)


@KERNELS
def real_fourier(
    re: Array, im: Array | None = None, *, dim: int, size: int, divisor: int = 1, root: bool = False
) -> Array:
    """The real inverse transform along `dim` of the first half of the frequencies."""
    used = np.take(_join(re, im), range(size // 2 + 1), axis=dim)
    return (np.fft.irfft(used, n=size, axis=dim, norm="forward") * _factor(divisor, root)).astype(re.dtype)


def _join(re: Array, im: Array | None) -> Array:
    return re.astype(np.complex128) if im is None else re.astype(np.float64) + 1j * im.astype(np.float64)


def _factor(divisor: int, root: bool) -> float:
    return divisor**-0.5 if root else 1 / divisor
