"""Indices of rows: checked, made distinct, and spelled in the digits that pick slices of cores."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ttstack.diagnostics import TensorTrainError

Array = NDArray[Any]


def array(given: ArrayLike, name: str) -> Array:
    """What is given as an array.

    Raises:
        TensorTrainError: it is none.
    """
    try:
        return np.asarray(given)
    except (TypeError, ValueError, RuntimeError) as e:
        raise TensorTrainError(
            f"{name} of {type(given).__name__} is no array", notes=(str(e),), hint="give an array of NumPy"
        ) from e


def check_rows(indices: ArrayLike, rows: int) -> Array:
    """Indices as int64, every one a row of a table of `rows` rows.

    Raises:
        TensorTrainError: they are no integers, or one of them is not a row; rows that pad the table are none.
    """
    given = array(indices, "indices")
    if given.size == 0 and given.dtype.kind == "f":
        return given.astype(np.int64)  # a list of none
    if given.dtype.kind not in "iu":
        raise TensorTrainError(f"indices are integers, not {given.dtype}", hint="convert them, as with .astype(int)")
    if given.size and (given.min() < 0 or given.max() >= rows):
        wrong = (given < 0) | (given >= rows)
        raise outside(given.reshape(-1)[np.argmax(wrong)], rows)
    return given.astype(np.int64, copy=False)


def outside(index: int, rows: int) -> TensorTrainError:
    """The error for an index that is not a row."""
    return TensorTrainError(
        f"index {index} is outside of a table of {rows} rows", hint="check the indices against the number of rows"
    )


def distinct(values: Array, count: int) -> tuple[Array, Array]:
    """The values below `count` that occur, ascending, and where in these each of `values` stands."""
    if count > 16 * values.size:
        return np.unique(values, return_inverse=True)
    present = np.zeros(count, bool)
    present[values] = True
    return np.flatnonzero(present), (np.cumsum(present) - 1)[values]


def divide_rows(rows: Array, factor: int) -> tuple[Array, Array]:
    """Quotients and remainders; NumPy's own `divmod` takes five times as long."""
    quotients = rows // factor
    return quotients, rows - quotients * factor


def digits(rows: Array, row_factors: tuple[int, ...]) -> list[Array]:
    """Row numbers in the mixed base of the factors, the most significant digit first."""
    found: list[Array] = []
    for factor in reversed(row_factors):
        rows, digit = divide_rows(rows, factor)
        found.append(digit)
    return found[::-1]
