"""A report as HTML: a fragment for notebooks, and a page of its own that needs no network."""

from collections.abc import Iterable, Iterator
from html import escape

from ttstack.report.columns import Column, columns
from ttstack.report.formatting import duration, percent
from ttstack.report.model import ReportFigures
from ttstack.report.summary import summary
from ttstack.report.tensor_trains import TITLES, cells

_STYLE = """
.ttstack-report {font: 13px/1.45 system-ui, sans-serif; color: #1c2330; background: #fff; max-width: 100%}
.ttstack-report h1 {font-size: 17px; margin: 0 0 4px}
.ttstack-report p {margin: 2px 0}
.ttstack-report .wide {overflow-x: auto; margin-top: 12px}
.ttstack-report table {border-collapse: collapse; font-variant-numeric: tabular-nums; margin-top: 12px}
.ttstack-report th, .ttstack-report td {padding: 2px 9px; border-bottom: 1px solid #e4e7ec; white-space: nowrap}
.ttstack-report th {text-align: left; background: #f4f6f9; position: sticky; top: 0}
.ttstack-report td {text-align: right}
.ttstack-report td.text {text-align: left}
.ttstack-report .bar {display: inline-block; height: 9px; background: #4a7bd0; border-radius: 2px}
.ttstack-report th[data-sort] {cursor: pointer}
"""
_SORT = """
document.querySelectorAll(".ttstack-report th[data-sort]").forEach((th) => th.addEventListener("click", () => {
  const body = th.closest("table").tBodies[0], at = th.cellIndex, down = th.dataset.sort !== "down";
  const key = (row) => row.cells[at].textContent;
  const number = (text) => parseFloat(text.replaceAll(",", ""));
  const order = (a, b) => (isNaN(number(key(a))) ? key(a).localeCompare(key(b)) : number(key(a)) - number(key(b)));
  th.dataset.sort = down ? "down" : "up";
  [...body.rows].sort((a, b) => (down ? -order(a, b) : order(a, b))).forEach((row) => body.append(row));
}));
"""
_NOTEBOOK_ROWS = 200


def page(report: ReportFigures) -> str:
    """A whole document; a click on a column's title sorts the ops by it."""
    title = escape(f"{report.function} on {report.system}")
    return (
        f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>{title}</title>'
        f'<meta name="viewport" content="width=device-width, initial-scale=1"></head>\n'
        f"<body>{''.join(_body(report, len(report.ops)))}<script>{_SORT}</script></body></html>\n"
    )


def fragment(report: ReportFigures) -> str:
    """What a notebook shows; of a long program, the ops that take the most time."""
    return "".join(_body(report, _NOTEBOOK_ROWS))


def _body(report: ReportFigures, rows: int) -> Iterator[str]:
    yield f'<div class="ttstack-report"><style>{_STYLE}</style>'
    yield f"<h1>{escape(report.function)} on {escape(report.system)}: {duration(report.total_ns)}</h1>"
    yield from (f"<p>{escape(line)}</p>" for line in summary(report))
    yield from _shares(report)
    yield from _trains(report)
    yield from _ops(report, rows)
    yield "</div>"


def _shares(report: ReportFigures) -> Iterator[str]:
    yield "<table><thead><tr><th>class</th><th>%</th><th></th></tr></thead><tbody>"
    for name, share in report.shares().items():
        bar = f'<span class="bar" style="width:{240 * share:.0f}px"></span>'
        yield f'<tr><td class="text">{escape(name)}</td><td>{percent(share)}</td><td class="text">{bar}</td></tr>'
    yield "</tbody></table>"


def _trains(report: ReportFigures) -> Iterator[str]:
    if not report.tables:
        return
    titles = "".join(f"<th>{escape(title)}</th>" for title in TITLES)
    yield f'<div class="wide"><table><thead><tr>{titles}</tr></thead><tbody>'
    for record in report.tables:
        yield "<tr>" + "".join(f'<td class="text">{escape(cell)}</td>' for cell in cells(record)) + "</tr>"
    yield "</tbody></table></div>"


def _ops(report: ReportFigures, rows: int) -> Iterator[str]:
    found = columns(report)
    ops = report.ordered("order" if len(report.ops) <= rows else "time")[:rows]
    titles = "".join(f'<th data-sort="">{escape(column.title)}</th>' for column in found)
    yield f'<div class="wide"><table><thead><tr>{titles}</tr></thead><tbody>'
    for op in ops:
        yield f"<tr>{''.join(_cells(found, [column.cell(op) for column in found]))}</tr>"
    yield "</tbody></table></div>"
    if len(ops) < len(report.ops):
        yield f"<p>and {len(report.ops) - len(ops)} more</p>"


def _cells(found: Iterable[Column], texts: Iterable[str]) -> Iterator[str]:
    for column, text in zip(found, texts, strict=True):
        kind = ' class="text"' if column.text else ""
        yield f"<td{kind}>{escape(text)}</td>"
