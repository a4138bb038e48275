"""Discrete Fourier transforms by plan, as matmuls and multiplications by constant tables of real numbers."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from ttstack.dialects.ttir.build import concat_along, constant, permute_dims, reshape_to, slice_along
from ttstack.dialects.ttir.builders import ttir
from ttstack.dialects.types import read_type
from ttstack.mlir import ir
from ttstack.ops.fourier import frequencies
from ttstack.ops.types import TensorType
from ttstack.passes.ttir.matmuls.fourier_plans import Chirp, Direct, Plan, Split

Array = np.ndarray[Any, Any]


class Pair(NamedTuple):
    """The parts of a complex value; without the imaginary part it is real, or only its real part is used."""

    re: ir.Value
    im: ir.Value | None

    @property
    def type(self) -> TensorType:
        """The type of both parts."""
        return read_type(self.re.type)


@dataclass(frozen=True)
class FourierDirection:
    """What all transforms of a plan compute."""

    inverse: bool = False
    """Whether the exponent is positive."""
    real: bool = False
    """Whether only the real part of the result is used."""

    @property
    def inner(self) -> "FourierDirection":
        """The direction of a transform whose result is transformed further."""
        return FourierDirection(self.inverse)

    def roots(self, numbers: Array, size: int) -> Array:
        """Return `exp(-2 pi i k / size)` of integers, exact at quarter turns."""
        quarters, rest = np.divmod(4 * (np.asarray(numbers, np.int64) % size), size)
        roots = np.exp(-0.5j * np.pi * rest / size) * np.array([1, -1j, -1, 1j])[quarters]
        return roots.conj() if self.inverse else roots


def transform(
    x: Pair, dim: int, plan: Plan, to: FourierDirection, kept: int | None = None, factor: float = 1.0
) -> Pair:
    """Return the transform of a value along a dimension, times a factor; `kept` is the number of first frequencies."""
    rank = x.type.rank
    if isinstance(plan, Direct):
        matrix = factor * to.roots(np.outer(np.arange(plan.size), np.arange(kept or plan.size)), plan.size)
        if dim == rank - 2 and plan.left:
            return _multiply(x, matrix.T, to, left=True)
        return _moved(x, dim, lambda x: _multiply(x, matrix, to, left=False))
    if dim != rank - 1:
        return _moved(x, dim, lambda x: transform(x, rank - 1, plan, to, kept, factor))
    found = _split(x, plan, to, factor) if isinstance(plan, Split) else _convolve(x, plan, to, factor)
    return _each(found, lambda part: slice_along(part, rank - 1, 0, kept or plan.size))


def real_transform(x: Pair, dim: int, size: int, plan: Plan, factor: float = 1.0) -> ir.Value:
    """Return the real inverse transform from the first half of the frequencies along a dimension."""
    rank, to = x.type.rank, FourierDirection(inverse=True, real=True)
    half = _each(x, lambda part: slice_along(part, dim, 0, frequencies(size)))
    if not isinstance(plan, Direct):
        return transform(_mirrored(half, dim, size), dim, plan, to, factor=factor).re
    counts = np.where((2 * np.arange(frequencies(size))) % size == 0, 1.0, 2.0)
    matrix = factor * counts[:, None] * to.roots(np.outer(np.arange(frequencies(size)), np.arange(size)), size)
    if dim == rank - 2 and plan.left:
        return _multiply(half, matrix.T, to, left=True).re
    return _moved(half, dim, lambda x: _multiply(x, matrix, to, left=False)).re


def _mirrored(half: Pair, dim: int, size: int) -> Pair:
    """Return all frequencies of a real signal from the first half of them."""

    def mirror(part: ir.Value) -> ir.Value:
        return ttir.reverse(slice_along(part, dim, 1, size - frequencies(size) + 1), dimensions=(dim,))

    if size <= 2:
        return half
    re = concat_along([half.re, mirror(half.re)], dim)
    return Pair(re, None if half.im is None else concat_along([half.im, ttir.neg(mirror(half.im))], dim))


def _split(x: Pair, plan: Split, to: FourierDirection, factor: float) -> Pair:
    """Input index `a * second + b`, output index `k + first * l`."""
    rank, lead = x.type.rank, x.type.shape[:-1]
    first, second = plan.first.size, plan.second.size
    rows = _each(x, lambda part: reshape_to(part, (*lead, first, second)))
    inner = transform(rows, rank - 1, plan.first, to.inner)
    twiddles = to.roots(np.outer(np.arange(first), np.arange(second)), plan.size)
    outer = transform(_scale(inner, twiddles, to.inner), rank, plan.second, to, factor=factor)
    order = (*range(rank - 1), rank, rank - 1)
    return _each(outer, lambda part: reshape_to(permute_dims(part, order), (*lead, plan.size)))


def _convolve(x: Pair, plan: Chirp, to: FourierDirection, factor: float) -> Pair:
    """`n k = (n^2 + k^2 - (k - n)^2) / 2` makes the sum a convolution with `exp(pi i n^2 / size)`."""
    size, length, last = plan.size, plan.padded.size, x.type.rank - 1
    chirp = to.roots(np.arange(size, dtype=np.int64) ** 2, 2 * size)
    kernel = np.zeros(length, np.complex128)
    kernel[:size] = chirp.conj()
    kernel[length - size + 1 :] = chirp.conj()[:0:-1]
    padding = (*(0, 0) * last, 0, length - size)
    padded = _each(_scale(x, chirp, to.inner), lambda part: ttir.pad(part, padding=padding, value=0.0))
    spectrum = transform(padded, last, plan.padded, FourierDirection())
    product = _scale(spectrum, np.fft.fft(kernel) / length, to.inner)
    found = transform(product, last, plan.padded, FourierDirection(inverse=True))
    return _scale(_each(found, lambda part: slice_along(part, last, 0, size)), factor * chirp, to)


def _multiply(x: Pair, matrix: Array, to: FourierDirection, *, left: bool) -> Pair:
    """Multiply by a complex matrix, from the left or from the right."""
    cos, sin = _table(matrix.real, x.type), _table(matrix.imag, x.type)

    def times(part: ir.Value, table: ir.Value) -> ir.Value:
        return ttir.matmul(table, part) if left else ttir.matmul(part, table)

    if x.im is None:
        return Pair(times(x.re, cos), None if to.real else times(x.re, sin))
    re = ttir.subtract(times(x.re, cos), times(x.im, sin))
    return Pair(re, None if to.real else ttir.add(times(x.re, sin), times(x.im, cos)))


def _scale(x: Pair, factors: Array, to: FourierDirection) -> Pair:
    """Multiply by complex numbers that broadcast to the value."""
    shape = (1,) * (x.type.rank - factors.ndim) + factors.shape
    cos, sin = (_table(part.reshape(shape), x.type) for part in (factors.real, factors.imag))
    if x.im is None:
        return Pair(ttir.multiply(x.re, cos), None if to.real else ttir.multiply(x.re, sin))
    re = ttir.subtract(ttir.multiply(x.re, cos), ttir.multiply(x.im, sin))
    return Pair(re, None if to.real else ttir.add(ttir.multiply(x.re, sin), ttir.multiply(x.im, cos)))


def _table(values: Array, like: TensorType) -> ir.Value:
    return constant(values, like.with_shape(values.shape))


def _each(x: Pair, change: Callable[[ir.Value], ir.Value]) -> Pair:
    """Change both parts alike."""
    return Pair(change(x.re), None if x.im is None else change(x.im))


def _moved(x: Pair, dim: int, change: Callable[[Pair], Pair]) -> Pair:
    """Change a value whose dimension is moved to the end, and move it back."""
    rank = x.type.rank
    order = (*(d for d in range(rank) if d != dim), dim)
    back = tuple(order.index(d) for d in range(rank))
    return _each(change(_each(x, lambda part: permute_dims(part, order))), lambda part: permute_dims(part, back))
