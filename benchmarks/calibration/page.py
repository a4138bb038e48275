"""A page of the documentation that says how good predictions are: by class, and in the sum of each trace."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from coverage import Coverage
from figures import Figures, by_class, figures, sum_of_class_errors
from judged import Judged, Refused
from repeats import HEAD, Repeats, repeats_table

from ttstack.cost.confidence import error_of_sum

_FEW = 20
"""Rows below which a class is marked."""
_TRACES = ("trace_", "decode_ops")
"""Beginnings of the names of files whose rows are the ops of a program."""
_HEAD = """# Predicted and measured: {title}

How good predictions are, by class of published measurements:

- *in sample*: mean error by the figures of the preset.
- *left out*: mean, median, bias and 95th percentile of errors of each source by figures fitted without it; in classes
  of one source, of each shape by figures fitted without it.
- *roofline*, *PM IDEAL*, *polaris*: mean errors of simpler formulas on the same rows.
- *within*, *twice*: shares of these rows left out that lie within the error that the preset states, and within twice
  that. 60 to 75 %, and at least 90 %, are meant.
- *by others*: the same where what is stated is learned from the other sources alone. For a class of one source this is
  the spread of the other classes.

Classes in *italics* have fewer than {few} rows, or one source: their own rows say less than their number.

This page is written by

    {command}
"""
_TRACED = """
## Traces

Ops of programs, each as often as it ran, by the figures of the preset: the share of the measured time that has a
prediction, of all and of all but kernels that are none of ours; the error of the sum, what a report would expect it to
be, and the absolute errors of the sums of classes over what was measured.
"""
_OUTLIERS = """
## Outliers

Rows that the figures of the preset miss by far more than the rest of their class, and than all classes: the logarithm
of predicted over measured lies more than three interquartile ranges beyond a quartile of both, and fewer than three
rows of the same op and source do. They count in the tables above, and not in what is stated.
"""
_REPEATED = """
## Repeats

How well measurements agree with themselves: the spread of the calls that a row is the median of, as the row states it,
and by how much rows differ that have one op, shape, formats, memories, board and configuration, on whatever cores. As
printed by `python benchmarks/calibration/repeats.py FOLDER`.
"""


class Trace(NamedTuple):
    """A trace's figures, the error that is expected of its sum, and by how much the sums of its classes are off."""

    figures: Figures
    expected: float
    classes: float


@dataclass(frozen=True)
class Page:
    """What the page says."""

    name: str
    command: str
    seen: Mapping[str, Figures]
    unseen: Mapping[str, Figures]
    told: Mapping[str, Coverage]
    """By class, the rows within what the preset states."""
    by_others: Mapping[str, Coverage]
    """The same of what the other sources state."""
    traces: Mapping[str, Trace]
    outliers: Sequence[Judged]
    repeated: Mapping[str, Repeats]
    drawn: Path | None
    """The plot, as a path relative to the page."""


def page(of: Page) -> Iterator[str]:
    """The lines of the page."""
    yield _HEAD.format(title=of.name, command=of.command, few=_FEW)
    errors = ("left out: mean", "median", "bias", "95th percentile", "roofline", "PM IDEAL", "polaris")
    covered = ("within", "twice", "by others: within", "twice")
    yield from _row("class", "rows", "sources", "in sample", *errors, *covered)
    yield from _row("---", *["---:"] * (3 + len(errors) + len(covered)))
    for kind, f in sorted(of.unseen.items()):
        shares = (f.mean, f.median, f.bias, f.p95, f.roofline, f.pm_ideal, f.polaris)
        fit = of.seen[kind].mean if kind in of.seen else None
        within = (*_covered(of.told.get(kind)), *_covered(of.by_others.get(kind)))
        named = f"*{kind}*" if f.rows < _FEW or f.sources == 1 else kind
        yield from _row(named, str(f.rows), str(f.sources), _share(fit), *map(_share, shares), *within)
    if of.drawn is not None:
        yield f"\n![Shares of rows within the stated errors]({of.drawn})"
    yield _TRACED
    yield from _row("trace", "ops", "expressed", "of our kernels", "sum", "expected of the sum", "classes")
    yield from _row("---", *["---:"] * 6)
    for source, (f, expected, off) in sorted(of.traces.items()):
        shares = map(_share, (f.expressed_share, f.expressed_share_of_ours, f.sum_error, expected, off))
        yield from _row(source, str(f.rows), *shares)
    yield _OUTLIERS
    yield from _row("class", "file and line", "op", "shape", "measured µs", "predicted µs", "error")
    yield from _row(*["---"] * 4, *["---:"] * 3)
    for j in of.outliers:
        row = j.expressed.row
        times = (f"{us:,.1f}" for us in (j.expressed.measured_us, j.forecast.us))
        yield from _row(j.kind, f"{row.file}:{row.number}", row.op, row.shape, *times, _share(j.error))
    yield _REPEATED
    yield from _row(*HEAD)
    yield from _row("---", *["---:"] * (len(HEAD) - 1))
    for cells in repeats_table(of.repeated):
        yield from _row(*cells)


def traces_of(judged: Sequence[Judged], refused: Sequence[Refused]) -> dict[str, Trace]:
    """By trace, its figures and the share by which the sums of its classes are off."""
    groups: defaultdict[str, tuple[list[Judged], list[Refused]]] = defaultdict(lambda: ([], []))
    for j in judged:
        groups[_trace(j.expressed.row.file, j.expressed.row.source)][0].append(j)
    for r in refused:
        groups[_trace(r.row.file, r.row.source)][1].append(r)
    return {name: _summed(*members) for name, members in groups.items() if name and members[0]}


def _trace(file: str, source: str) -> str:
    return f"{file}: {source.rsplit('/', 1)[-1]}" if file.startswith(_TRACES) else ""


def _summed(judged: Sequence[Judged], refused: Sequence[Refused]) -> Trace:
    whole = figures(judged, refused)
    parts = [(j.forecast.alike[-1:], j.forecast.stated_error, j.forecast.us * j.calls) for j in judged]
    expected = error_of_sum((group[0] if group else "", error or 1.0, us) for group, error, us in parts)
    return Trace(whole, expected, sum_of_class_errors(by_class(judged).values()) / whole.measured_us)


def _covered(found: Coverage | None) -> tuple[str, str]:
    return (
        ("", "")
        if found is None
        else (f"{100 * found.within / found.rows:.0f} %", f"{100 * found.twice / found.rows:.0f} %")
    )


def _share(value: float | None) -> str:
    return "" if value is None else f"{100 * value:.1f} %"


def _row(*cells: str) -> Iterator[str]:
    yield f"| {' | '.join(cells)} |"
