"""Checks of arguments, with errors that state the expected values."""

from collections.abc import Iterable, Iterator
from operator import index
from typing import Any, cast

import numpy as np
from numpy.typing import DTypeLike

from ttstack.diagnostics import TensorTrainError


def whole(value: Any, least: int = 1) -> bool:
    """Return True for an integer of at least `least`, of Python or NumPy."""
    try:
        return not isinstance(value, bool) and index(value) >= least
    except TypeError:
        return False


def wholes(value: Any) -> bool:
    """Return True for a sequence of integers of at least 1."""
    return isinstance(value, (list, tuple, np.ndarray)) and all(map(whole, cast(Iterable[Any], value)))


def share(value: Any) -> bool:
    """Return True for a number of at least 0 and below 1."""
    return isinstance(value, (int, float, np.integer, np.floating)) and bool(0 <= value < 1)


def present(**given: Any) -> dict[str, Any]:
    """Return the arguments that are not None."""
    return {name: value for name, value in given.items() if value is not None}


def whole_faults(least: int = 1, **given: Any) -> Iterator[str]:
    """Yield the faults of integer arguments."""
    for name, value in given.items():
        if not whole(value, least):
            yield f"{name} is {value!r}, not a whole number of at least {least}"


def wholes_faults(**given: Any) -> Iterator[str]:
    """Yield the faults of arguments that are sequences of integers."""
    for name, value in given.items():
        if not (wholes(value) and len(value)):
            yield f"{name} is {value!r}, not a sequence of whole numbers of at least 1"


def share_faults(**given: Any) -> Iterator[str]:
    """Yield the faults of error limits."""
    for name, value in given.items():
        if not share(value):
            yield f"{name} is {value!r}, not a number of at least 0 and below 1"


def float_type(dtype: DTypeLike) -> np.dtype[Any]:
    """Return the element type of cores.

    Raises:
        TensorTrainError: it is not a NumPy type of real numbers.
    """
    try:
        found = np.dtype(dtype)
    except TypeError:
        found = None
    if found is None or found.kind != "f":
        name = repr(dtype) if found is None else str(found)
        raise TensorTrainError(f"cores of {name} are not possible", hint="use float16, float32 or float64")
    return found
