"""Ranks of a plan: as given, or grown one step at a time where a byte does most good."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from warnings import warn

from ttstack.diagnostics import TensorTrainError
from ttstack.tensor_train.analysis import Spectrum
from ttstack.tensor_train.shape import TensorTrainPlan, largest_ranks


def tails(plan: TensorTrainPlan, spectra: Sequence[Spectrum]) -> float:
    """Share of the squares of a table that the plan's ranks may lose at most; 0 without spectra."""
    return sum(spectrum.tail(rank) for spectrum, rank in zip(spectra, plan.ranks[1:-1], strict=False))


def clamp_ranks(base: TensorTrainPlan, ranks: Sequence[int]) -> TensorTrainPlan:
    """The plan with these ranks between its cores, lowered with a warning where no table of its factors needs them."""
    if len(ranks) != base.order - 1:
        raise TensorTrainError(
            f"{base.order} cores have {base.order - 1} ranks between them, not {len(ranks)}",
            hint="leave out the ranks of 1 at both ends",
        )
    sizes = [n * m for n, m in zip(base.row_factors, base.col_factors, strict=True)]
    possible = [1, *ranks, 1]
    for k, size in enumerate(sizes):
        possible[k + 1] = min(possible[k + 1], possible[k] * size)
    for k, size in reversed(list(enumerate(sizes))):
        possible[k] = min(possible[k], size * possible[k + 1])
    if possible[1:-1] != list(ranks):
        warn(f"ranks {list(ranks)} are lowered to {possible[1:-1]}, which are exact for these factors", stacklevel=3)
    return replace(base, ranks=tuple(possible))


def for_bytes(
    base: TensorTrainPlan, max_bytes: int, itemsize: int, spectra: Sequence[Spectrum] | None, step: int
) -> TensorTrainPlan | None:
    """The largest ranks whose cores fit in `max_bytes`, multiples of `step` if such do; none if not even 1 does."""

    def fits(grown: TensorTrainPlan) -> bool:
        return grown.nbytes(itemsize) <= max_bytes

    for size in (step, 1):
        *_, last = _growing(base, spectra, size, fits)
        if fits(last):
            return last
    return None


def for_error(base: TensorTrainPlan, rel_error: float, spectra: Sequence[Spectrum], step: int) -> TensorTrainPlan:
    """Ranks whose tails add up to the square of `rel_error` at most; the largest ones if the spectra end before."""
    grown = next((g for g in _growing(base, spectra, step) if tails(g, spectra) <= rel_error**2), None)
    return grown or replace(base, ranks=largest_ranks(base.row_factors, base.col_factors))


def _growing(
    base: TensorTrainPlan,
    spectra: Sequence[Spectrum] | None,
    step: int,
    fits: Callable[[TensorTrainPlan], bool] = lambda _: True,
) -> Iterator[TensorTrainPlan]:
    """Plans of growing ranks, each raised by a step where that lessens the tails most for its parameters.

    Without spectra the smallest rank is raised. It ends where no rank can be raised or does any good.
    """
    full = largest_ranks(base.row_factors, base.col_factors)
    limits = [rank // step * step or rank for rank in full]
    ranks = tuple(min(limit, step) for limit in limits)
    grown = replace(base, ranks=(1, *ranks[1:-1], 1))
    while True:
        yield grown
        options: list[tuple[float, int, TensorTrainPlan]] = []
        for k in range(1, base.order):
            rank, raised = grown.ranks[k], min(limits[k], (grown.ranks[k] // step + 1) * step)
            gain = 1 / rank if spectra is None else spectra[k - 1].tail(rank) - spectra[k - 1].tail(raised)
            larger = replace(grown, ranks=(*grown.ranks[:k], raised, *grown.ranks[k + 1 :]))
            if raised > rank and gain > 0 and fits(larger):
                cost = 1 if spectra is None else larger.parameters - grown.parameters
                options.append((gain / cost, -k, larger))
        if not options:
            return
        grown = max(options)[2]
