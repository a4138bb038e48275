"""Predictions beside a profile: every op is joined, and those that differ are named, with what explains them."""

import csv
import json
from collections.abc import Mapping
from pathlib import Path

import pytest
from typer.testing import CliRunner

import ttstack
from ttstack.calibrate.against_profile import ProfileComparison, compare_profile
from ttstack.cli.app import app
from ttstack.cost import call_costs
from ttstack.diagnostics import InputError
from ttstack.program.launched import launched_positions
from ttstack.report.op_codes import op_code
from ttstack.system_desc.resources import Resource, accelerate

LONGER = {0: 2.0, 3: 0.5, 5: 3.0, 7: 1.8, 9: 2.5}
"""Ops whose measured time is so many times the predicted one."""


@pytest.fixture(scope="module")
def program() -> ttstack.Program:
    return ttstack.compile("examples/encoder_layer.mlir")


def profile(program: ttstack.Program, path: Path, factors: Mapping[int, float], *, without: int | None = None) -> Path:
    """What tt-metal's profiler writes of the program, each kernel of an op so many times as long as predicted."""
    function = program.binary.functions[0]
    chip = program.binary.chip(function)
    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["OP CODE", "OP TYPE", "DEVICE KERNEL DURATION [ns]"])
        writer.writerow(["(torch) start", "signpost", ""])
        for number, at in enumerate(launched_positions(function)):
            for call, cost in call_costs(function.device_op(function.operations[at]), chip, program.binary.system_desc):
                if cost.cores and number != without:
                    writer.writerow([op_code(call), "tt_dnn_device", cost.total_ns * factors.get(number, 1.0)])
    return path


def compared(program: ttstack.Program, path: Path) -> ProfileComparison:
    return compare_profile(program.binary, program.function(), program.cost(), path)


def test_every_op_is_joined_and_five_are_named(program: ttstack.Program, tmp_path: Path) -> None:
    found = compared(program, profile(program, tmp_path / "p.csv", LONGER))
    assert (len(found.ops), found.missing, found.others) == (len(program.cost().ops), (), 0)
    assert found.predicted_ns == pytest.approx(program.cost().kernel_ns)
    assert {op.index for op in found.longest_differences[:5]} == set(LONGER)
    for op in found.ops:
        assert op.measured_ns == pytest.approx(op.predicted_ns * LONGER.get(op.index, 1.0))
        assert op.expected or op.index in LONGER


def test_a_slower_resource_is_found(program: ttstack.Program, tmp_path: Path) -> None:
    """The measured time is that of a device whose DRAM is half as fast."""
    op = next(op for op in program.cost().ops if op.bound == Resource.DRAM)
    function = program.binary.functions[0]
    chip = accelerate(program.binary.chip(function), Resource.DRAM, 0.5)
    device_op = function.device_op(function.operations[launched_positions(function)[op.index]])
    slow = sum(cost.total_ns for _, cost in call_costs(device_op, chip, program.binary.system_desc))
    found = compared(program, profile(program, tmp_path / "p.csv", {op.index: slow / op.kernel_ns}))
    assert found.longest_differences[0].index == op.index
    assert found.longest_differences[0].speed == pytest.approx(0.5, rel=1e-3)


def test_what_is_missing_is_named(program: ttstack.Program, tmp_path: Path) -> None:
    found = compared(program, profile(program, tmp_path / "p.csv", {}, without=3))
    assert found.missing == (3,)
    assert len(found.ops) == len(program.cost().ops) - 1


def test_a_profile_of_another_program(program: ttstack.Program, tmp_path: Path) -> None:
    (tmp_path / "p.csv").write_text("OP CODE,OP TYPE,DEVICE KERNEL DURATION [ns]\nOther,tt_dnn_device,100\n")
    with pytest.raises(InputError, match=r"no kernel of .* is like one of"):
        compared(program, tmp_path / "p.csv")


def test_the_command(program: ttstack.Program, tmp_path: Path) -> None:
    program.save(tmp_path / "m.ttb")
    path = profile(program, tmp_path / "p.csv", LONGER)
    shown = CliRunner().invoke(app, ["compare", str(tmp_path / "m.ttb"), str(path)], env={"COLUMNS": "120"}).output
    rows = [line.split() for line in shown.splitlines()[2:7]]
    assert {int(row[0]) for row in rows} == set(LONGER)
    assert "within the range expected" in shown
    printed = CliRunner().invoke(app, ["compare", str(tmp_path / "m.ttb"), str(path), "--json"]).output
    assert json.loads(printed) == json.loads(json.dumps(compared(program, path).to_dict()))
    assert len(compared(program, path).to_pandas()) == len(program.cost().ops)
