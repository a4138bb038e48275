import io
from dataclasses import replace

import pytest
from rich.console import Console

from ttstack.report.formatting import micros
from ttstack.report.group_table import render_groups
from ttstack.report.groups import group_ops
from ttstack.report.report import Report


def test_modules_are_a_tree_whose_parts_add_up(report: Report) -> None:
    """Modules that hold one module and nothing else are one with it; ops without a name are those of their file."""
    locations = ("model.encoder.0.norm (m.py:1)", "model.encoder.1 (m.py:2)", "/folder/other.py:12")
    ops = [replace(op, location=where) for op, where in zip(report.ops, locations, strict=True)]
    root = group_ops(ops, "module")
    assert [g.path for g in root.down_to(2)] == [
        ("model.encoder",),
        ("model.encoder", "0.norm"),
        ("model.encoder", "1"),
        ("other.py",),
    ]
    assert [g.path for g in root.down_to(1)] == [("model.encoder",), ("other.py",)]
    assert root.elapsed_ns == pytest.approx(report.total_ns)
    assert sum(g.elapsed_ns for g in root.groups) == pytest.approx(report.total_ns)
    assert sum(g.roofline_ns for g in root.groups) == pytest.approx(report.roofline_ns)


def test_a_module_keeps_the_ops_that_no_module_within_has(report: Report) -> None:
    locations = ("model (m.py:1)", "model.norm (m.py:2)", "model.norm (m.py:3)")
    ops = [replace(op, location=where) for op, where in zip(report.ops, locations, strict=True)]
    (model,) = group_ops(ops, "module").groups
    assert [op.index for op in model.own_ops] == [0]
    assert [op.index for op in model.groups[0].ops] == [1, 2]


def test_classes_are_those_of_shares(report: Report) -> None:
    groups = group_ops(report.ops, "class").groups
    assert {g.name: g.elapsed_ns / report.total_ns for g in groups} == pytest.approx(report.shares())


@pytest.mark.parametrize("width", [60, 140])
def test_a_table_of_groups_fits_and_cuts_no_number(report: Report, width: int) -> None:
    locations = ("model.encoder.0 (m.py:1)", "model.encoder.1 (m.py:2)", f"{'x' * 90} (m.py:3)")
    ops = tuple(replace(op, location=where) for op, where in zip(report.ops, locations, strict=True))
    console = Console(file=io.StringIO(), width=width)
    for part in render_groups(replace(report, ops=ops), "module", 2, width):
        console.print(part)
    assert isinstance(console.file, io.StringIO)
    printed = console.file.getvalue().splitlines()
    lines = printed[next(n for n, line in enumerate(printed) if line.startswith("module ")) + 1 :]
    assert [line.split()[0] for line in lines[:3]] == ["model.encoder", "0", "1"]
    assert lines[1].split()[2] == micros(report.ops[0].elapsed_ns)
    assert max(map(len, lines)) <= width
