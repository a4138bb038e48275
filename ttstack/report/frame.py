"""A report as a pandas data frame."""

from typing import TYPE_CHECKING

from ttstack.diagnostics import OutputError
from ttstack.report.json import flat_row
from ttstack.report.model import ReportFigures

if TYPE_CHECKING:
    from pandas import DataFrame  # pyright: ignore[reportMissingTypeStubs]


def to_pandas(report: ReportFigures) -> "DataFrame":
    """A row for each op, terms as columns of their own, in the order of execution."""
    try:
        import pandas as pd  # pyright: ignore[reportMissingTypeStubs]
    except ModuleNotFoundError as error:
        raise OutputError("a data frame needs pandas", hint="pip install 'ttstack[pandas]'") from error
    return pd.DataFrame([flat_row(report, op) for op in report.ops])
