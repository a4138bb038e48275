"""Plans of a table: factors of rows and columns, and ranks for an error, a number of bytes, or as given."""

from collections.abc import Sequence
from dataclasses import replace
from math import prod
from operator import index

import numpy as np
from numpy.typing import DTypeLike

from ttstack.diagnostics import TensorTrainError
from ttstack.tensor_train.analysis import Analysis, Spectrum, check_analysis
from ttstack.tensor_train.arguments import float_type, present, share_faults, whole, whole_faults, wholes, wholes_faults
from ttstack.tensor_train.factors import column_factors, factorisations
from ttstack.tensor_train.factors import row_factors as best_row_factors
from ttstack.tensor_train.ranks import clamp_ranks, for_bytes, for_error, tails
from ttstack.tensor_train.shape import TensorTrainPlan, largest_ranks

_LARGEST = {"rows": 2**40, "cols": 2**20}  # that factors are searched for
_MARGIN = 1 - 1e-4  # of a requested error, left to rounding

Candidate = tuple[TensorTrainPlan, Sequence[Spectrum] | None]


def plan(
    rows: int,
    cols: int,
    *,
    rel_error: float | None = None,
    max_bytes: int | None = None,
    ranks: int | Sequence[int] | None = None,
    order: int = 3,
    row_factors: Sequence[int] | None = None,
    col_factors: Sequence[int] | None = None,
    target: tuple[int, int] | None = None,
    dtype: DTypeLike = np.float32,
    analysis: Analysis | None = None,
) -> TensorTrainPlan:
    """Return a plan for a table of `rows x cols`, by one of three requests.

    - `rel_error`: the maximum relative Frobenius error of `decompose`. With an `analysis`, the ranks follow from its
      spectra; without one, `decompose` finds the smallest.
    - `max_bytes`: the maximum bytes of cores of `dtype`. With an `analysis`, they are spent where they reduce the error
      most.
    - `ranks`: those between the cores, or one for all. Ranks larger than any table of these factors can need are
      reduced, with a warning.

    By default, factors are chosen for `order` cores: of rows with at most 1 % padding, of columns exactly. `target` is
    the tile of a device, (32, 32): ranks and the last column factor are then multiples of it if possible, so that
    slices of cores are whole tiles. An `analysis` includes its factors, and a product of two plain matrices is used if
    it serves the request better: factors `(rows, 1)` and `(1, cols)`.

    Raises:
        TensorTrainError: there is none or several of the requests, or it cannot be satisfied.
    """
    _check_request(rows, cols, order, rel_error, max_bytes, ranks, row_factors, col_factors, target)
    itemsize = float_type(dtype).itemsize
    check_analysis(analysis)
    if analysis is not None and (analysis.rows, analysis.cols) != (rows, cols):
        raise TensorTrainError(
            f"the analysis is of a table of {analysis.rows} x {analysis.cols}, not {rows} x {cols}",
            hint="analyze the table that is planned for",
        )
    tile = target[1] if target else 1
    if analysis is not None:
        row_factors, col_factors = analysis.row_factors, analysis.col_factors
    elif row_factors is None:
        row_factors = best_row_factors(rows, len(col_factors) if col_factors else order)
    if col_factors is None:
        col_factors = _column_factors(tuple(row_factors), cols, tile)
    base = _of_rank_one(rows, cols, row_factors, col_factors)
    if ranks is not None:
        wanted = [ranks] * (base.order - 1) if not isinstance(ranks, Sequence | np.ndarray) else ranks
        return clamp_ranks(base, [index(rank) for rank in wanted])
    candidates: list[Candidate] = [(base, analysis.unfoldings if analysis else None)]
    if analysis is not None:
        candidates.append((_of_rank_one(rows, cols, (rows, 1), (1, cols)), (analysis.columns,)))
    if max_bytes is not None:
        return _least_loss(candidates, max_bytes, itemsize, tile)
    if analysis is None:
        return replace(base, ranks=largest_ranks(base.row_factors, base.col_factors), rel_error=rel_error)
    allowed = (rel_error or 0.0) * _MARGIN
    plans = [for_error(base, allowed, spectra or (), tile) for base, spectra in candidates]
    return replace(min(plans, key=lambda made: made.parameters), rel_error=rel_error)


def _of_rank_one(rows: int, cols: int, row_factors: Sequence[int], col_factors: Sequence[int]) -> TensorTrainPlan:
    return TensorTrainPlan(rows, cols, tuple(row_factors), tuple(col_factors), (1,) * (len(row_factors) + 1))


def _column_factors(row_factors: tuple[int, ...], cols: int, tile: int) -> tuple[int, ...]:
    """Return column factors with the fewest parameters.

    The last is a multiple of the tile's side if the columns are.
    """
    order = len(row_factors)
    if tile == 1 or cols % tile:
        return column_factors(cols, order)
    ranks = (1, *[tile] * (order - 1), 1)

    def parameters(factors: tuple[int, ...]) -> int:
        return sum(prod(core) for core in zip(row_factors, factors, ranks[:-1], ranks[1:], strict=True))

    return min((f for f in factorisations(cols, order) if f[-1] % tile == 0), key=parameters)


def _least_loss(candidates: Sequence[Candidate], max_bytes: int, itemsize: int, tile: int) -> TensorTrainPlan:
    """Return the plan with the smallest tails whose cores take at most `max_bytes`."""
    found = [(for_bytes(base, max_bytes, itemsize, spectra, tile), spectra) for base, spectra in candidates]
    fitting = [(tails(made, spectra or ()), made) for made, spectra in found if made]
    if fitting:
        return min(fitting, key=lambda pair: pair[0])[1]
    base = candidates[0][0]
    raise TensorTrainError(
        f"a table of {base.rows} x {base.cols} has no Tensor-Train form in {max_bytes} bytes",
        notes=(f"with ranks of 1 its cores take {base.nbytes(itemsize)} bytes",),
        hint="allow more bytes, or give a larger order",
    )


def _check_request(
    rows: int,
    cols: int,
    order: int,
    rel_error: float | None,
    max_bytes: int | None,
    ranks: int | Sequence[int] | None,
    row_factors: Sequence[int] | None,
    col_factors: Sequence[int] | None,
    target: tuple[int, int] | None,
) -> None:
    given = [request for request in (rel_error, max_bytes, ranks) if request is not None]
    faults = [
        *whole_faults(rows=rows, cols=cols, order=order),
        *share_faults(**present(rel_error=rel_error)),
        *whole_faults(0, **present(max_bytes=max_bytes)),
        *wholes_faults(**present(row_factors=row_factors, col_factors=col_factors)),
    ]
    if len(given) != 1:
        faults.append(f"{len(given)} of rel_error, max_bytes and ranks are given, not one")
    if ranks is not None and not whole(ranks) and not wholes(ranks):
        faults.append(f"ranks {ranks!r} are not all whole numbers of at least 1")
    if target is not None and not (wholes(target) and len(target) == 2):
        faults.append(f"target is {target!r}, not the height and width of a tile, as (32, 32)")
    for name, size in (("rows", rows), ("cols", cols)):
        if whole(size) and size > _LARGEST[name]:
            faults.append(f"{size} {name} are more than {_LARGEST[name]}")
    if faults:
        raise TensorTrainError(
            "this request cannot be planned",
            notes=tuple(faults),
            hint="give the size of a table, and exactly one of rel_error, max_bytes and ranks",
        )
