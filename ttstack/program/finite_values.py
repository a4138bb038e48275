"""Check that values are finite."""

from typing import Any

import numpy as np

_ELEMENTS = 1 << 24
"""Elements of a part: NumPy makes a truth value of each."""


def is_finite(array: np.ndarray[Any, Any]) -> bool:
    """Return True if no element is infinite or NaN; look at a part of a large array at a time."""
    parts = np.array_split(np.atleast_1d(array), max(1, array.size // _ELEMENTS))
    return all(bool(np.isfinite(part).all()) for part in parts)
