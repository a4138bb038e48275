"""How close two results are, in the measure that the field reports."""

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
