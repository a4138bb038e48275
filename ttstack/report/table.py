"""A report as a table for terminals."""

from collections.abc import Iterator, Mapping
from io import StringIO
from typing import TYPE_CHECKING

from rich.console import Console
from rich.table import Table
from rich.text import Text

from ttstack.report.columns import LOCATION, OP, columns, fit_columns
from ttstack.report.fit import GAP, head
from ttstack.report.formatting import duration, percent, short_location
from ttstack.report.model import OpReport, Order, ReportFigures
from ttstack.report.rows import op_rows, step_lines
from ttstack.report.summary import summary
from ttstack.report.tensor_trains import trains

if TYPE_CHECKING:
    from rich.console import RenderableType

_BAR = 24
_COLOURS = {"dram": "cyan", "compute": "green", "noc": "magenta", "launch": "yellow", "writer": "cyan"}


def render(
    report: ReportFigures, width: int, *, by: Order = "order", top: int | None = None, every_op: bool = False
) -> "Iterator[RenderableType]":
    """The title, the ops (the first `top` of the order), totals, and shares by class.

    Ops of a step that is called again and again have one row, or one for each call with `every_op`.
    """
    rows = op_rows(report, by, every_op=every_op)
    ops = rows[:top]
    yield Text(f"{report.function} on {report.device}: {duration(report.total_ns)}", style="bold")
    if ops:
        yield _op_table(report, ops, width)
    left = len(rows) - len(ops)
    if left:
        yield Text(f"and {left} more", style="dim")
    yield Text()
    if not every_op:
        yield from map(Text, step_lines(report))
    yield from map(Text, summary(report, width))
    yield from _share_table(report)
    if report.tables:
        yield Text()
        yield trains(report.tables)


def text(report: ReportFigures, width: int = 110) -> str:
    """The whole table as text without colours."""
    console = Console(file=StringIO(), width=width, highlight=False, markup=False, emoji=False, color_system=None)
    with console.capture() as capture:
        console.print(*render(report, width), sep="\n")
    return "\n".join(line.rstrip() for line in capture.get().splitlines())


def _op_table(report: ReportFigures, ops: list[OpReport], width: int) -> Table:
    kept, widths = fit_columns(columns(report, ops), ops, width)
    table = Table(box=None, padding=(0, GAP, 0, 0), pad_edge=False, header_style="bold")
    for column in kept:
        table.add_column(column.title, justify="left" if column.text else "right", no_wrap=True)
    for op in ops:
        table.add_row(*(_style(c.title, c.cell(op), widths) for c in kept))
    return table


def _style(title: str, cell: str, widths: Mapping[str, int]) -> Text:
    if title == LOCATION:
        return Text(short_location(cell, widths[LOCATION]), style="dim")
    if title == OP:
        return Text(head(cell, widths[OP]))
    return Text(cell, style=_COLOURS.get(cell, "") if title == "bound" else "")


def _share_table(report: ReportFigures) -> "Iterator[RenderableType]":
    shares = report.shares()
    if not shares:
        return
    counts: dict[str, int] = {}
    for op in report.ops:
        counts[op.op_class] = counts.get(op.op_class, 0) + 1
    table = Table(box=None, padding=(0, GAP, 0, 0), pad_edge=False, header_style="bold")
    table.add_column("class")
    table.add_column("ops", justify="right")
    table.add_column("%", justify="right")
    table.add_column("")
    for name, share in shares.items():
        table.add_row(name, str(counts[name]), percent(share), Text("█" * round(_BAR * share), style="blue"))
    yield Text()
    yield table
