"""Reports and comparisons as pandas data frames: times in nanoseconds, sizes in bytes, shares from 0 to 1."""

from typing import TYPE_CHECKING, Any

from ttstack.diagnostics import OutputError
from ttstack.report.json import flat_row
from ttstack.report.model import OpReport, ReportFigures
from ttstack.report.pairs import ComparisonFigures, pair_row

if TYPE_CHECKING:
    from pandas import DataFrame  # pyright: ignore[reportMissingTypeStubs]


def to_pandas(report: ReportFigures) -> "DataFrame":
    """Return a row for each op in the order of execution; terms that an op does not have are 0."""
    rows = [_row(report, op) for op in report.ops]
    terms = dict.fromkeys(name for op in report.ops for name in (f"{term}_ns" for term in op.terms))
    return frame_of([{**row, **{name: row.get(name, 0.0) for name in terms}} for row in rows])


def comparison_frame(comparison: ComparisonFigures) -> "DataFrame":
    """Return a row for each op that is in one of two programs, or in both."""
    nested = ("before_terms", "after_terms")
    rows = [pair_row(pair) for pair in comparison.pairs]
    return frame_of([{name: value for name, value in row.items() if name not in nested} for row in rows])


def _row(report: ReportFigures, op: OpReport) -> dict[str, Any]:
    """Return an op with the interval of its time, and the rows and columns of its grid as numbers."""
    low, high = op.likely_ns or (None, None)
    row = flat_row(report, op)
    del row["grid"]
    return row | {"likely_low_ns": low, "likely_high_ns": high, "grid_rows": op.grid.rows, "grid_columns": op.grid.cols}


def frame_of(rows: list[dict[str, Any]]) -> "DataFrame":
    """Return rows as a data frame.

    Raises:
        OutputError: pandas is not installed.
    """
    try:
        import pandas as pd  # pyright: ignore[reportMissingTypeStubs]
    except ModuleNotFoundError as error:
        raise OutputError("a data frame needs pandas", hint="pip install 'ttstack[pandas]'") from error
    return pd.DataFrame(rows)
