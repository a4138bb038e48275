"""Data frames of reports and comparisons, and how both are printed in a line."""

import pandas as pd  # pyright: ignore[reportMissingTypeStubs]
import pytest

from ttstack.report.compare import compare
from ttstack.report.report import Report


def test_a_row_for_each_op_with_its_interval(report: Report) -> None:
    frame = report.to_pandas()
    assert list(frame["index"]) == [op.index for op in report.ops]
    assert [tuple(pair) for pair in frame[["likely_low_ns", "likely_high_ns"]].to_numpy()] == [
        op.likely_ns for op in report.ops
    ]
    assert list(frame["grid_rows"]) == [op.grid.rows for op in report.ops]
    assert {"visited_share"} >= {str(name) for name in frame.columns[frame.isna().any()]}


def test_terms_that_an_op_does_not_have_are_zero(report: Report) -> None:
    frame = report.to_pandas()
    terms = {f"{term}_ns" for op in report.ops for term in op.terms}
    assert terms <= set(frame.columns)
    assert not frame[sorted(terms)].isna().to_numpy().any()


def test_a_comparison_has_a_row_for_each_pair(report: Report) -> None:
    frame = compare(report, report).to_pandas()
    assert isinstance(frame, pd.DataFrame)
    assert list(frame["before_elapsed_ns"]) == pytest.approx([op.elapsed_ns for op in report.ops])
    assert list(frame["delta_ns"]) == [0.0] * len(report.ops)
    assert not [name for name in frame.columns if "terms" in name]


def test_a_line_says_what_they_are(report: Report) -> None:
    assert repr(report) == f"Report({report.heading}: 25.4 µs, 3 ops)"
    assert repr(compare(report, report)) == f"Comparison({report.heading} -> {report.device}: +0.0 %)"
