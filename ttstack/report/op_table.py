"""Ops of a report as a table for terminals."""

from collections.abc import Mapping, Sequence

from rich.table import Table
from rich.text import Text

from ttstack.report.columns import LOCATION, OP, Column, columns, fit_columns
from ttstack.report.fit import GAP, head
from ttstack.report.formatting import micros, percent, short_location
from ttstack.report.model import CallReport, OpReport, ReportFigures
from ttstack.system_desc.resources import Resource

_COLOURS: Mapping[str, str] = {
    Resource.DRAM: "cyan",
    Resource.NOC: "magenta",
    Resource.LATENCY: "magenta",
    Resource.FPU: "green",
    Resource.SFPU: "green",
    Resource.LAUNCH: "yellow",
}
_INDENT = "  "
_TRUST = {"measured": "green", "similar": "", "extrapolated": "yellow"}


def op_table(report: ReportFigures, ops: Sequence[OpReport], width: int, *, calls: bool = False) -> Table:
    """Return a row for each op, with the columns that fit.

    With `calls`, a row for each kernel of a composite op below it.
    """
    names = [f"{_INDENT}{call.name}" for op in ops for call in op.calls] if calls else []
    kept, widths = fit_columns(columns(report, ops), ops, width, max(map(len, names), default=0))
    table = Table(box=None, padding=(0, GAP, 0, 0), pad_edge=False, header_style="bold")
    for column in kept:
        table.add_column(column.title, justify="left" if column.text else "right", no_wrap=True)
    for op in ops:
        table.add_row(*(_style(c.title, c.cell(op), widths) for c in kept))
        for call in op.calls if calls else ():
            table.add_row(*(_call_cell(c, call, report, widths) for c in kept), style="dim")
    return table


def _style(title: str, cell: str, widths: Mapping[str, int]) -> Text:
    if title == LOCATION:
        return Text(short_location(cell, widths[LOCATION]), style="dim")
    if title == OP:
        name, bracket, kernels = cell.partition(" (")
        return Text(head(name, widths[OP] - len(bracket + kernels)) + bracket + kernels)
    return Text(cell, style={"bound": _COLOURS, "trust": _TRUST}.get(title, {}).get(cell, ""))


def _call_cell(column: Column, call: CallReport, report: ReportFigures, widths: Mapping[str, int]) -> str:
    match column.title:
        case "op":
            return head(f"{_INDENT}{call.name}", widths[OP])
        case "µs":
            return micros(call.elapsed_ns)
        case "%":
            return percent(call.elapsed_ns / report.total_ns)
        case _:
            return ""
