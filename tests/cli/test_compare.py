"""`ttstack compare` and `ttstack perf --what-if`."""

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Command


def test_a_program_is_like_itself(ttstack: Command, program: Path) -> None:
    found = json.loads(ttstack("compare", program, program, "--json").out)
    assert found["delta_ns"] == 0
    assert found["ops"]
    assert all(op["before_elapsed_ns"] == op["after_elapsed_ns"] > 0 for op in found["ops"])


def test_ops_of_two_programs_are_matched_by_location(ttstack: Command, program: Path, tmp_path: Path) -> None:
    model, other = tmp_path / "small.mlir", tmp_path / "other.ttb"
    text = program.with_suffix(".mlir").read_text()
    model.write_text(text.replace("multiply", "add"))
    assert ttstack("compile", model, "-o", other).code == 0
    table = ttstack("compare", program, other).out
    assert "multiply" in table
    assert "gone" in table
    assert "new" in table


def test_a_model_that_was_moved_is_like_itself(ttstack: Command, program: Path, tmp_path: Path) -> None:
    model, moved = tmp_path / "elsewhere" / "deep" / "small.mlir", tmp_path / "moved.ttb"
    model.parent.mkdir(parents=True)
    model.write_text(program.with_suffix(".mlir").read_text())
    assert ttstack("compile", model, "-o", moved).code == 0
    found = json.loads(ttstack("compare", program, moved, "--json").out)
    assert found["ops"]
    assert all(op["before_index"] == op["after_index"] for op in found["ops"])


def test_another_device(ttstack: Command, program: Path) -> None:
    as_it_is = ttstack("compare", program, "blackhole_p150", "--json")
    assert (as_it_is.code, as_it_is.out) == (1, "")
    assert "its buffers in DRAM are spread over 12 channels, the device has 8" in as_it_is.err
    model = program.with_suffix(".mlir")
    found = json.loads(ttstack("compare", program, "blackhole_p150", "--recompile", model, "--json").out)
    assert found["after"]["system"] == "p150"
    assert found["after"]["total_ns"] < found["before"]["total_ns"]
    assert ttstack("compare", program, program, "--recompile", model).code == 2


def test_what_if(ttstack: Command, program: Path, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    slower = json.loads(ttstack("perf", program, "--what-if", "clock=0.5GHz", "--json", "--html", page).out)
    assert ">before:" in page.read_text()
    assert ttstack("compare", program, program, "--html", page).code == 0
    assert "+0.0 %" in page.read_text()
    assert slower["delta_ns"] > 0
    (note,) = slower["notes"]
    assert note.endswith("of it: clock.nominal_hz is 500 MHz, 1 GHz was measured")
    smaller = ttstack("perf", program, "--what-if", "grid=1x1")
    assert (smaller.code, smaller.out) == (1, "")
    assert "cores, the device has 1x1" in smaller.err
    model = program.with_suffix(".mlir")
    again = ttstack("perf", program, "--what-if", "grid=1x1", "--recompile", model).out
    assert "1x1" in again
    nowhere = ttstack("perf", program, "--what-if", "grid=1x1", "--recompile", "no_such_package.models:mlp")
    assert "there is no module `no_such_package`" in nowhere.err


@pytest.mark.parametrize(
    ("written", "instead", "why"),
    [
        ("@forward", "@other", "it has no function 'forward'"),
        ("64x128", "64x96", "its input 'x' is tensor<64x96xf32>, and tensor<64x128xf32> in the program"),
        ('"y"', '"z"', "it has no input 'y'"),
        ('"y"', '"z"', "it has the input 'z', which the program does not have"),
        ('"y"', '"y", tt.argument_type = "parameter"', "it has the parameter 'y', which the program does not have"),
    ],
)
def test_another_model_is_no_what_if(
    written: str, instead: str, why: str, ttstack: Command, program: Path, tmp_path: Path
) -> None:
    other = tmp_path / "other.mlir"
    other.write_text(program.with_suffix(".mlir").read_text().replace(written, instead))
    for command in ("perf", program, "--what-if", "clock=1GHz"), ("compare", program, "wormhole"):
        result = ttstack(*command, "--recompile", other)
        assert (result.code, result.out) == (1, "")
        assert "is not the model that the program was compiled from" in result.err
        assert why in " ".join(result.err.split())


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ("l1_sz=2MiB", "'l1_sz' is not a field of a chip; did you mean 'l1_size'?"),
        ("clock", "'clock' is not of the form FIELD=VALUE"),
        ("latency=3", "'latency' may be noc.local.latency_cycles or"),
        ("l1_size=2GHz", "unit 'GHz' does not measure bytes"),
        ("clock=-1GHz", "should be greater than 0"),
        ("", "nothing in the what-if"),
    ],
)
def test_what_if_not(changes: str, why: str, ttstack: Command, program: Path) -> None:
    result = ttstack("perf", program, "--what-if", changes)
    assert result.code == 1
    assert why in result.err


def test_options_that_do_not_go_together(ttstack: Command, program: Path, tmp_path: Path) -> None:
    assert ttstack("perf", program, "--recompile", program).code == 2
    assert ttstack("perf", program, "--what-if", "clock=1GHz", "--csv", tmp_path / "x.csv").code == 2


def test_a_device_before_its_program_is_told(ttstack: Command, program: Path) -> None:
    result = ttstack("compare", "n150", program)
    assert result.code != 0
    assert f"ttstack compare {program} n150" in result.err.replace("\n", "")
