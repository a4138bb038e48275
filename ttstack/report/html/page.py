"""The page: facts as text, all else drawn by the script in it from the data in it."""

from typing import Any

from ttstack.report.facts import Fact, compare_facts, details, facts
from ttstack.report.groups import GROUP_KINDS, GroupKind
from ttstack.report.html.alternatives import Alternatives, alternative_rows
from ttstack.report.html.program_data import Interned, legend, pair_rows, program_data
from ttstack.report.html.templates import asset, render
from ttstack.report.model import ReportFigures, compare_headings
from ttstack.report.pairs import ComparisonFigures
from ttstack.report.tensor_trains import TITLES, cells
from ttstack.version import VERSION

_WHOSE = {1: ("Compiled",), 2: ("After: compiled", "Before: compiled")}
"""The program that a text is about, by number of programs."""
_MOST_CARDS = 9
"""Facts in one row of a wide window."""
_STYLES = ("uPlot.min.css", "page.css")
SCRIPTS = (
    "uPlot.iife.min.js",
    "format.js",
    "model.js",
    "tooltip.js",
    "plot.js",
    "rows.js",
    "modules.js",
    "timeline.js",
    "range.js",
    "memory.js",
    "roofline.js",
    "shares.js",
    "tree.js",
    "table.js",
    "cores.js",
    "terms.js",
    "overview.js",
    "detail.js",
    "print.js",
    "main.js",
)


def report_page(report: ReportFigures, alternatives: Alternatives | None = None, group_by: GroupKind = "module") -> str:
    """Return a document about one program, with alternatives of ops if known.

    `group_by` says what its ops are added up by when it is opened.
    """
    title = report.heading
    return _page(title, facts(report), report, alternatives=alternatives, group_by=group_by)


def comparison_page(comparison: ComparisonFigures) -> str:
    """Return a document about two programs; the later one is shown first."""
    before, after = comparison.before, comparison.after
    title = compare_headings(before, after, "→")
    shown = compare_facts(before, after)
    return _page(title, shown, after, before, pairs=pair_rows(comparison), notes=comparison.notes)


def _columns(cards: int, most: int) -> int:
    """Return how many cards a row has, at most `most`, so that all rows are equally full."""
    return -(-cards // -(-cards // most))


def _page(
    title: str,
    shown: list[Fact],
    *reports: ReportFigures,
    pairs: Any = None,
    notes: tuple[str, ...] = (),
    alternatives: Alternatives | None = None,
    group_by: GroupKind = "module",
) -> str:
    strings = Interned()
    programs = [program_data(report, strings) for report in reports]
    return render(
        "page",
        title=title,
        version=VERSION,
        options=[
            (whose, report.options)
            for whose, report in zip(_WHOSE[len(reports)], reports, strict=True)
            if report.options
        ],
        totals=shown,
        cards=_columns(len(shown), _MOST_CARDS),
        half=-(-len(shown) // 2),
        data={
            "programs": programs,
            "pairs": pairs,
            "by": group_by,
            "alternatives": alternative_rows(alternatives or {}, strings),
            "strings": strings.texts,
            "legend": legend(),
        },
        styles=list(map(asset, _STYLES)),
        scripts=list(map(asset, SCRIPTS)),
        details=details(reports[0]),
        notes=notes,
        groupings=GROUP_KINDS,
        names=["after", "before"] if pairs is not None else [],
        tables=[cells(record) for record in reports[0].tables],
        table_titles=TITLES,
    )
