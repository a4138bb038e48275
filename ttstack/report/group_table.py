"""Sums over groups of ops, as a table for terminals."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from rich.table import Table
from rich.text import Text

from ttstack.report.facts import facts
from ttstack.report.fit import GAP, fit_widths, head
from ttstack.report.formatting import micros, percent
from ttstack.report.groups import Group, GroupKind, group_ops
from ttstack.report.model import ReportFigures
from ttstack.report.screen import fact_table

if TYPE_CHECKING:
    from rich.console import RenderableType

_TITLES = ("ops", "µs", "%", "kernel", "roofline")
_INDENT = "  "
_LEAST = 10
"""Characters of a name below which a narrow table does not cut it."""


def render_groups(
    report: ReportFigures, by: GroupKind, depth: int, width: int, *, by_time: bool = False, top: int | None = None
) -> "Iterator[RenderableType]":
    """Render the title, the groups with those within them (the first `top`), and the facts.

    Modules are in the order of execution unless sorted by time, all other groups longest first.
    """
    yield Text(report.heading, style="bold")
    groups = list(_down(group_ops(report.ops, by), depth, by_time=by_time or by != "module"))
    if groups:
        yield _table(report, by, groups[:top], width)
    if len(groups) > len(groups[:top]):
        yield Text(f"and {len(groups) - len(groups[:top])} more", style="dim")
    yield Text()
    yield fact_table(facts(report), width)


def _down(group: Group, depth: int, *, by_time: bool) -> Iterator[Group]:
    """Return the groups within, each before those that it holds, in the order of execution or longest first."""
    inner = sorted(group.groups, key=lambda g: -g.elapsed_ns) if by_time else group.groups
    for one in inner if depth else ():
        yield one
        yield from _down(one, depth - 1, by_time=by_time)


def _table(report: ReportFigures, by: GroupKind, groups: list[Group], width: int) -> Table:
    rows = [_cells(report, group) for group in groups]
    natural = [max(map(len, column)) for column in zip((by, *_TITLES), *rows, strict=True)]
    room, *_ = fit_widths(natural, [min(natural[0], _LEAST), *natural[1:]], width)
    table = Table(box=None, padding=(0, GAP, 0, 0), pad_edge=False, header_style="bold")
    table.add_column(by, no_wrap=True)
    for title in _TITLES:
        table.add_column(title, justify="right", no_wrap=True)
    for name, *figures in rows:
        table.add_row(head(name, room), *figures)
    return table


def _cells(report: ReportFigures, group: Group) -> tuple[str, ...]:
    """Return the name, indented by how deep the group is, and its figures."""
    return (
        f"{_INDENT * (len(group.path) - 1)}{group.name}",
        f"{len(group.ops):,}",
        micros(group.elapsed_ns),
        percent(report.share(group)),
        micros(group.kernel_ns),
        micros(group.roofline_ns),
    )
