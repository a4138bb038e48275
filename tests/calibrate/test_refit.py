"""A device whose figures fit a profile of the user's own."""

import csv
from pathlib import Path

import pytest
from typer.testing import CliRunner

import ttstack
from ttstack.calibrate import refit
from ttstack.cli.app import app
from ttstack.cost import predict
from ttstack.diagnostics import InputError
from ttstack.program.launched import launched_positions
from ttstack.report.op_codes import op_code
from ttstack.system_desc import dump, load
from ttstack.system_desc.chip_figures import with_figures

MODEL = "examples/encoder_layer.mlir"


@pytest.fixture(scope="module")
def program() -> ttstack.Program:
    return ttstack.compile(MODEL, placement="dram")


def profiled(program: ttstack.Program, path: Path, **figures: float) -> Path:
    """What tt-metal would write of the program on a device with other figures, whose dots are double underscores."""
    function = program.binary.functions[0]
    paths = tuple(name.replace("__", ".") for name in figures)
    chip = with_figures(program.binary.chip(function), paths, tuple(figures.values()))
    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["OP CODE", "OP TYPE", "DEVICE KERNEL DURATION [ns]"])
        writer.writerow(["(torch) start", "signpost", ""])
        for at in launched_positions(function):
            op = function.device_op(function.operations[at])
            writer.writerow([op_code(op), "tt_dnn_device", predict(op, chip).total_ns])
    return path


def test_the_figure_of_ops_that_are_alike_is_found(program: ttstack.Program, tmp_path: Path) -> None:
    profile = profiled(program, tmp_path / "p.csv", dram__product_write_fraction=0.15)
    found = refit(program.binary, program.binary.functions[0], profile)
    change = found.changes[0]
    assert (change.path, change.measured) == ("dram.product_write_fraction", "matmul_data_dram_narrow")
    assert float(change.after) == pytest.approx(0.15, rel=0.01)
    assert (found.missing, change.ops >= 3) == (0, True)
    assert change.error_after < 0.01
    assert change.error_before > 0.1
    assert dump(found.system) != dump(program.binary.system_desc)


def test_predictions_that_agree_change_nothing(program: ttstack.Program, tmp_path: Path) -> None:
    found = refit(program.binary, program.binary.functions[0], profiled(program, tmp_path / "p.csv"))
    assert all(c.error_before - c.error_after < 1e-3 for c in found.changes)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a,b\n1,2\n", "not a profile of tt-metal"),
        ("OP CODE,DEVICE KERNEL DURATION [ns]\nx,0\ny,-3\nz,inf\nu,nan\n", "no op with a duration"),
    ],
)
def test_what_is_no_profile(program: ttstack.Program, tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "p.csv").write_text(text)
    with pytest.raises(InputError, match=message):
        refit(program.binary, program.binary.functions[0], tmp_path / "p.csv")


def test_the_command_writes_a_device(program: ttstack.Program, tmp_path: Path) -> None:
    program.save(tmp_path / "m.ttb")
    profile = profiled(program, tmp_path / "p.csv", dram__product_write_fraction=0.15)
    command = ["perf", str(tmp_path / "m.ttb"), "--calibrate", str(profile), "--save-device", str(tmp_path / "d.yaml")]
    result = CliRunner().invoke(app, command)
    assert result.exit_code == 0, result.output
    assert "ops of the program are in the profile" in result.output
    assert load(tmp_path / "d.yaml").chips[0].grid == (8, 8)
