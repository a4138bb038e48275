"""How close two results are, in the measure that the field reports."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike


def pcc(a: ArrayLike, b: ArrayLike) -> float:
    """Pearson's correlation coefficient of all elements, in float64.

    Where it is not defined, because a side is constant, it is 1 if both sides agree to float32 precision,
    else 0. Infinities and NaN must stand in the same places, else it is 0; the rest of the elements decides.

    Raises:
        ValueError: the shapes differ.
    """
    x, y = np.asarray(a, dtype=np.float64), np.asarray(b, dtype=np.float64)
    if x.shape != y.shape:
        raise ValueError(f"shapes {x.shape} and {y.shape} differ")
    finite = np.isfinite(x)
    if not np.array_equal(x[~finite], y[~finite], equal_nan=True) or not np.isfinite(y[finite]).all():
        return 0.0
    x, y = x[finite], y[finite]
    if x.size == 0:
        return 1.0
    x_centred, y_centred = x - x.mean(), y - y.mean()
    norms = float(np.linalg.norm(x_centred)) * float(np.linalg.norm(y_centred))
    scale = max(float(np.abs(x).max()), float(np.abs(y).max()))
    if norms <= (1e-12 * scale) ** 2 * x.size:
        return float(np.allclose(x, y, rtol=1e-6, atol=1e-12 * scale))
    return min(1.0, max(-1.0, float(x_centred @ y_centred) / norms))


@dataclass(frozen=True)
class ValueDifference:
    """How far an array is from the expected one."""

    pcc: float
    """Pearson's correlation coefficient of all elements."""
    largest: float
    """The largest absolute difference; infinite where only one side is finite."""
    relative: float
    """The largest difference over the largest finite magnitude that is expected."""
    index: tuple[int, ...]
    """The index of the largest difference."""
    value: float
    """The value at that index."""
    expected: float
    """The expected value at that index."""


def difference(values: ArrayLike, expected: ArrayLike) -> ValueDifference:
    """Compare all elements in float64; equal infinities and NaN on both sides do not differ.

    Raises:
        ValueError: the shapes differ.
    """
    x, y = np.asarray(values, dtype=np.float64), np.asarray(expected, dtype=np.float64)
    correlation = pcc(x, y)
    if x.size == 0:
        return ValueDifference(correlation, 0.0, 0.0, (), 0.0, 0.0)
    same = (x == y) | (np.isnan(x) & np.isnan(y))
    with np.errstate(invalid="ignore"):
        distance = np.where(same, 0.0, np.abs(x - y))
    distance[np.isnan(distance)] = np.inf
    index = np.unravel_index(int(distance.argmax()), x.shape)
    largest, scale = float(distance[index]), float(np.abs(y[np.isfinite(y)]).max(initial=0.0))
    relative = largest / scale if scale else (0.0 if largest == 0.0 else np.inf)
    return ValueDifference(correlation, largest, relative, tuple(map(int, index)), float(x[index]), float(y[index]))
