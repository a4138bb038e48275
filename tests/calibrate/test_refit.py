"""A device whose figures fit a profile of the user's own."""

import csv
from pathlib import Path

import pytest
from typer.testing import CliRunner

import ttstack
from ttstack.calibrate import refit
from ttstack.cli.app import app
from ttstack.diagnostics import InputError
from ttstack.system_desc import dump, load

MODEL = "examples/encoder_layer.mlir"


@pytest.fixture(scope="module")
def program() -> ttstack.Program:
    return ttstack.compile(MODEL, placement="dram")


def profiled(program: ttstack.Program, path: Path, slower: float) -> Path:
    """What tt-metal would write of the program on a device whose matrix products take `slower` times as long."""
    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["OP CODE", "OP TYPE", "DEVICE KERNEL DURATION [ns]"])
        writer.writerow(["(torch) start", "signpost", ""])
        for op in program.cost().ops:
            times = slower if op.op_code == "MatmulDeviceOperation" else 1.0
            writer.writerow([op.op_code, "tt_dnn_device", times * op.kernel_ns])
    return path


def test_a_slower_class_of_ops_gets_another_figure(program: ttstack.Program, tmp_path: Path) -> None:
    found = refit(program.binary, program.binary.functions[0], profiled(program, tmp_path / "p.csv", 1.3))
    change = found.changes[0]
    assert (change.measured, found.missing) == ("matmul", 0)
    assert change.error_after < 0.05
    assert change.error_before > 0.2
    assert dump(found.system) != dump(program.binary.system_desc)


def test_predictions_that_agree_change_nothing(program: ttstack.Program, tmp_path: Path) -> None:
    found = refit(program.binary, program.binary.functions[0], profiled(program, tmp_path / "p.csv", 1.0))
    assert all(c.error_before - c.error_after < 1e-3 for c in found.changes)


@pytest.mark.parametrize(
    ("text", "message"),
    [("a,b\n1,2\n", "no profile of tt-metal"), ("OP CODE,DEVICE KERNEL DURATION [ns]\nx,0\n", "no op with a duration")],
)
def test_what_is_no_profile(program: ttstack.Program, tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "p.csv").write_text(text)
    with pytest.raises(InputError, match=message):
        refit(program.binary, program.binary.functions[0], tmp_path / "p.csv")


def test_the_command_writes_a_device(program: ttstack.Program, tmp_path: Path) -> None:
    program.save(tmp_path / "m.ttb")
    profile = profiled(program, tmp_path / "p.csv", 1.5)
    command = ["perf", str(tmp_path / "m.ttb"), "--calibrate", str(profile), "--save-device", str(tmp_path / "d.yaml")]
    result = CliRunner().invoke(app, command)
    assert result.exit_code == 0, result.output
    assert "ops of the program are in the profile" in result.output
    assert load(tmp_path / "d.yaml").chips[0].grid == (8, 8)
