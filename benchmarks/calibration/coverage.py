"""How often measured times lie within the errors that are stated, by figures that have not seen the rows."""

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from cross_validation import Fold
from judged import Judged
from stages import Stage
from stated import stated_errors

from ttstack.system_desc.base import FrozenDict
from ttstack.system_desc.calibration import CalibrationDesc

WITHIN = (0.60, 0.75)
"""Shares of the rows that are to lie within what is stated."""
TWICE = 0.90
"""Share of them that is to lie within twice that, at least."""


@dataclass(frozen=True)
class Coverage:
    """Rows of a class with a stated error, and how many lie within it, and within twice that."""

    rows: int
    within: int
    twice: int


def judged_unseen(
    folds: Sequence[Fold], stages: Sequence[Stage], implausible: Collection[tuple[str, int]]
) -> Iterator[Judged]:
    """The rows of each fold, with the errors that other sources state; those without are left out."""
    judged = [fold.judged() for fold in folds]
    for fold, members in zip(folds, judged, strict=True):
        left_out = {_source(j) for j in members}
        others = [j for rows in judged for j in rows if _source(j) not in left_out]
        yield from judged_stated([fold], stated_errors(others, stages, implausible))


def judged_stated(folds: Sequence[Fold], stated: Mapping[str, CalibrationDesc]) -> Iterator[Judged]:
    """Yield the rows of all folds, each with its stated error; rows without a stated error are left out."""
    for fold in folds:
        told = replace(fold, fitted=fold.fitted.model_copy(update={"source_errors": FrozenDict(stated)}))
        yield from (j for j in told.judged() if j.forecast.stated_error is not None)


def _source(j: Judged) -> tuple[str, str]:
    """A class, and one of its sources."""
    return j.kind, j.expressed.row.publication


def coverage(judged: Sequence[Judged]) -> dict[str, Coverage]:
    """By class of the rows, and of all; nothing of no rows."""
    classes: defaultdict[str, list[Judged]] = defaultdict(list)
    for j in judged:
        classes[j.kind].append(j)
    if not judged:
        return {}
    return {name: _covered(members) for name, members in sorted(classes.items())} | {"all": _covered(judged)}


def _covered(judged: Sequence[Judged]) -> Coverage:
    shares = [share for j in judged if (share := j.off) is not None]
    return Coverage(len(shares), sum(share <= 1 for share in shares), sum(share <= 2 for share in shares))


def coverage_lines(classes: Mapping[str, Coverage]) -> Iterator[str]:
    """A line for each class; what is out of bounds has a mark."""
    yield f"{'class':40}{'rows':>6}{'within':>9}{'twice':>9}"
    for name, found in classes.items():
        within, twice = found.within / found.rows, found.twice / found.rows
        off = not WITHIN[0] <= within <= WITHIN[1] or twice < TWICE
        yield f"{name:40}{found.rows:6d}{within:9.1%}{twice:9.1%}{'  <' if off else ''}"


def plot(classes: Mapping[str, Coverage], path: Path) -> None:
    """Shares by class beside what they are to be."""
    import matplotlib as mpl
    import matplotlib.pyplot as plt

    mpl.rcParams.update({"svg.hashsalt": "coverage", "svg.fonttype": "none", "font.size": 8})

    names = list(reversed(classes))
    figure, axes = plt.subplots(figsize=(7, 0.6 + 0.2 * len(names)), layout="constrained")
    axes.axvspan(*WITHIN, color="tab:blue", alpha=0.15)
    axes.axvline(TWICE, color="tab:orange", linestyle=":")
    for label, color, marker in (("within", "tab:blue", "o"), ("twice", "tab:orange", "s")):
        shares = [getattr(classes[name], label) / classes[name].rows for name in names]
        axes.scatter(shares, range(len(names)), color=color, marker=marker, label=label, s=14)
    axes.set_yticks(range(len(names)), [f"{name} ({classes[name].rows})" for name in names])
    axes.set(xlim=(0, 1.02), xlabel="share of the rows within the stated error, and within twice that")
    axes.legend(loc="lower left")
    figure.savefig(path, format="svg", metadata={"Date": None})
