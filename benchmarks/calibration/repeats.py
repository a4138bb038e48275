"""How well measurements agree with themselves: rows that were measured twice, and calls of one row.

`python repeats.py ROWS.csv|FOLDER [--system-desc NAME]`
"""

import argparse
import itertools
import re
import statistics
import sys
from collections import defaultdict
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from boards import named_chip
from expressed import Expressed
from judged import express_all
from rows import Row, of_arch, read_rows

_RUNS = re.compile(r"\bmedian (?:of|over) (\d+)\b")
_SPREAD = re.compile(r"\bspread (\d+\.?\d*)")
_MESH = re.compile(r"\b\d+ devices[^;]*")
"""Chips, how they are joined, and links."""


@dataclass(frozen=True)
class Repeats:
    """The spreads that rows of a class state of their calls, and the differences of rows that are alike."""

    spreads: list[float] = field(default_factory=list[float])
    """Longest less shortest call, over the median, of rows that stand for several."""
    differences: list[float] = field(default_factory=list[float])
    """Differences of two rows of one op, shape, layout, board, configuration and year, over their mean."""


def repeats(rows: Iterable[Expressed]) -> dict[str, Repeats]:
    """By class, those that have any."""
    found: defaultdict[str, Repeats] = defaultdict(Repeats)
    alike: defaultdict[Hashable, list[Expressed]] = defaultdict(list)
    for row in rows:
        alike[row.kind, _identity(row.row)].append(row)
        if (spread := _spread(row.row)) is not None:
            found[row.kind].spreads.append(spread)
    for members in alike.values():
        times = [row.measured_us for row in members]
        found[members[0].kind].differences.extend(2 * abs(a - b) / (a + b) for a, b in itertools.pairwise(times))
    return {kind: one for kind, one in sorted(found.items()) if one.spreads or one.differences}


def _spread(row: Row) -> float | None:
    runs, spread = _RUNS.search(row.notes), _SPREAD.search(row.notes)
    return float(spread[1]) if runs and spread and int(runs[1]) > 1 else None


def _identity(row: Row) -> Hashable:
    """What was measured, wherever it is published, as far as the row says it in fields."""
    layout = (row.dtypes, row.fidelity, row.memory_layout, row.grid, repr(replace(row.said, calls=1)))
    mesh = tuple(_MESH.findall(row.notes))
    return row.arch, row.board, row.day[:4], row.op.lower(), row.shape, layout, row.time_kind, mesh


def repeats_table(classes: Mapping[str, Repeats]) -> Iterator[Sequence[str]]:
    """The cells of each class: rows of several calls and their spread, rows measured again and their difference."""
    for kind, one in classes.items():
        yield kind, *_described(one.spreads), *_described(one.differences)


def _described(values: Sequence[float]) -> Sequence[str]:
    """How many, median and mean."""
    if not values:
        return "", "", ""
    return str(len(values)), f"{100 * statistics.median(values):.1f} %", f"{100 * statistics.mean(values):.1f} %"


HEAD = ("class", "rows of several calls", "median spread", "mean", "measured again", "median difference", "mean")


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("rows", type=Path, help="a CSV file of measurements, or a folder of them")
    parser.add_argument("--system-desc", default="wormhole")
    options = parser.parse_args()
    chip = named_chip(options.system_desc)
    good, _ = express_all(of_arch(read_rows(options.rows), chip), chip)
    for cells in (HEAD, *repeats_table(repeats(good))):
        sys.stdout.write(f"{cells[0]:36}" + "".join(f"{cell:>23}" for cell in cells[1:]) + "\n")


if __name__ == "__main__":
    main()
