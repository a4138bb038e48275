"""The error of a Tensor-Train table against the dense one, measured row by row."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt

import numpy as np
from numpy.typing import DTypeLike

from ttstack.tensor_train.indices import Array
from ttstack.tensor_train.lookup import consecutive
from ttstack.tensor_train.shape import TensorTrainPlan
from ttstack.tensor_train.tables import DenseTable, Progress, row_blocks


@dataclass(frozen=True)
class Certificate:
    """Measured errors of a full table.

    `rel_error` is the Frobenius norm of the difference relative to that of the table; `worst_row` the row with the
    largest difference, and `worst_row_error` its Euclidean norm relative to the root mean square of all row norms.
    """

    rel_error: float
    worst_row: int
    worst_row_error: float


def certify(
    table: DenseTable, plan: TensorTrainPlan, cores: Sequence[Array], dtype: DTypeLike, progress: Progress | None = None
) -> Certificate:
    """Compare every row, with products and differences in `dtype` and sums in float64."""
    table_squares = difference_squares = worst = 0.0
    worst_row = 0
    scaled = [*(core.astype(dtype, copy=False) for core in cores[:-1]), cores[-1].astype(dtype) * table.scale]
    for start, block in row_blocks(table.values, "certifying", progress):
        rows = block.astype(dtype, copy=False)
        rows = rows * rows.dtype.type(table.scale) if table.scale != 1 else rows
        difference = consecutive(plan, scaled, start, start + len(rows))
        np.subtract(rows, difference, out=difference)
        squares = np.einsum("ij,ij->i", difference, difference)
        table_squares += float(np.vdot(rows, rows))
        difference_squares += float(squares.sum(dtype=np.float64))
        at = int(squares.argmax())
        if squares[at] > worst:
            worst, worst_row = float(squares[at]), start + at
    if table_squares == 0:
        return Certificate(
            0.0 if difference_squares == 0 else float("inf"), worst_row, 0.0 if worst == 0 else float("inf")
        )
    mean = table_squares / plan.rows
    return Certificate(sqrt(difference_squares / table_squares), worst_row, sqrt(worst / mean))
