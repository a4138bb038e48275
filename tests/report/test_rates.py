"""Samples and tokens a second: said of a pass by whoever asks, and shown wherever the total is."""

import pytest

from ttstack.diagnostics import InputError
from ttstack.report.compare import compare
from ttstack.report.facts import facts
from ttstack.report.formatting import each_second
from ttstack.report.html.page import comparison_page, report_page
from ttstack.report.report import Report


def test_a_pass_of_eight_samples_gives_eight_in_its_time(report: Report) -> None:
    counted = report.count_in_pass(samples=8)
    (rate,) = counted.to_dict()["rates"]
    assert (rate["what"], rate["per_pass"]) == ("samples", 8)
    assert rate["per_second"] * counted.total_ns == pytest.approx(8e9)
    assert rate["ideal_per_second"] * counted.roofline_ns == pytest.approx(8e9)
    (fact,) = (fact for fact in facts(counted) if fact.title == "samples/s")
    assert fact.value == f"{rate['per_second']:,.0f}"
    assert fact.note == f"8 per pass; roofline {rate['ideal_per_second']:,.0f}"
    assert "samples/s" in report_page(counted)


def test_nothing_is_said_of_what_nobody_counted(report: Report, empty: Report) -> None:
    for said in (report, report.count_in_pass(samples=8).count_in_pass(), empty.count_in_pass(samples=8)):
        assert "rates" not in said.to_dict()
        assert "samples/s" not in report_page(said)


@pytest.mark.parametrize(("number", "text"), [(21_294.4, "21,294"), (100, "100"), (99.96, "100"), (1.4567, "1.46")])
def test_rates_below_a_hundred_keep_three_digits(number: float, text: str) -> None:
    assert each_second(number) == text


def test_a_pass_has_at_least_one(report: Report) -> None:
    with pytest.raises(InputError, match="a pass has 0 tokens"):
        report.count_in_pass(tokens=0)


def test_a_comparison_is_of_times_alone(report: Report) -> None:
    """One of its programs may have no rate."""
    assert "samples/s</div>" not in comparison_page(compare(report.count_in_pass(samples=8), report))
