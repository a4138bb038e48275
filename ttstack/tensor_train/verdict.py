"""The recommendation for or against Tensor-Train form for a dense table, with its numbers.

The recommendation is mostly negative: a table trained as an ordinary embedding has rows in no particular order, so its
unfoldings look like noise.
"""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike, DTypeLike

from ttstack.diagnostics import TensorTrainError
from ttstack.tensor_train.analysis import Analysis, analyze, check_analysis
from ttstack.tensor_train.arguments import float_type, share_faults
from ttstack.tensor_train.indices import Array
from ttstack.tensor_train.noise import noise_share
from ttstack.tensor_train.ranks import for_error
from ttstack.tensor_train.shape import TensorTrainPlan
from ttstack.tensor_train.tables import accept_table, row_blocks

BYTES_SHARE = 0.5  # of the best alternative's bytes that cores may take
LEAST_SIGNAL = 0.5  # share of what noise would lose that the ranks must keep


@dataclass(frozen=True)
class Verdict:
    """The recommendation for or against `plan`, with reasons and numbers.

    `least_error` and `largest_error` are bounds of the relative Frobenius error of `plan`. Bytes are those of the
    cores, of the dense table, of int8 rows with a float32 scale each, and of the product of two matrices within the
    error limit. `signal` is, for each unfolding, the share of what noise would lose that is kept: 0 for noise, 1 for a
    table that the ranks represent exactly.
    """

    plan: TensorTrainPlan
    reasons: tuple[str, ...]
    rel_error: float
    least_error: float
    largest_error: float
    nbytes: int
    dense_bytes: int
    int8_bytes: int
    int8_error: float
    low_rank: int
    low_rank_bytes: int
    signal: tuple[float, ...]

    @property
    def accepted(self) -> bool:
        """True if there are no reasons against it."""
        return not self.reasons


def gate(
    table: ArrayLike,
    plan: TensorTrainPlan,
    *,
    rel_error: float = 0.05,
    dtype: DTypeLike = np.float32,
    lookup_ns: float | None = None,
    max_lookup_ns: float | None = None,
    analysis: Analysis | None = None,
) -> Verdict:
    """Judge `plan` for `table`; if the plan leaves ranks to an error, the verdict's plan has the required ranks.

    It is accepted if all of these hold:

    - Its error cannot exceed `rel_error`.
    - Its cores in `dtype` take at most half the bytes of the smallest alternative within `rel_error`: int8 rows, low
      rank, or the dense table.
    - Its ranks keep at least half of what they would lose of noise.
    - A lookup, predicted by the caller, takes at most `max_lookup_ns`.

    `analysis` avoids recomputing the spectra.

    Raises:
        TensorTrainError: the table is not a finite matrix of floats of the plan's size.
    """
    given = accept_table(table)
    given.check_size(plan)
    for fault in share_faults(rel_error=rel_error):
        raise TensorTrainError(fault, hint="give at least 0 and less than 1")
    check_analysis(analysis)
    spectra = analysis or analyze(given.values, row_factors=plan.row_factors, col_factors=plan.col_factors)
    if plan.rel_error is not None:
        plan = for_error(replace(plan, ranks=(1,) * len(plan.ranks)), plan.rel_error, spectra.of(plan), 1)
    itemsize = float_type(dtype).itemsize
    low_rank = _low_rank(spectra, rel_error)
    least, largest = spectra.bounds(plan)
    verdict = Verdict(
        plan,
        (),
        rel_error,
        least,
        largest,
        nbytes=plan.nbytes(itemsize),
        dense_bytes=plan.rows * plan.cols * itemsize,
        int8_bytes=plan.rows * (plan.cols + 4),
        int8_error=_int8_error(given.values),
        low_rank=low_rank,
        low_rank_bytes=low_rank * (plan.rows + plan.cols) * itemsize,
        signal=_signal(spectra, plan),
    )
    reasons = [_error_reason(verdict), _bytes_reason(verdict), _noise_reason(verdict)]
    if lookup_ns is not None and max_lookup_ns is not None and lookup_ns > max_lookup_ns:
        reasons.append(f"a lookup takes {lookup_ns:.0f} ns, more than {max_lookup_ns:.0f} ns")
    return replace(verdict, reasons=tuple(reason for reason in reasons if reason))


def _error_reason(verdict: Verdict) -> str | None:
    if verdict.largest_error <= verdict.rel_error:
        return None
    return (
        f"ranks {list(verdict.plan.ranks)} lose {verdict.least_error:.3g} to {verdict.largest_error:.3g} of the table, "
        f"more than {verdict.rel_error:.3g}"
    )


def _bytes_reason(verdict: Verdict) -> str | None:
    others = [(verdict.dense_bytes, "the dense table")]
    if verdict.int8_error <= verdict.rel_error:
        others.append((verdict.int8_bytes, f"int8 rows (error {verdict.int8_error:.2g})"))
    if verdict.plan.row_factors[0] != verdict.plan.rows:
        others.append((verdict.low_rank_bytes, f"a product of two matrices (rank {verdict.low_rank})"))
    smallest, name = min(others)
    if verdict.nbytes <= BYTES_SHARE * smallest:
        return None
    return f"cores take {verdict.nbytes:,} bytes, more than half of the {smallest:,} of {name}"


def _noise_reason(verdict: Verdict) -> str | None:
    weakest = min(verdict.signal, default=1.0)
    if weakest >= LEAST_SIGNAL:
        return None
    kept = f"{100 * max(0.0, weakest):.0f} %"
    return f"ranks {list(verdict.plan.ranks)} keep {kept} of what they would lose of noise, below 50 %"


def _low_rank(spectra: Analysis, rel_error: float) -> int:
    """Return the smallest rank of the table within the error; its width if the spectrum is too short."""
    full = min(spectra.rows, spectra.cols)
    tails = (rank for rank in range(1, full + 1) if spectra.columns.tail(rank) <= rel_error**2)
    return next(tails, full)


def _signal(spectra: Analysis, plan: TensorTrainPlan) -> tuple[float, ...]:
    shares: list[float] = []
    for spectrum, rank in zip(spectra.of(plan), plan.ranks[1:-1], strict=True):
        lost_of_noise = 1 - noise_share(rank, spectrum.left, spectrum.right)
        shares.append(1 - spectrum.tail(rank) / lost_of_noise if lost_of_noise > 0 else 1.0)
    return tuple(shares)


def _int8_error(values: np.ndarray) -> float:
    """Return the measured relative Frobenius error of rows rounded to 255 steps of their largest magnitude."""
    squares = lost = 0.0
    for _, block in row_blocks(values, "comparing"):
        rows: Array = block.astype(np.float64)
        step = np.maximum(np.abs(rows).max(axis=1, keepdims=True), np.finfo(np.float64).tiny) / 127
        difference: Array = rows - np.rint(rows / step) * step
        squares += float(np.vdot(rows, rows))
        lost += float(np.vdot(difference, difference))
    return (lost / squares) ** 0.5 if squares else 0.0
