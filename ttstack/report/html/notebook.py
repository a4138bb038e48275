"""HTML instead of a `repr` in notebooks: tables in the notebook's colours, without a script."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ttstack.report.columns import columns
from ttstack.report.facts import Fact, compare_facts, facts
from ttstack.report.formatting import count, duration, micros, short_location
from ttstack.report.html.templates import asset, render
from ttstack.report.model import ReportFigures, compare_headings
from ttstack.report.overview import MODULE_TITLES, Overview, module_cells
from ttstack.report.pairs import ComparisonFigures
from ttstack.report.tensor_trains import TITLES, cells

_PAIRS = 20
"""Ops that a notebook shows of a comparison: those whose time changed most."""
_LOCATION = 28
"""Characters of locations."""
_COLUMNS = 1
"""The rank of the columns of ops that a notebook shows."""
_NEXT = "All ops: report.to_pandas(). Charts: report.plot_time(), report.plot_memory(), report.plot_roofline()."


@dataclass(frozen=True)
class HtmlTable:
    """Column titles, the set of text columns, and rows of texts."""

    titles: tuple[str, ...]
    text: tuple[bool, ...]
    rows: list[tuple[str, ...]]
    more: str = ""
    """Text about omitted rows."""


def report_fragment(report: ReportFigures) -> str:
    """Return the facts, the modules if some are equal, and the longest ops."""
    overview = Overview(report)
    tables = [_modules(report, overview), _ops(report, overview)]
    if report.tables:
        tables = [HtmlTable(TITLES, (True,) * len(TITLES), [cells(record) for record in report.tables]), *tables]
    return _fragment(report.heading, overview.facts, [_NEXT] if report.ops else [], tables)


def comparison_fragment(comparison: ComparisonFigures) -> str:
    """Both totals, and the ops whose time changed most."""
    before, after = comparison.before, comparison.after
    pairs = comparison.sort_pairs("time")[:_PAIRS]
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
        ("op", "location", "before µs", "after µs", "change"),
        (True, True, False, False, False),
        rows,
        f"and {count(left, 'op')} more: comparison.to_pandas()" if (left := len(comparison.pairs) - len(rows)) else "",
    )
    title = compare_headings(before, after, "→")
    return _fragment(title, compare_facts(before, after), comparison.notes, [table])


def program_fragment(title: str, functions: Mapping[str, Mapping[str, Mapping[str, Any]]]) -> str:
    """Return a table of each function's inputs and outputs: types by name, under `takes` and `gives`."""
    rows = [
        (function, way, name, str(kind))
        for function, ways in functions.items()
        for way, types in ways.items()
        for name, kind in types.items()
    ]
    return _fragment(title, (), (), [HtmlTable(("function", "", "name", "type"), (True,) * 4, rows)])


def run_fragment(values: Mapping[str, Mapping[str, np.ndarray[Any, Any]]], report: ReportFigures) -> str:
    """Return the values that a run gave, by `outputs` and `updated`, and its predicted time."""
    rows = [
        (kind, name, "x".join(map(str, array.shape)) or "scalar", array.dtype.name)
        for kind, arrays in values.items()
        for name, array in arrays.items()
    ]
    table = HtmlTable(("", "name", "shape", "type"), (True,) * 4, rows)
    title = f"{report.heading}: {duration(report.total_ns)} predicted"
    return _fragment(title, facts(report), (), [table])


def _modules(report: ReportFigures, overview: Overview) -> HtmlTable:
    rows = [module_cells(report, row) for row in overview.modules]
    return HtmlTable(MODULE_TITLES, tuple(title == "module" for title in MODULE_TITLES), rows)


def _ops(report: ReportFigures, overview: Overview) -> HtmlTable:
    found = [column for column in columns(report, overview.ops) if column.rank <= _COLUMNS]
    short = [replace(op, location=short_location(op.location, _LOCATION)) for op in overview.ops]
    rows = [tuple(column.cell(op) for column in found) for op in short]
    titles, text = tuple(c.title for c in found), tuple(c.text for c in found)
    return HtmlTable(titles, text, rows, overview.rest)


def _fragment(title: str, shown: Iterable[Fact], sentences: Iterable[str], tables: list[HtmlTable]) -> str:
    return render(
        "notebook",
        title=title,
        facts=list(shown),
        sentences=list(sentences),
        tables=[table for table in tables if table.rows],
        style=asset("notebook.css"),
    )
