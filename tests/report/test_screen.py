"""The report on one screen: who has only this knows how long, within what, whether it fits, and what takes the time."""

import io
import re
from dataclasses import replace

import pytest
from rich.console import Console

from tests.models.layers import stack
from ttstack.cost import Confidence
from ttstack.report.equal_modules import folded_ops, module_rows
from ttstack.report.facts import facts
from ttstack.report.formatting import duration_range
from ttstack.report.report import Report
from ttstack.report.screen import screen

COMMANDS = [("ttstack perf m.ttb --all", "every op in order"), ("ttstack explain m.ttb 3", "alternatives for an op")]


def lines(report: Report, width: int) -> list[str]:
    file = io.StringIO()
    console = Console(file=file, width=width, highlight=False)
    for part in screen(report, width, COMMANDS):
        console.print(part)
    return [line.rstrip() for line in file.getvalue().splitlines()]


@pytest.fixture(scope="module")
def deep() -> Report:
    return stack(6)


@pytest.mark.parametrize("width", [60, 80, 140])
def test_a_long_program_takes_one_screen(deep: Report, width: int) -> None:
    shown = lines(deep, width)
    assert len(shown) <= 50
    assert all(len(line) <= width for line in shown)


def test_equal_modules_have_one_row(deep: Report) -> None:
    rows = module_rows(deep.ops, 8)
    assert [(row.name, row.times) for row in rows] == [("first", 1), ("blocks.0 to 5", 6), ("head", 1)]
    assert sum(row.elapsed_ns for row in rows) == pytest.approx(deep.total_ns)
    (row,) = (line for line in lines(deep, 80) if line.startswith("blocks.0 to 5"))
    assert row.split()[3] == "6"


def test_ops_of_equal_modules_are_added_up(deep: Report) -> None:
    folded = folded_ops(deep)
    assert sum(op.elapsed_ns for op in folded) == pytest.approx(deep.total_ns)
    assert sum(op.times for op in folded) == len(deep.ops)
    inner = [op for op in folded if op.location.startswith("blocks.0-5.")]
    assert inner
    assert {op.times for op in inner} <= {1, 5, 6}
    assert max(op.times for op in inner) == 6


def test_modules_of_other_shapes_or_ops_stay_apart() -> None:
    rows = module_rows(stack(1).ops, 8)
    assert [row.times for row in rows] == [1] * len(rows)


def test_it_answers_the_questions(deep: Report) -> None:
    shown = "\n".join(lines(deep, 80))
    assert f"likely {duration_range(*(deep.likely_ns or ()))}" in shown
    assert re.search(r"^fits +L1 \d+\.\d % of 1\.3 MiB per core, DRAM \d+\.\d % of 12\.0 GiB$", shown, re.MULTILINE)
    assert re.search(
        r"^trust +\d+\.\d % measured, \d+\.\d % similar, \d+\.\d % extrapolated, by time$", shown, re.MULTILINE
    )
    for command, purpose in COMMANDS:
        assert re.search(f"^{re.escape(command)} +{purpose}$", shown, re.MULTILINE)


def test_no_range_where_an_error_is_unknown(report: Report) -> None:
    first, *others = report.ops
    unknown = replace(report, ops=(replace(first, confidence=Confidence()), *others))
    assert (unknown.likely_ns, unknown.expected_error) == (None, None)
    share = 100 * first.elapsed_ns / report.total_ns
    time = facts(unknown)[0]
    assert time.note == f"error unknown: no measurement covers {share:.1f} % of it on this device"


def test_times_of_a_range_have_one_unit() -> None:
    assert duration_range(2_970_000, 3_610_000) == "2.97 to 3.61 ms"
    assert duration_range(900, 1_200) == "0.9 to 1.2 µs"


def test_resources_that_limit_the_whole_program_are_listed(report: Report) -> None:
    (line,) = (line for line in lines(report, 140) if line.startswith("limits"))
    first, share = next(iter(report.sensitivity.items()))
    assert line.startswith(f"limits    {first} {100 * share:.1f} %")
    assert line.endswith(" saved if 10 % faster")
    saved = sum(op.sensitivity.get(first, 0.0) * op.elapsed_ns for op in report.ops)
    assert share == pytest.approx(saved / report.total_ns)
