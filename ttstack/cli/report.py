"""What `run` and `perf` do with a report."""

from pathlib import Path
from typing import TYPE_CHECKING

from ttstack.cli.console import stdout
from ttstack.cli.options import SortOrder

if TYPE_CHECKING:
    from ttstack.report import Report


def write_files(report: "Report", csv: Path | None, html: Path | None = None) -> None:
    """Write the files that were asked for."""
    if csv is not None:
        report.to_csv(csv)
    if html is not None:
        report.to_html(html)


def print_table(report: "Report", sort: SortOrder, top: int | None) -> None:
    """Print the table, at the width of the terminal."""
    from ttstack.report.table import render

    console = stdout()
    for part in render(report, console.width, by=sort.value, top=top):
        console.print(part)
