"""The page: totals and sentences as text, all else drawn by the script in it from the data in it."""

from typing import Any

from ttstack.report.groups import GROUP_KINDS, GroupKind
from ttstack.report.html.alternatives import Alternatives, alternative_rows
from ttstack.report.html.program_data import Interned, pair_rows, program_data
from ttstack.report.html.templates import asset, render
from ttstack.report.html.totals import Total, comparison_totals, totals
from ttstack.report.model import ReportFigures
from ttstack.report.pairs import ComparisonFigures
from ttstack.report.summary import summary
from ttstack.report.tensor_trains import TITLES, cells
from ttstack.version import VERSION

_STYLES = ("uPlot.min.css", "page.css")
_SCRIPTS = (
    "uPlot.iife.min.js",
    "format.js",
    "model.js",
    "tooltip.js",
    "plot.js",
    "timeline.js",
    "memory.js",
    "roofline.js",
    "shares.js",
    "tree.js",
    "rows.js",
    "table.js",
    "cores.js",
    "detail.js",
    "main.js",
)


def report_page(report: ReportFigures, alternatives: Alternatives | None = None, group_by: GroupKind = "module") -> str:
    """A whole document about one program, with what else ops could have had where that is known.

    `group_by` says what its ops are added up by when it is opened.
    """
    title = f"{report.function} on {report.device}"
    return _page(title, totals(report), report, alternatives=alternatives, group_by=group_by)


def comparison_page(comparison: ComparisonFigures) -> str:
    """The same document about two programs; the later one is shown first."""
    before, after = comparison.before, comparison.after
    title = f"{before.function} on {before.device} → {after.function} on {after.device}"
    shown = comparison_totals(before, after)
    return _page(title, shown, after, before, pairs=pair_rows(comparison), notes=comparison.notes)


def _page(
    title: str,
    shown: list[Total],
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
        totals=shown,
        data={
            "programs": programs,
            "pairs": pairs,
            "by": group_by,
            "alternatives": alternative_rows(alternatives or {}, strings),
            "strings": strings.texts,
        },
        styles=list(map(asset, _STYLES)),
        scripts=list(map(asset, _SCRIPTS)),
        summary=list(summary(reports[0])),
        notes=notes,
        groupings=GROUP_KINDS,
        names=["after", "before"] if pairs is not None else [],
        tables=[cells(record) for record in reports[0].tables],
        table_titles=TITLES,
    )
