"""Stated errors of whole programs are of prices; which kernels were measured on the board is a figure of its own."""

from dataclasses import replace

import pytest

from ttstack.report.html.totals import totals
from ttstack.report.report import Report
from ttstack.report.summary import summary


def with_boards(report: Report, system: str, *boards: frozenset[str] | None) -> Report:
    """The report with as many ops as `boards`, each measured on these."""
    ops = (replace(report.ops[0], confidence=replace(report.ops[0].confidence, boards=of)) for of in boards)
    return replace(report, ops=tuple(ops), system=system)


@pytest.fixture
def known(report: Report) -> Report:
    return with_boards(report, "n300", frozenset({"n150", "n300"}), frozenset({"n150"}), frozenset(), None)


def test_ops_count_by_board_and_by_architecture(known: Report) -> None:
    assert known.to_dict()["measured_kernels"] == {"ops": 4, "on_board": 1, "on_arch": 3}


def test_a_board_with_another_release_is_the_same_board(report: Report) -> None:
    older = with_boards(report, "n150 with tt-metal of 2024", frozenset({"n150"}))
    assert older.measured_kernels.on_board == 1


def test_the_summary_says_what_the_error_is_of_and_which_kernels_were_measured(known: Report) -> None:
    lines = list(summary(known))
    error = next(line for line in lines if line.startswith("expected error: ±"))
    assert error.endswith("% of the total, by the prices of its ops, not by a run")
    assert len(error) <= 80
    assert "kernels measured on n300: 1 of 4 ops; on other wormhole_b0 boards: 2 more" in lines


def test_the_page_says_the_same(known: Report) -> None:
    found = {total.title: total for total in totals(known)}
    assert "by the prices of ops" in found["predicted time"].note
    assert (found["kernels measured"].value, found["kernels measured"].note) == (
        "1 of 4",
        "on n300; 3 on any wormhole_b0 board",
    )


def test_a_program_without_ops_has_no_kernels(empty: Report) -> None:
    assert empty.measured_kernels.ops == 0
    assert not [line for line in summary(empty) if line.startswith("kernels measured")]
    assert "kernels measured" not in [total.title for total in totals(empty)]
