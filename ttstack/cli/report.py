"""What `run` and `perf` do with a report."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from ttstack.cli.console import stdout, write_json
from ttstack.cli.shared_options import GroupKey, SortOrder

if TYPE_CHECKING:
    from ttstack.compiled_program import Program
    from ttstack.report.report import Report


_DEPTH = 2


def write_files(
    program: "Program",
    report: "Report",
    csv: Path | None = None,
    html: Path | None = None,
    trace_json: Path | None = None,
    group_by: GroupKey | None = None,
) -> None:
    """Write the files that were asked for."""
    if csv is not None:
        report.to_csv(csv)
    if html is not None:
        program.to_html(html, report.function, group_by=(group_by or GroupKey.MODULE).value, **report.per_pass)
    if trace_json is not None:
        report.to_trace(trace_json)


def print_report(
    report: "Report",
    sort: SortOrder,
    top: int | None,
    group_by: GroupKey | None = None,
    depth: int = 1,
    *,
    every_op: bool = False,
    as_json: bool = False,
) -> None:
    """Print ops, or what they take together, as tables at the width of the terminal, or as JSON."""
    from ttstack.report.group_table import render_groups
    from ttstack.report.table import render

    if as_json:
        write_json(report_dict(report, group_by, depth))
        return
    console = stdout()
    if group_by is None:
        parts = render(report, console.width, by=sort.value, top=top, every_op=every_op)
    else:
        parts = render_groups(report, group_by.value, depth, console.width, by_time=sort is SortOrder.TIME, top=top)
    for part in parts:
        console.print(part)


def check_depth(group_by: GroupKey | None, depth: int | None) -> int:
    """How deep groups are shown; raises `typer.BadParameter` where it is said of none."""
    if depth is not None and group_by is None:
        raise typer.BadParameter("it says how deep groups are shown: give --group-by too", param_hint="--depth")
    return depth or _DEPTH


def report_dict(report: "Report", group_by: GroupKey | None, depth: int) -> dict[str, Any]:
    """The report as JSON has it, with `groups` where ops are added up."""
    from ttstack.report.groups import group_ops
    from ttstack.report.json import group_rows

    if group_by is None:
        return report.to_dict()
    return report.to_dict() | {"groups": group_rows(report, group_ops(report.ops, group_by.value), depth)}
