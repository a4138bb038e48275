"""Discrete Fourier transforms of complex tensors, given as real and imaginary parts."""

from ttstack.ops.attributes import I64, Bool, Si32
from ttstack.ops.base import Op
from ttstack.ops.shapes import axis, expect
from ttstack.ops.types import DType, TensorType

LONGEST = 1 << 20
"""Maximum length of a transform: its tables have as many elements."""


def frequencies(size: int) -> int:
    """Return the number of frequencies that determine all those of a real signal."""
    return size // 2 + 1


class Transform(Op):
    """A transform along one dimension, divided by `divisor`, or by its square root if `root` is set."""

    executable = False
    re: TensorType
    im: TensorType | None = None
    dim: Si32
    divisor: I64 = 1
    root: Bool = False

    @property
    def factor(self) -> float:
        """The scale of all results."""
        return self.divisor**-0.5 if self.root else 1 / self.divisor

    def _check(self, size: int) -> None:
        """Raise `ValueError` for parts that do not fit each other, and for lengths without a transform."""
        real = isinstance(self.re.dtype, DType) and self.re.dtype.is_float
        expect(real, f"re {self.re} does not have real numbers")
        fits = self.im is None or self.im == self.re
        expect(fits, f"re {self.re} and im {self.im} are of different types")
        expect(0 < size <= LONGEST, f"the length of the transform is {size}, not 1 to {LONGEST}")
        expect(self.divisor > 0, f"divisor is {self.divisor}, not a positive number")

    def _with_extent(self, extent: int) -> TensorType:
        shape = list(self.re.shape)
        shape[axis(self.dim, self.re.rank)] = extent
        return self.re.with_shape(tuple(shape))


class Fourier(Transform, mnemonic="fourier"):
    """`X[k] = sum x[n] exp(-2 pi i n k / N)` along `dim`, as `fft`; with `inverse` the exponent is positive.

    With `onesided` only the first `N // 2 + 1` frequencies are returned, as `rfft`. Without `im` the input is real.
    """

    result_names = ("real_part", "imaginary_part")
    inverse: Bool = False
    onesided: Bool = False

    @property
    def size(self) -> int:
        """The length of the transform."""
        return self.re.shape[axis(self.dim, self.re.rank)]

    def infer(self) -> tuple[TensorType, ...]:
        """Return the type of both parts."""
        self._check(self.size)
        t = self._with_extent(frequencies(self.size)) if self.onesided else self.re
        return t, t


class RealFourier(Transform, mnemonic="real_fourier"):
    """The real inverse transform of `size` elements from the first `size // 2 + 1` frequencies, as `irfft`.

    The imaginary parts of frequency 0, and of the last one of an even size, have no effect.
    """

    size: I64

    def infer(self) -> TensorType:
        """Return the type of the real signal."""
        self._check(self.size)
        given, used = self.re.shape[axis(self.dim, self.re.rank)], frequencies(self.size)
        expect(given >= used, f"re {self.re} has {given} frequencies, size {self.size} needs {used}")
        return self._with_extent(self.size)
