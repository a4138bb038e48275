"""Judge the cost model on published measurements: `python evaluate.py ROWS.csv [--json] [--system-desc NAME]`."""

import argparse
import json
import math
import statistics
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from boards import chip_of, named_chip
from expressed import Expressed, Forecast
from inexpressible import InexpressibleError
from predictions import express
from rows import Row, read_rows

from ttstack.system_desc import ChipDesc


@dataclass(frozen=True)
class Judged:
    """One row's measurement and prediction."""

    expressed: Expressed
    forecast: Forecast

    @property
    def error(self) -> float:
        """Relative, positive where the prediction is too long."""
        return self.forecast.us / self.expressed.measured_us - 1

    @property
    def roofline_error(self) -> float:
        """The same of the roofline."""
        return self.forecast.roofline_us / self.expressed.measured_us - 1


Left = list[tuple[Row, str]]


def main() -> None:
    """Print measured, predicted and error of every row, then a table by class, then what has no prediction."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("rows", type=Path)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--summary", action="store_true", help="only the table by class")
    parser.add_argument("--system-desc", default="wormhole")
    options = parser.parse_args()
    chip = named_chip(options.system_desc)
    good, left = express_all(read_rows(options.rows), chip)
    judged = judge(good, chip)
    text = as_json(judged, left) if options.json else "\n".join(as_text(judged, left, short=options.summary))
    sys.stdout.write(text + "\n")


def express_all(rows: Iterable[Row], chip: ChipDesc) -> tuple[list[Expressed], Left]:
    """The rows that can be expressed, and the reasons why others cannot."""
    good: list[Expressed] = []
    left: Left = []
    for row in rows:
        try:
            good.append(_expressed(row, chip_of(row, chip)))
        except InexpressibleError as reason:
            left.append((row, str(reason)))
    return good, left


def _expressed(row: Row, chip: ChipDesc) -> Expressed:
    """The row with a prediction that is a time; raises `InexpressibleError` where there is none."""
    try:
        found = express(row, chip)
        us = found.forecast(chip).us
    except (ValueError, ArithmeticError, LookupError, TypeError) as error:
        raise InexpressibleError(f"no prediction: {error}") from error
    if not (math.isfinite(us) and us > 0):
        raise InexpressibleError("nothing is launched, or the board lacks the link")
    return found


def judge(rows: Iterable[Expressed], chip: ChipDesc) -> list[Judged]:
    """Predictions beside measurements."""
    return [Judged(row, row.forecast(chip_of(row.row, chip))) for row in rows]


def as_text(judged: list[Judged], left: Left, *, short: bool) -> Iterator[str]:
    """Lines of the report."""
    if not short:
        yield f"{'row':>5} {'measured us':>12} {'predicted us':>12} {'error':>7}  class: op [bound]"
        yield from map(_line, judged)
        for row, reason in left:
            yield f"{row.number:5d} not expressed: {row.op} {row.shape}: {reason}"
    yield from summary(judged)
    yield f"{len(left)} rows not expressed"
    for reason, count in Counter(reason for _, reason in left).most_common():
        yield f"{count:5d}  {reason}"


def _line(judged: Judged) -> str:
    e, f = judged.expressed, judged.forecast
    what = f"{e.kind}: {e.row.op} {e.row.shape} [{f.bound}]"
    return f"{e.row.number:5d} {e.measured_us:12.3f} {f.us:12.3f} {judged.error:7.1%}  {what}"


def summary(judged: list[Judged]) -> Iterator[str]:
    """The table by class; the last columns are mean errors of simpler formulas on the same rows."""
    classes: dict[str, list[Judged]] = defaultdict(list)
    for j in judged:
        classes[j.expressed.kind].append(j)
    titles = ("rows", "mean", "median", "worst", "bias", "roofline", "PM IDEAL", "polaris")
    yield f"{'class':28}" + "".join(f"{title:>10}" for title in titles)
    for kind, members in classes.items():
        errors = [j.error for j in members]
        size = [abs(e) for e in errors]
        figures = (statistics.mean(size), statistics.median(size), max(errors, key=abs), statistics.mean(errors))
        others = (_mean_error(members, name) for name in ("roofline_us", "pm_ideal_us", "polaris_us"))
        yield f"{kind:28}{len(errors):10d}" + "".join(
            f"{'-' if f is None else f'{f:.1%}':>10}" for f in (*figures, *others)
        )


def _mean_error(members: list[Judged], formula: str) -> float | None:
    """Mean absolute error of a simpler formula; None where it says nothing about such rows."""
    said = [(getattr(j.forecast, formula), j.expressed.measured_us) for j in members]
    errors = [abs(us / measured - 1) for us, measured in said if us is not None]
    return statistics.mean(errors) if errors else None


def as_json(judged: list[Judged], left: Left) -> str:
    """Everything as one JSON object."""
    rows = [
        {
            "row": j.expressed.row.number,
            "op": j.expressed.row.op,
            "shape": j.expressed.row.shape,
            "class": j.expressed.kind,
            "measured_us": j.expressed.measured_us,
            "predicted_us": j.forecast.us,
            "roofline_us": j.forecast.roofline_us,
            "pm_ideal_us": j.forecast.pm_ideal_us,
            "polaris_us": j.forecast.polaris_us,
            "bound": j.forecast.bound,
            "error": j.error,
        }
        for j in judged
    ]
    missing = [{"row": row.number, "op": row.op, "shape": row.shape, "reason": reason} for row, reason in left]
    return json.dumps({"rows": rows, "not_expressed": missing}, indent=1)


if __name__ == "__main__":
    main()
