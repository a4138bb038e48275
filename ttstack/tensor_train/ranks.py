"""Ranks of a plan: given, or increased step by step where a byte reduces the error most."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from warnings import warn

from ttstack.diagnostics import TensorTrainError
from ttstack.tensor_train.analysis import Spectrum
from ttstack.tensor_train.shape import TensorTrainPlan, largest_ranks


def tails(plan: TensorTrainPlan, spectra: Sequence[Spectrum]) -> float:
    """Return the maximum share of a table's squares that the plan's ranks lose; 0 without spectra."""
    return sum(spectrum.tail(rank) for spectrum, rank in zip(spectra, plan.ranks[1:-1], strict=False))


def clamp_ranks(base: TensorTrainPlan, ranks: Sequence[int]) -> TensorTrainPlan:
    """Return the plan with these ranks between its cores, reduced with a warning if no table needs them."""
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
    """Return the largest ranks whose cores fit in `max_bytes`, multiples of `step` if possible.

    None if not even 1 does.
    """

    def fits(grown: TensorTrainPlan) -> bool:
        return grown.nbytes(itemsize) <= max_bytes

    for size in (step, 1):
        *_, last = _growing(base, spectra, size, fits)
        if fits(last):
            return last
    return None


def for_error(base: TensorTrainPlan, rel_error: float, spectra: Sequence[Spectrum], step: int) -> TensorTrainPlan:
    """Return ranks whose tails add up to at most the square of `rel_error`.

    The largest ones if the spectra are too short.
    """
    grown = next((g for g in _growing(base, spectra, step) if tails(g, spectra) <= rel_error**2), None)
    return grown or replace(base, ranks=largest_ranks(base.row_factors, base.col_factors))


def _growing(
    base: TensorTrainPlan,
    spectra: Sequence[Spectrum] | None,
    step: int,
    fits: Callable[[TensorTrainPlan], bool] = lambda _: True,
) -> Iterator[TensorTrainPlan]:
    """Yield plans of growing ranks, each increased by a step where that reduces the tails most per parameter.

    Without spectra the smallest rank is increased. It ends if no rank can be increased, or none helps.
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
