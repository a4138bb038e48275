"""Tables show the ops of a step once, with the figures of all its calls; nothing else changes."""

import csv
import io
import json
from math import fsum
from pathlib import Path

import pytest
from rich.console import Console

from tests.models.repeated import MODELS, PROGRAMS
from ttstack.report.formatting import micros
from ttstack.report.report import Report
from ttstack.report.rows import op_rows, step_lines
from ttstack.report.table import render

REPEATED = [name for name, (_, steps) in MODELS.items() if steps]


def lines(report: Report, *, every_op: bool = False) -> list[str]:
    console = Console(file=io.StringIO(), width=140, highlight=False)
    console.print(*render(report, 140, every_op=every_op), sep="\n")
    assert isinstance(console.file, io.StringIO)
    return [line.rstrip() for line in console.file.getvalue().splitlines()]


@pytest.mark.parametrize("name", MODELS)
def test_rows_stand_for_all_ops(name: str):
    report = PROGRAMS[name]().cost()
    rows = op_rows(report)
    assert sum(row.times for row in rows) == len(report.ops)
    assert len(report.steps) == MODELS[name][1]
    for field in ("elapsed_ns", "kernel_ns", "gap_ns", "roofline_ns", "doubt_ns", "flops", "dram_bytes", "noc_bytes"):
        whole = fsum(getattr(op, field) for op in report.ops)
        assert fsum(getattr(row, field) for row in rows) == pytest.approx(whole, rel=1e-12)
    for row in rows:
        assert sum(row.terms.values()) >= 0
        assert row.index in range(len(report.ops))


@pytest.mark.parametrize("name", REPEATED)
def test_a_row_is_the_sum_of_its_op_in_all_calls(name: str):
    report = PROGRAMS[name]().cost()
    rows = {row.index: row for row in op_rows(report)}
    for step in report.steps:
        assert step.calls >= 3
        for place in range(step.ops):
            calls = [report.ops[number] for number in step.numbers(place)]
            row = rows[calls[0].index]
            assert {(op.name, op.location) for op in calls} == {(row.name, row.location)}
            assert row.elapsed_ns == pytest.approx(sum(op.elapsed_ns for op in calls))
            least, most = min(op.dram_utilisation for op in calls), max(op.dram_utilisation for op in calls)
            assert least * 0.999 <= row.dram_utilisation <= most * 1.001


def test_a_table_says_how_often():
    report = PROGRAMS["lstm"]().cost()
    (step,) = report.steps
    shown = lines(report)
    row = next(line for line in shown if line.split()[:1] == [str(step.first)])
    total = sum(report.ops[number].elapsed_ns for number in step.numbers(0))
    assert f" {step.calls} " in row
    assert micros(total) in row.split()
    assert not [line for line in shown if line.split()[:1] == [str(step.first + step.ops)]]
    said = f"ops {step.first} to {step.first + step.ops - 1}: a step that is called {step.calls} times"
    assert [line for line in shown if line.startswith(said)]
    assert not [line for line in lines(report, every_op=True) if "a step that is called" in line]


def test_totals_are_those_of_all_ops():
    report = PROGRAMS["lstm"]().cost()
    once, every = lines(report), lines(report, every_op=True)
    assert [line for line in every if line not in once and " ops: " in line] == []
    assert once[0] == every[0]
    assert once[-6:] == every[-6:], "shares by class"
    start = next(i for i, line in enumerate(every) if line.split()[:2] == ["#", "op"]) + 1
    assert [int(line.split()[0]) for line in every[start : start + len(report.ops)]] == list(range(len(report.ops)))


def test_a_model_without_steps_has_the_same_table():
    report = PROGRAMS["perceptron"]().cost()
    assert lines(report) == lines(report, every_op=True)
    assert "times" not in lines(report)[1]
    assert list(step_lines(report)) == []


def test_files_for_other_tools_have_every_op(tmp_path: Path):
    report = PROGRAMS["lstm"]().cost()
    report.to_csv(tmp_path / "ops.csv")
    report.to_trace(tmp_path / "trace.json")
    with (tmp_path / "ops.csv").open() as file:
        assert sum(row["OP TYPE"] == "tt_dnn_device" for row in csv.DictReader(file)) == len(report.ops)
    events = json.loads((tmp_path / "trace.json").read_text())["traceEvents"]
    assert len({event["args"]["number"] for event in events if "number" in event.get("args", {})}) == len(report.ops)
    found = report.to_dict()
    assert len(found["ops"]) == len(report.ops)
    assert found["steps"] == [{"first": s.first, "ops": s.ops, "calls": s.calls} for s in report.steps]
    assert "steps" not in PROGRAMS["perceptron"]().cost().to_dict()


def test_a_notebook_shows_a_step_once():
    report = PROGRAMS["lstm"]().cost()
    page = report._repr_html_()  # pyright: ignore[reportPrivateUsage]
    assert page.count("<tr>") < len(report.ops)
    assert "called 6 times" in page
