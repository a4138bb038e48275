"""Compressibility of a table before any decomposition: the spectra of its unfoldings."""

from dataclasses import dataclass
from math import prod

import numpy as np
from numpy.typing import ArrayLike

from ttstack.diagnostics import TensorTrainError
from ttstack.tensor_train.arguments import present, whole_faults, wholes_faults
from ttstack.tensor_train.factors import column_factors as best_column_factors
from ttstack.tensor_train.factors import row_factors as best_row_factors
from ttstack.tensor_train.indices import Array
from ttstack.tensor_train.shape import TensorTrainPlan
from ttstack.tensor_train.subspace import directions
from ttstack.tensor_train.tables import Progress, accept_table
from ttstack.tensor_train.unfolding import Unfolding

_LEADING = 128  # singular values of an unfolding that is too wide for all of them


@dataclass(frozen=True, eq=False)
class Spectrum:
    """Squared singular values of a `left x right` unfolding, descending, and their sum.

    Possibly only the leading ones.
    """

    left: int
    right: int
    energies: Array
    total: float

    def tail(self, rank: int) -> float:
        """Return the share of the squares that rank `rank` must lose; at most 1, and 0 for a table of zeros."""
        if self.total == 0 or rank >= min(self.left, self.right):
            return 0.0
        return max(0.0, 1 - float(self.energies[:rank].sum()) / self.total)


@dataclass(frozen=True, eq=False)
class Analysis:
    """Spectra of a table: `unfoldings[k]` between the cores `k` and `k + 1`, and `columns` of the table itself.

    For ranks `r`, the relative error of a decomposition is between the root of the largest tail and the root of their
    sum (Oseledets 2011, theorem 2.2 and corollary 2.4); padding rows count as zeros.
    """

    rows: int
    cols: int
    row_factors: tuple[int, ...]
    col_factors: tuple[int, ...]
    unfoldings: tuple[Spectrum, ...]
    columns: Spectrum

    def of(self, plan: TensorTrainPlan) -> tuple[Spectrum, ...]:
        """Return the spectra between the cores of a plan with these factors, or of a plan for two plain matrices.

        Raises:
            TensorTrainError: the plan has other factors.
        """
        if (plan.row_factors, plan.col_factors) == (self.row_factors, self.col_factors):
            return self.unfoldings
        if (plan.row_factors, plan.col_factors) == ((self.rows, 1), (1, self.cols)):
            return (self.columns,)
        raise TensorTrainError(
            f"the analysis is of factors {list(self.row_factors)} x {list(self.col_factors)}, "
            f"the plan of {list(plan.row_factors)} x {list(plan.col_factors)}",
            hint="analyze the table with the plan's row_factors and col_factors",
        )

    def bounds(self, plan: TensorTrainPlan) -> tuple[float, float]:
        """Return bounds of the relative error of a decomposition with the plan's ranks."""
        tails = [spectrum.tail(rank) for spectrum, rank in zip(self.of(plan), plan.ranks[1:-1], strict=True)]
        return max(tails, default=0.0) ** 0.5, sum(tails) ** 0.5


def analyze(
    table: ArrayLike,
    *,
    order: int = 3,
    row_factors: tuple[int, ...] | None = None,
    col_factors: tuple[int, ...] | None = None,
    progress: Progress | None = None,
) -> Analysis:
    """Return the spectra of unfoldings of `table` by the given factors, or by those of `plan` for `order` cores.

    Raises:
        TensorTrainError: the table is not a finite matrix of floats, or the factors do not fit its rows and columns.
    """
    given = accept_table(table, progress)
    rows, cols = given.shape
    lists = present(row_factors=row_factors, col_factors=col_factors)
    for fault in (*whole_faults(order=order), *wholes_faults(**lists)):
        raise TensorTrainError(fault, hint="leave out arguments that you do not need to fix")
    if row_factors is None:
        row_factors = best_row_factors(rows, len(col_factors) if col_factors else order)
    if col_factors is None:
        col_factors = best_column_factors(cols, len(row_factors))
    shape = TensorTrainPlan(rows, cols, row_factors, col_factors, (1,) * (len(row_factors) + 1))
    row_factors, col_factors = shape.row_factors, shape.col_factors

    dtype = np.float64 if given.values.dtype == np.float64 else np.float32

    def spectrum(heads: tuple[int, int], tails: tuple[int, int]) -> Spectrum:
        unfolding = Unfolding(given.values, heads, tails, dtype, given.scale, progress)
        found = directions(unfolding, min(_LEADING, unfolding.left, unfolding.right))
        return Spectrum(unfolding.left, unfolding.right, found.energies, found.total)

    unfoldings = tuple(
        spectrum(
            (prod(row_factors[:k]), prod(col_factors[:k])),
            (prod(row_factors[k:]), prod(col_factors[k:])),
        )
        for k in range(1, len(row_factors))
    )
    return Analysis(rows, cols, row_factors, col_factors, unfoldings, spectrum((rows, 1), (1, cols)))


def check_analysis(analysis: object) -> None:
    """Raise an error unless an argument is an analysis or None.

    Raises:
        TensorTrainError: it is something else.
    """
    if analysis is not None and not isinstance(analysis, Analysis):
        raise TensorTrainError(f"{type(analysis).__name__} is not an analysis", hint="pass the result of analyze")
