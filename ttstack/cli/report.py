"""Output of reports by `run` and `perf`."""

import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from ttstack.cli.console import stdout, write_json
from ttstack.cli.shared_options import GroupKey, SortOrder

if TYPE_CHECKING:
    from ttstack.compiled_program import Program
    from ttstack.report.report import Report

_DEPTH = 2


@dataclass(frozen=True)
class ReportView:
    """The printed part of a report."""

    sort: SortOrder | None = None
    top: int | None = None
    group_by: GroupKey | None = None
    depth: int | None = None
    every_op: bool = False
    calls: bool = False
    all_ops: bool = False

    def __post_init__(self) -> None:
        """Raise `typer.BadParameter` if a depth is given without groups."""
        if self.depth is not None and self.group_by is None:
            raise typer.BadParameter("it sets the depth of groups: add --group-by", param_hint="--depth")

    @property
    def levels(self) -> int:
        """The number of levels of groups."""
        return self.depth or _DEPTH

    @property
    def rows(self) -> bool:
        """True if a table of ops was requested instead of the one-screen report."""
        return self.all_ops or self.every_op or self.calls or self.sort is not None or self.top is not None

    @property
    def asked(self) -> bool:
        """True if any option selects the output."""
        return self.rows or self.group_by is not None

    @property
    def order(self) -> SortOrder:
        """The order of ops in a table: longest first if only some are printed."""
        return self.sort or (SortOrder.ORDER if self.top is None else SortOrder.TIME)


def write_files(
    program: "Program",
    report: "Report",
    csv: Path | None = None,
    html: Path | None = None,
    trace_json: Path | None = None,
    group_by: GroupKey | None = None,
) -> list[Path]:
    """Write the requested files, and return their paths."""
    if csv is not None:
        report.to_csv(csv)
    if html is not None:
        program.to_html(html, report.function, group_by=(group_by or GroupKey.MODULE).value, **report.per_pass)
    if trace_json is not None:
        report.to_trace(trace_json)
    return [path for path in (csv, html, trace_json) if path is not None]


def print_report(program: "Program", report: "Report", view: ReportView, file: Path) -> None:
    """Print a program's report on one screen, or its ops or groups of ops as tables."""
    from ttstack.report.group_table import render_groups
    from ttstack.report.screen import screen
    from ttstack.report.table import render

    console = stdout()
    if view.group_by is not None:
        by_time = view.sort is SortOrder.TIME
        parts = render_groups(report, view.group_by.value, view.levels, console.width, by_time=by_time, top=view.top)
    elif view.rows:
        parts = render(
            report,
            console.width,
            by=view.order.value,
            top=view.top,
            every_op=view.every_op,
            calls=view.calls,
        )
    else:
        parts = screen(report, console.width, list(next_commands(program, report, file)))
    for part in parts:
        console.print(part)


def next_commands(program: "Program", report: "Report", file: Path) -> Iterator[tuple[str, str]]:
    """Yield next commands, and their purpose."""
    from ttstack.report.columns import op_text
    from ttstack.report.equal_modules import folded_ops
    from ttstack.report.float32 import proposed_bf16
    from ttstack.report.formatting import duration, percent

    name = shlex.quote(str(file))
    longest = max(folded_ops(report), key=lambda op: op.elapsed_ns, default=None)
    if longest is None:
        return
    if (float32 := proposed_bf16(program.binary, program.function(report.function))) is not None:
        saved = f"{duration(float32.bf16_ns)} predicted, -{percent(float32.saved_share)} %"
        yield "ttstack compile MODEL --dtype bf16", saved
    yield f"ttstack advise {name} MODEL", "try formats, precisions and placements"
    yield f"ttstack explain {name} {longest.index}", "alternatives for an op"
    yield f"ttstack perf {name} --all", "every op in order"
    if composite := next((op for op in report.ops if len(op.calls) > 1), None):
        yield f"ttstack perf {name} --calls", f"kernels of composite ops, such as {op_text(composite)}"


def report_dict(report: "Report", view: ReportView) -> dict[str, Any]:
    """Return the report for JSON, with `groups` if ops are grouped."""
    from ttstack.report.groups import group_ops
    from ttstack.report.json import group_rows

    if view.group_by is None:
        return report.to_dict()
    groups = group_rows(report, group_ops(report.ops, view.group_by.value), view.levels)
    return report.to_dict() | {"groups": groups}


def print_json(report: "Report", view: ReportView) -> None:
    """Print the report as JSON."""
    write_json(report_dict(report, view))
