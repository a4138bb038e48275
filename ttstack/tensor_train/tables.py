"""Dense tables as arguments: checked, and read in blocks of rows."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from math import frexp
from mmap import MADV_DONTNEED, mmap
from typing import Any, cast

import numpy as np
from numpy.typing import ArrayLike

from ttstack.diagnostics import TensorTrainError
from ttstack.tensor_train.indices import Array, array
from ttstack.tensor_train.shape import TensorTrainPlan

Progress = Callable[[str, float], None]
"""Called with the name of a task and the finished share, from 0 to 1."""

BLOCK_ELEMENTS = 1 << 18  # of a table in work at a time: what lies in cache while it is used
MAPPED_ELEMENTS = 1 << 24  # the same where rows are read from all over a file: what makes reading from a disk fast

_EVEN = (1e-6, 1e6)  # largest magnitudes whose squares and sums of squares are safe in float32


@dataclass(frozen=True)
class DenseTable:
    """A matrix of finite floats, and the power of two that scales its largest magnitude to about 1 if needed."""

    values: Array
    peak: float

    @property
    def scale(self) -> float:
        """The factor to apply before squaring."""
        if self.peak == 0 or _EVEN[0] <= self.peak <= _EVEN[1]:
            return 1.0
        return 2.0 ** -frexp(self.peak)[1]

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""
        return self.values.shape[0], self.values.shape[1]

    def check_size(self, plan: object) -> None:
        """Raise an error for a plan of another size.

        Raises:
            TensorTrainError: the sizes differ.
        """
        if not isinstance(plan, TensorTrainPlan):
            raise TensorTrainError(
                f"{type(plan).__name__} is not a plan", hint="pass the result of ttstack.tensor_train.plan"
            )
        if self.shape != (plan.rows, plan.cols):
            rows, cols = self.shape
            raise TensorTrainError(
                f"the plan is for {plan.rows} x {plan.cols}, the table has {rows} x {cols}",
                hint="plan for the size of the table",
            )


def accept_table(table: ArrayLike, progress: Progress | None = None) -> DenseTable:
    """Return a checked table, read once.

    Raises:
        TensorTrainError: it is not a matrix of floats, is empty, or has a non-finite value.
    """
    values: Array = cast(Array, table) if isinstance(table, np.ndarray) else array(table, "a table")
    if values.ndim != 2 or 0 in values.shape:
        raise TensorTrainError(
            f"a table must be a matrix, its shape is {list(values.shape)}", hint="give a 2-D array that is not empty"
        )
    if values.dtype.kind != "f" and values.dtype.name != "bfloat16":
        raise TensorTrainError(
            f"a table of {values.dtype} has no Tensor-Train form",
            hint="convert it to floats; a quantised table must be scaled back first",
        )
    peak = 0.0
    for start, block in row_blocks(values, "reading", progress):
        low, high = float(block.min()), float(block.max())
        if not np.isfinite(low) or not np.isfinite(high):
            raise _not_finite(start, block)
        peak = max(peak, -low, high)
    return DenseTable(values, peak)


def row_blocks(values: Array, task: str, progress: Progress | None = None) -> Iterator[tuple[int, Array]]:
    """Yield consecutive rows with the number of the first; pages of a mapped file are released after use."""
    step = max(1, BLOCK_ELEMENTS // values.shape[1])
    for start in range(0, len(values), step):
        yield start, values[start : start + step]
        release(values)
        if progress:
            progress(task, min(1.0, (start + step) / len(values)))


def release(values: Array) -> None:
    """Release the memory of a mapped file, which is read again if needed."""
    mapping = mapping_of(values)
    if mapping is not None:
        mapping.madvise(MADV_DONTNEED)


def mapping_of(values: Array) -> mmap | None:
    """Return the mapped file of an array, or None."""
    mapped: Any = values
    while isinstance(mapped, np.ndarray) and not isinstance(mapped, np.memmap):
        mapped = mapped.base
    facts: dict[str, Any] = getattr(cast(Any, mapped), "__dict__", {})
    return facts.get("_mmap") if facts.get("mode") == "r" else None


def _not_finite(start: int, block: Array) -> TensorTrainError:
    row, col = (int(place[0]) for place in np.nonzero(~np.isfinite(block)))
    return TensorTrainError(
        f"the table holds {block[row, col]} at row {start + row}, column {col}",
        notes=("it is the first value that is not finite",),
        hint="replace values that are not finite before decomposing",
    )
