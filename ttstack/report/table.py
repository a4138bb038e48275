"""A report with all its ops as a table for terminals."""

from collections.abc import Iterator
from io import StringIO
from typing import TYPE_CHECKING

from rich.console import Console
from rich.table import Table
from rich.text import Text

from ttstack.report.facts import details, facts
from ttstack.report.fit import GAP
from ttstack.report.formatting import percent
from ttstack.report.model import Order, ReportFigures
from ttstack.report.op_table import op_table
from ttstack.report.rows import op_rows, step_lines
from ttstack.report.screen import fact_table, screen
from ttstack.report.tensor_trains import trains

if TYPE_CHECKING:
    from rich.console import RenderableType

_BAR = 24


def render(
    report: ReportFigures,
    width: int,
    *,
    by: Order = "order",
    top: int | None = None,
    every_op: bool = False,
    calls: bool = False,
) -> "Iterator[RenderableType]":
    """Render the title, the ops (the first `top` of the order), all facts, and shares by class.

    Ops of a time step that is called again and again have one row, or one for each call with `every_op`. Kernels of
    composite ops have rows of their own with `calls`.
    """
    rows = op_rows(report, by, every_op=every_op)
    ops = rows[:top]
    yield Text(report.heading, style="bold")
    if ops:
        yield op_table(report, ops, width, calls=calls)
    left = len(rows) - len(ops)
    if left:
        yield Text(f"and {left} more", style="dim")
    yield Text()
    if not every_op:
        yield from map(Text, step_lines(report))
    yield fact_table([*facts(report), *details(report)], width)
    yield from _share_table(report)
    if report.tables:
        yield Text()
        yield trains(report.tables)


def text(report: ReportFigures, width: int = 110, *, every_op: bool = False) -> str:
    """Return the report on one screen as text without colours, or all its ops."""
    console = Console(file=StringIO(), width=width, highlight=False, markup=False, emoji=False, color_system=None)
    with console.capture() as capture:
        console.print(*(render if every_op else screen)(report, width), sep="\n")
    return "\n".join(line.rstrip() for line in capture.get().splitlines())


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
