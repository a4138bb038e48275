"""Judged rows as text and as JSON."""

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from figures import Figures, by_class, by_source, figures, sum_of_class_errors
from judged import Judged, Refused

_WIDTH = 56
_SHARES = ("mean", "median", "bias", "p95", "worst", "roofline", "pm_ideal", "polaris")


def rows_text(judged: Sequence[Judged], refused: Sequence[Refused]) -> Iterator[str]:
    """A line for each row."""
    yield f"{'row':>5} {'measured us':>12} {'predicted us':>12} {'error':>7} {'stated':>7}  class: op [largest term]"
    for j in judged:
        e, f = j.expressed, j.forecast
        what = f"{e.kind}: {e.row.op} {e.row.shape} [{f.largest_term}]"
        stated = _share(f.stated_error)
        yield f"{e.row.number:5d} {e.measured_us:12.3f} {f.us:12.3f} {j.error:7.1%} {stated:>7}  {what}"
    for r in refused:
        row, time = r.row, f"{r.row.time_us:.3f} us" if r.row.time_us else "no time"
        yield f"{row.number:5d} not expressed: {row.op} {row.shape}, {time}: {r.reason}"


def tables(judged: Sequence[Judged], refused: Sequence[Refused]) -> Iterator[str]:
    """Tables by class and by source, the sum, and the reasons why rows have no prediction."""
    classes, whole = by_class(judged, refused), figures(judged, refused)
    yield from table("class", classes | {"all": whole})
    off = sum_of_class_errors(classes.values())
    share = _share(off / whole.measured_us if whole.measured_us else None)
    yield f"sum of the absolute errors of the classes' sums: {off:.1f} us, {share} of what was measured"
    yield ""
    yield from table("source", by_source(judged, refused))
    yield f"{len(refused)} rows not expressed, {sum(r.measured_us for r in refused):.1f} us"
    for reason, count in Counter(r.reason for r in refused).most_common():
        us = sum(r.measured_us for r in refused if r.reason == reason)
        yield f"{count:5d} {us:12.1f} us  {reason}"


def table(title: str, groups: Mapping[str, Figures]) -> Iterator[str]:
    """Figures by group: errors, those of simpler formulas, sums by calls, share of time expressed, and of rows within.

    `of ours` is the share expressed without the time of custom kernels, which are refused. `sum |err|` is the sum of
    the rows' absolute errors over the sum of their measured times.
    """
    yield (
        f"{title:{_WIDTH}}{'rows':>6}{'left':>6}"
        + "".join(f"{name:>9}" for name in _SHARES)
        + f"{'predicted us':>14}{'measured us':>14}{'sum':>8}{'sum |err|':>10}"
        + f"{'expressed':>10}{'of ours':>9}{'within':>15}"
    )
    for name, f in groups.items():
        within = f"{_share(f.within_share)} of {f.stated}" if f.stated else "-"
        absolute = f.absolute_error_us / f.measured_us if f.measured_us else None
        yield (
            f"{_short(name):{_WIDTH}}{f.rows:6d}{f.refused:6d}"
            + "".join(f"{_share(getattr(f, share)):>9}" for share in _SHARES)
            + (
                f"{f.predicted_us:14.1f}{f.measured_us:14.1f}{_share(f.sum_error):>8}{_share(absolute):>10}"
                f"{_share(f.expressed_share):>10}{_share(f.expressed_share_of_ours):>9}{within:>15}"
            )
        )


def _short(name: str) -> str:
    """The name, its middle left out where it is too long."""
    half = _WIDTH // 2 - 2
    return name if len(name) < _WIDTH else f"{name[:half]}..{name[-half:]}"


def _share(value: float | None) -> str:
    return "-" if value is None else f"{value:.1%}" if abs(value) < 100 else f"{value:.0f}x"


def as_json(judged: Sequence[Judged], refused: Sequence[Refused]) -> str:
    """Everything as one JSON object."""
    missing = [_identity(r.row) | {"class": r.kind, "measured_us": r.row.time_us, "reason": r.reason} for r in refused]
    classes, whole = by_class(judged, refused), figures(judged, refused)
    found = {
        "rows": [_identity(j.expressed.row) | _judged(j) for j in judged],
        "not_expressed": missing,
        "classes": {name: _figures(f) for name, f in classes.items()},
        "sources": {name: _figures(f) for name, f in by_source(judged, refused).items()},
        "all": _figures(whole) | {"sum_of_class_errors_us": sum_of_class_errors(classes.values())},
    }
    return json.dumps(found, indent=1)


def _identity(row: Any) -> dict[str, Any]:
    where = {"file": row.file, "row": row.number, "source": row.source}
    return where | {"op": row.op, "shape": row.shape, "calls": row.said.calls}


def _judged(j: Judged) -> dict[str, Any]:
    return {
        "class": j.kind,
        "measured_us": j.expressed.measured_us,
        "predicted_us": j.forecast.us,
        "roofline_us": j.forecast.roofline_us,
        "pm_ideal_us": j.forecast.pm_ideal_us,
        "polaris_us": j.forecast.polaris_us,
        "largest_term": j.forecast.largest_term,
        "error": j.error,
        "stated_error": j.forecast.stated_error,
        "stated_interval": j.forecast.stated_interval,
        "within": j.within,
    }


def _figures(f: Figures) -> dict[str, Any]:
    return asdict(f) | {
        "sum_error": f.sum_error,
        "expressed_share": f.expressed_share,
        "expressed_share_of_ours": f.expressed_share_of_ours,
        "within_share": f.within_share,
    }
