"""Decomposition of a dense table to Tensor-Train form, with its measured error."""

from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike, DTypeLike

from ttstack.diagnostics import TensorTrainError
from ttstack.tensor_train.arguments import float_type
from ttstack.tensor_train.certificate import Certificate, certify
from ttstack.tensor_train.shape import TensorTrainPlan
from ttstack.tensor_train.sweep import swept
from ttstack.tensor_train.tables import DenseTable, Progress, accept_table
from ttstack.tensor_train.tensor_train import TensorTrain

# Where no directions stand out, the Gram matrix of float32 values resolves down to about 3e-4 of the largest one.
_RESOLVED = 5e-4  # measured error from which float32 was enough
_FINEST = 3e-3  # requested error from which float32 is tried first
_MARGIN = 1 - 1e-4  # of a requested error, left to rounding


def decompose(
    table: ArrayLike, plan: TensorTrainPlan, *, dtype: DTypeLike = np.float32, progress: Progress | None = None
) -> TensorTrain:
    """Return the Tensor-Train form of `table` by `plan`, with cores of `dtype` and a certificate of its error.

    The table is read in blocks, four times or, if float32 is too coarse, a few times more, and never copied: it may be
    a memory-mapped file larger than memory. Results are deterministic. The plan's ranks are upper limits; with
    `plan.rel_error`, the smallest sufficient ranks are used.

    Raises:
        TensorTrainError: the table is not a finite matrix of floats of the plan's size, or the error cannot be reached
        with the plan's ranks and `dtype`.
    """
    given = accept_table(table, progress)
    given.check_size(plan)
    dtype = float_type(dtype)
    if given.peak > float(np.finfo(dtype).max):
        raise TensorTrainError(
            f"values up to {given.peak:.3g} are too large for cores of {dtype}", hint="use dtype=numpy.float64"
        )
    measured = Certificate(float("inf"), 0, float("inf"))
    for precision, rel_error in _attempts(given, plan):
        ranks, cores = swept(given, plan, precision, rel_error, progress)
        train = TensorTrain(replace(plan, ranks=ranks), tuple(np.ascontiguousarray(core, dtype) for core in cores))
        measured = certify(given, train.plan, train.cores, precision, progress)
        resolved = precision == np.float64 or measured.rel_error >= _RESOLVED
        if resolved and (plan.rel_error is None or measured.rel_error <= plan.rel_error):
            return replace(train, certificate=measured)
    raise TensorTrainError(
        f"no decomposition keeps rel_error {plan.rel_error}: {measured.rel_error:.3g} was reached",
        notes=(f"ranks may grow to {list(plan.ranks)}, cores are {dtype}",),
        hint="allow a larger error, larger ranks, or dtype=numpy.float64",
    )


def _attempts(table: DenseTable, plan: TensorTrainPlan) -> list[tuple[np.dtype, float | None]]:
    """Return types to compute in, and error limits for the ranks: cheapest first, finally the plan's full ranks."""
    single, double = np.dtype(np.float32), np.dtype(np.float64)
    wanted = None if plan.rel_error is None else plan.rel_error * _MARGIN
    coarse = table.values.dtype != double and (wanted is None or wanted >= _FINEST)
    attempts = [(single, wanted)] if coarse else []
    return [*attempts, (double, wanted), *([(double, None)] if wanted is not None else [])]
