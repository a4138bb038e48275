"""What notebooks show in place of a `repr`: tables in the notebook's own colours, without a script."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ttstack.report.columns import columns
from ttstack.report.formatting import duration, micros
from ttstack.report.html.templates import asset, render
from ttstack.report.html.totals import Total, comparison_totals, totals
from ttstack.report.model import ReportFigures, sort_ops
from ttstack.report.pairs import ComparisonFigures
from ttstack.report.rows import op_rows, step_lines
from ttstack.report.summary import summary
from ttstack.report.tensor_trains import TITLES, cells

_ROWS = 200
"""Ops that a notebook shows of one report: those that take the most time."""


@dataclass(frozen=True)
class HtmlTable:
    """Titles, which of them stand over text, and rows of texts."""

    titles: tuple[str, ...]
    text: tuple[bool, ...]
    rows: list[tuple[str, ...]]
    more: int = 0
    """Rows that are left out."""


def report_fragment(report: ReportFigures) -> str:
    """Totals, sentences, and the ops; of a long program, those that take the most time."""
    title = f"{report.function} on {report.device}: {duration(report.total_ns)}"
    tables = [_ops(report)]
    if report.tables:
        tables = [HtmlTable(TITLES, (True,) * len(TITLES), [cells(record) for record in report.tables]), *tables]
    return _fragment(title, totals(report), [*step_lines(report), *summary(report)], tables)


def comparison_fragment(comparison: ComparisonFigures) -> str:
    """Both totals, and the ops whose time changed most."""
    before, after = comparison.before, comparison.after
    pairs = comparison.sort_pairs("time")[:_ROWS]
    rows = [
        (
            pair.op.name,
            pair.op.location,
            micros(pair.before_ns) if pair.before else "new",
            micros(pair.after_ns) if pair.after else "gone",
            f"{pair.delta_ns / 1000:+z,.1f}",
        )
        for pair in pairs
    ]
    table = HtmlTable(
        ("op", "location", "µs", "then", "change"),
        (True, True, False, False, False),
        rows,
        len(comparison.pairs) - len(rows),
    )
    title = f"{before.function} on {before.device} → {after.function} on {after.device}"
    return _fragment(title, comparison_totals(before, after), comparison.notes, [table])


def program_fragment(title: str, functions: Mapping[str, Mapping[str, Mapping[str, Any]]]) -> str:
    """What each function takes and gives: types by name, by `takes` and `gives`."""
    rows = [
        (function, way, name, str(kind))
        for function, ways in functions.items()
        for way, types in ways.items()
        for name, kind in types.items()
    ]
    return _fragment(title, (), (), [HtmlTable(("function", "", "name", "type"), (True,) * 4, rows)])


def run_fragment(values: Mapping[str, Mapping[str, np.ndarray[Any, Any]]], report: ReportFigures) -> str:
    """The values that a run gave, by `outputs` and `updated`, and its predicted time."""
    rows = [
        (kind, name, "x".join(map(str, array.shape)) or "scalar", array.dtype.name)
        for kind, arrays in values.items()
        for name, array in arrays.items()
    ]
    table = HtmlTable(("", "name", "shape", "type"), (True,) * 4, rows)
    title = f"{report.function} on {report.device}: {duration(report.total_ns)} predicted"
    return _fragment(title, totals(report), (), [table])


def _ops(report: ReportFigures) -> HtmlTable:
    shown = op_rows(report)
    ops = (shown if len(shown) <= _ROWS else sort_ops(shown, "time"))[:_ROWS]
    found = columns(report, ops)
    rows = [tuple(column.cell(op) for column in found) for op in ops]
    titles, text = tuple(c.title for c in found), tuple(c.text for c in found)
    return HtmlTable(titles, text, rows, len(shown) - len(rows))


def _fragment(title: str, shown: Iterable[Total], sentences: Iterable[str], tables: list[HtmlTable]) -> str:
    return render(
        "notebook",
        title=title,
        totals=list(shown),
        sentences=list(sentences),
        tables=[table for table in tables if table.rows],
        style=asset("notebook.css"),
    )
