"""A page of the documentation that says how good predictions are: by class, and in the sum of each trace."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
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

By class of published measurements: mean error of predictions by figures fitted to all rows, then of each {over} by
figures fitted without it, and mean errors of simpler formulas on the same rows. *Within* and *twice* are the shares of
rows not seen that lie within the error stated beside them, and within twice that: 60 to 75 %, and at least 90 %, are
meant. Classes in *italics* have fewer than {few} rows, or one source: how they do elsewhere is less certain than their
figures say.

This page is written by

    {command}
"""
_TRACED = """
## Traces

Ops of programs, each as often as it ran, by figures fitted to all rows: the share of the measured time that has a
prediction, of all and of all but kernels that are none of ours; the error of the sum, what a report would expect it to
be, and the absolute errors of the sums of classes over what was measured.
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


def page(
    name: str,
    over: str,
    command: str,
    seen: Mapping[str, Figures],
    unseen: Mapping[str, Figures],
    covered: Mapping[str, Coverage],
    traces: Mapping[str, Trace],
    repeated: Mapping[str, Repeats],
    drawn: Path | None,
) -> Iterator[str]:
    """The lines of the page; `over` is what folds leave out as a whole."""
    title = name if over == "shape" else f"{name}, {over}s left out"
    yield _HEAD.format(title=title, over=over, command=command, few=_FEW)
    errors = ("cross-validated mean", "median", "bias", "95th percentile")
    yield from _row(
        "class", "rows", "sources", "in sample", *errors, "roofline", "PM IDEAL", "polaris", "within", "twice"
    )
    yield from _row("---", *["---:"] * 12)
    for kind, f in sorted(unseen.items()):
        shares = (f.mean, f.median, f.bias, f.p95, f.roofline, f.pm_ideal, f.polaris)
        fit = seen[kind].mean if kind in seen else None
        within = _covered(covered.get(kind))
        named = f"*{kind}*" if f.rows < _FEW or f.sources == 1 else kind
        yield from _row(named, str(f.rows), str(f.sources), _share(fit), *map(_share, shares), *within)
    if drawn is not None:
        yield f"\n![Shares of rows within the stated errors]({drawn})"
    yield _TRACED
    yield from _row("trace", "ops", "expressed", "of our kernels", "sum", "expected of the sum", "classes")
    yield from _row("---", *["---:"] * 6)
    for source, (f, expected, off) in sorted(traces.items()):
        shares = map(_share, (f.expressed_share, f.expressed_share_of_ours, f.sum_error, expected, off))
        yield from _row(source, str(f.rows), *shares)
    yield _REPEATED
    yield from _row(*HEAD)
    yield from _row("---", *["---:"] * (len(HEAD) - 1))
    for cells in repeats_table(repeated):
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
    return ("", "") if found is None else (f"{found.within / found.rows:.0%}", f"{found.twice / found.rows:.0%}")


def _share(value: float | None) -> str:
    return "" if value is None else f"{100 * value:.1f} %"


def _row(*cells: str) -> Iterator[str]:
    yield f"| {' | '.join(cells)} |"
