"""Forms of Fourier transforms."""

import numpy as np

from tests.forms.form import Form

FORMS = [
    Form(
        "fourier", "3x8xf32 3x8xf32", "3x8xf32 3x8xf32", lambda x, y: _parts(np.fft.fft(x + 1j * y)), "dim = 1 : si32"
    ),
    Form(
        "fourier",
        "3x5xf64 3x5xf64",
        "3x5xf64 3x5xf64",
        lambda x, y: _parts(np.fft.ifft(x + 1j * y, axis=0)),
        "dim = -2 : si32, inverse = true, divisor = 3 : i64",
    ),
    Form(
        "fourier",
        "2x9xf32",
        "2x5xf32 2x5xf32",
        lambda x: _parts(np.fft.rfft(x, norm="ortho")),
        "dim = 1 : si32, onesided = true, divisor = 9 : i64, root = true",
    ),
    Form(
        "real_fourier",
        "2x5xf32 2x5xf32",
        "2x9xf32",
        lambda x, y: np.fft.irfft(x + 1j * y, 9),
        "dim = 1 : si32, size = 9 : i64, divisor = 9 : i64",
    ),
    Form(
        "real_fourier",
        "2x6xf32",
        "2x8xf32",
        lambda x: np.fft.irfft(x, 8, norm="forward"),
        "dim = 1 : si32, size = 8 : i64",
    ),
]
"""Both transforms, forward and back, of even and odd lengths."""

INVALID = [
    ("fourier", "4x8xf32 4x7xf32", "4x8xf32 4x8xf32", "dim = 1 : si32", "different types"),
    ("fourier", "4x8xi32", "4x8xi32 4x8xi32", "dim = 1 : si32", "real numbers"),
    ("fourier", "4x0xf32", "4x0xf32 4x0xf32", "dim = 1 : si32", "length of the transform is 0"),
    ("fourier", "4x8xf32", "4x8xf32 4x8xf32", "dim = 1 : si32, divisor = 0 : i64", "divisor is 0"),
    ("real_fourier", "4x4xf32", "4x8xf32", "dim = 1 : si32, size = 8 : i64", "needs 5"),
]


def _parts(x: "np.ndarray[tuple[int, ...], np.dtype[np.complex128]]") -> tuple[object, object]:
    return x.real, x.imag
