"""The report as users hold it: its figures, and a way out for each format; a writer is imported when it is used."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from os import PathLike
from typing import TYPE_CHECKING, Any, Self

from ttstack.diagnostics import InputError
from ttstack.report.formatting import count, duration
from ttstack.report.model import ReportFigures

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from pandas import DataFrame  # pyright: ignore[reportMissingTypeStubs]
    from rich.console import Console, ConsoleOptions, RenderableType


@dataclass(frozen=True, repr=False)
class Report(ReportFigures):
    """Predicted time of one pass of a function that runs repeatedly from a trace."""

    def count_in_pass(self, *, samples: int | None = None, tokens: int | None = None) -> Self:
        """Return the report with samples or tokens per second.

        Args:
            samples: How many one pass has: what the model takes a batch of.
            tokens: How many one pass has: of a step of decoding, one for each user.

        Raises:
            InputError: one of them is less than 1.
        """
        said = {name: n for name, n in (("samples", samples), ("tokens", tokens)) if n is not None}
        for name, number in said.items():
            if number < 1:
                raise InputError(
                    f"a pass has {number} {name}", hint=f"give the number of {name} of one pass, at least 1"
                )
        return replace(self, per_pass=said)

    def to_dict(self) -> dict[str, Any]:
        """Everything as values that JSON has."""
        from ttstack.report.json import to_dict

        return to_dict(self)

    def to_json(self, *, indent: int | None = 2) -> str:
        """Everything as JSON text."""
        from ttstack.report.json import to_json

        return to_json(self, indent=indent)

    def to_pandas(self) -> "DataFrame":
        """A data frame with a row for each op; times in nanoseconds.

        Raises:
            OutputError: pandas is not installed.
        """
        from ttstack.report.frame import to_pandas

        return to_pandas(self)

    def to_csv(self, path: str | PathLike[str]) -> None:
        """Write tt-metal's `ops_perf_results` table, which tt-perf-report reads.

        Raises:
            OutputError: the file cannot be written.
        """
        from ttstack.report.csv import csv_text
        from ttstack.support.files import write_whole

        write_whole(path, csv_text(self))

    def to_html(self, path: str | PathLike[str]) -> None:
        """Write one page that needs no network.

        Raises:
            OutputError: the file cannot be written.
        """
        from ttstack.report.html.page import report_page
        from ttstack.support.files import write_whole

        write_whole(path, report_page(self))

    def to_trace(self, path: str | PathLike[str]) -> None:
        """Write a timeline in Chrome's JSON format, which Perfetto opens.

        Raises:
            OutputError: the file cannot be written.
        """
        from ttstack.report.trace import trace_json
        from ttstack.support.files import write_whole

        write_whole(path, trace_json(self))

    def plot_time(self, axes: "Axes | None" = None) -> "Axes":
        """Draw the longest ops as bars in microseconds, coloured by their bound, with intervals.

        Args:
            axes: Where to draw; a new figure by default.

        Raises:
            OutputError: matplotlib is not installed.
        """
        from ttstack.report.plots import plot_time

        return plot_time(self, axes)

    def plot_memory(self, axes: "Axes | None" = None) -> "Axes":
        """Draw the bytes in use of L1 and DRAM over time; MiB over microseconds. Arguments and errors: `plot_time`."""
        from ttstack.report.plots import plot_memory

        return plot_memory(self, axes)

    def plot_roofline(self, axes: "Axes | None" = None) -> "Axes":
        """Draw the TFLOP/s of each op over its FLOP per byte of DRAM traffic. Arguments and errors: `plot_time`."""
        from ttstack.report.plots import plot_roofline

        return plot_roofline(self, axes)

    def __repr__(self) -> str:
        return f"Report({self.heading}: {duration(self.total_ns)}, {count(len(self.ops), 'op')})"

    def __str__(self) -> str:
        from ttstack.report.table import text

        return text(self)

    def _repr_html_(self) -> str:
        from ttstack.report.html.notebook import report_fragment

        return report_fragment(self)

    def __rich_console__(self, console: "Console", options: "ConsoleOptions") -> "Iterable[RenderableType]":
        from ttstack.report.screen import screen

        yield from screen(self, options.max_width)
