"""Stated errors of whole programs are of prices; which kernels were measured on the board is a figure of its own."""

from dataclasses import replace

import pytest

from ttstack.report.facts import details
from ttstack.report.report import Report


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


def test_details_state_which_kernels_were_measured(known: Report) -> None:
    (fact,) = (fact for fact in details(known) if fact.title == "measured kernels")
    assert (fact.value, fact.note) == ("1", "of 4 ops, on n300, 2 more on other wormhole_b0 boards")


def test_a_program_without_ops_has_no_kernels(empty: Report) -> None:
    assert empty.measured_kernels.ops == 0
    assert "measured kernels" not in [fact.title for fact in details(empty)]
