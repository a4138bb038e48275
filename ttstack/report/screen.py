"""A report on one screen: time, interval, fit, longest ops, and next commands."""

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from rich.table import Table
from rich.text import Text

from ttstack.report.equal_modules import ModuleRun
from ttstack.report.facts import Fact
from ttstack.report.fit import GAP, fit_widths, head
from ttstack.report.formatting import tail
from ttstack.report.model import ReportFigures
from ttstack.report.op_table import op_table
from ttstack.report.overview import MODULE_TITLES, Overview, module_cells
from ttstack.report.tensor_trains import trains

if TYPE_CHECKING:
    from rich.console import RenderableType

_LEAST_NAME = 12
_LABEL = len("baseline")
"""Characters of the labels of facts."""


def screen(report: ReportFigures, width: int, commands: Sequence[tuple[str, str]] = ()) -> "Iterator[RenderableType]":
    """Render the facts, the modules if some are equal, the longest ops, and commands with their purposes."""
    overview = Overview(report)
    yield Text(report.heading, style="bold")
    yield fact_table(overview.facts, width)
    if not report.ops:
        return
    if overview.modules:
        yield Text()
        yield _module_table(report, overview.modules, width)
    yield Text()
    yield op_table(report, overview.ops, width)
    if overview.rest:
        yield Text(overview.rest, style="dim")
    if report.tables:
        yield Text()
        yield trains(report.tables)
    if commands:
        yield Text()
        yield _command_table(commands, width)


def fact_table(found: Iterable[Fact], width: int) -> Table:
    """Return a table with one line per fact, wrapped between words."""
    table = Table(box=None, padding=(0, GAP, 0, 0), pad_edge=False, show_header=False)
    table.add_column(style="dim", no_wrap=True, min_width=_LABEL)
    table.add_column(max_width=width - _LABEL - GAP)
    for fact in found:
        table.add_row(fact.title, f"{fact.value}, {fact.note}" if fact.note else fact.value)
    return table


def _module_table(report: ReportFigures, modules: Iterable[ModuleRun], width: int) -> Table:
    rows = [module_cells(report, row) for row in modules]
    natural = [max(map(len, column)) for column in zip(MODULE_TITLES, *rows, strict=True)]
    room, *_ = fit_widths(natural, [min(natural[0], _LEAST_NAME), *natural[1:]], width)
    table = Table(box=None, padding=(0, GAP, 0, 0), pad_edge=False, header_style="bold")
    for title in MODULE_TITLES:
        table.add_column(title, justify="left" if title == "module" else "right", no_wrap=True)
    for name, *cells in rows:
        table.add_row(tail(name, room), *cells)
    return table


def _command_table(commands: Sequence[tuple[str, str]], width: int) -> Table:
    table = Table(box=None, padding=(0, GAP, 0, 0), pad_edge=False, show_header=False)
    table.add_column(no_wrap=True)
    table.add_column(style="dim", no_wrap=True)
    wide = max(len(command) for command, _ in commands)
    for command, purpose in commands:
        table.add_row(command, head(purpose, max(width - wide - GAP, 0)))
    return table
