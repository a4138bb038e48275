"""Candidate trains of a table, each with the reasons against it."""

from dataclasses import dataclass, replace
from typing import Any
from warnings import catch_warnings, simplefilter

import numpy as np

from ttstack.diagnostics import TensorTrainError
from ttstack.ops.tensor_train_type import TensorTrainType
from ttstack.ops.types import TILE, DType
from ttstack.options.tensor_train import TableSettings
from ttstack.passes.ttir.tensor_train.prices import device_bytes
from ttstack.passes.ttir.tensor_train.tables import EmbeddingTable
from ttstack.tensor_train import Analysis, TensorTrainPlan, analyze, gate, plan

Array = np.ndarray[Any, Any]

_ORDERS = (2, 3)
"""Numbers of cores to try: two for rows that are pairs of features, three for most others."""


@dataclass(frozen=True)
class TensorTrainCandidate:
    """A train, the reason why it is rejected, and its minimum error; the error is unknown without values."""

    train: TensorTrainType
    reasons: tuple[str, ...] = ()
    least_error: float | None = None


def best_candidate(table: EmbeddingTable, settings: TableSettings, values: Array | None) -> TensorTrainCandidate:
    """Return the smallest candidate on the device that qualifies, or the smallest of all if none does.

    Raises:
        TensorTrainError: there is no candidate; with the message of the last attempt.
    """
    candidates: list[TensorTrainCandidate] = []
    fault: TensorTrainError | None = None
    for order in _orders(settings):
        try:
            candidates.append(_candidate(table, settings, values, order))
        except TensorTrainError as e:
            fault = e
    if fault is not None and not candidates:
        raise fault
    return min(candidates, key=lambda candidate: (bool(candidate.reasons), device_bytes(candidate.train)))


def _orders(settings: TableSettings) -> tuple[int, ...]:
    if settings.row_factors:
        return (len(settings.row_factors),)
    return (len(settings.ranks) + 1,) if settings.ranks and len(settings.ranks) > 1 else _ORDERS


def _candidate(
    table: EmbeddingTable, settings: TableSettings, values: Array | None, order: int
) -> TensorTrainCandidate:
    """Return a candidate whose column factors make slices of cores whole tiles if possible."""
    dtype = table.type.dtype
    assert isinstance(dtype, DType)
    shape = plan(*table.shape, ranks=1, target=(TILE, TILE), order=order, row_factors=settings.row_factors)
    if values is None:
        return TensorTrainCandidate(_smallest(shape, settings, None, dtype))
    analysis = analyze(values, row_factors=shape.row_factors, col_factors=shape.col_factors)
    train = _smallest(shape, settings, analysis, dtype)
    verdict = gate(values, train.plan, rel_error=settings.rel_error, dtype=_numpy_dtype(dtype), analysis=analysis)
    return TensorTrainCandidate(train, verdict.reasons, verdict.least_error)


def _smallest(
    shape: TensorTrainPlan, settings: TableSettings, analysis: Analysis | None, dtype: DType
) -> TensorTrainType:
    """Return the smaller train on the device: with minimal ranks, or with ranks rounded up to whole tiles."""
    factors = {"row_factors": shape.row_factors, "col_factors": shape.col_factors} if analysis is None else {}
    shared: dict[str, Any] = {"analysis": analysis, "dtype": _numpy_dtype(dtype), **factors}
    targets = (None, (TILE, TILE))
    with catch_warnings():
        simplefilter("ignore")  # of ranks that are lowered: the report has those that were taken
        plans = [plan(shape.rows, shape.cols, **_request(settings), **shared, target=target) for target in targets]
    return min((TensorTrainType(replace(train_plan, rel_error=None), dtype) for train_plan in plans), key=device_bytes)


def _request(settings: TableSettings) -> dict[str, Any]:
    if settings.ranks:
        first, *more = settings.ranks
        return {"ranks": settings.ranks if more else first}
    return {"rel_error": settings.rel_error} if settings.max_bytes is None else {"max_bytes": settings.max_bytes}


def _numpy_dtype(dtype: DType) -> np.dtype[Any]:
    """Return a NumPy type as wide as the element type."""
    return np.dtype(np.float16) if dtype is DType.BF16 else dtype.numpy
