"""What stands in the way of a verdict is said in one error; runs without the library."""

import json
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

import ttstack
from tests.docs.pages import ROOT
from tests.placement.devices import device
from ttstack.cli.exit_codes import run
from ttstack.compiled_program import Program
from ttstack.diagnostics import InputError
from ttstack.library import child
from ttstack.library.boards import board_of
from ttstack.library.run import check, judge
from ttstack.library.setup import TTNN
from ttstack.ttnn_python import Emission


@pytest.fixture(scope="module")
def program() -> Program:
    return ttstack.compile(ROOT / "docs/mlp.mlir")


def interpreter(folder: Path, script: str) -> Path:
    """What stands for Python: a script that is given the child, its request and its result."""
    path = folder / "python"
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)
    return path


@pytest.mark.parametrize(
    ("script", "said"),
    [
        ("""echo '{"version": "0.99.0"}' > "$3\"""", r"has ttnn 0\.99\.0, programs are written for 0\.81\.1"),
        ("echo no device >&2; exit 3", "failed with code 3\n  = note: no device"),
        (f'exec {sys.executable} "$@"', "has no ttnn"),
    ],
)
def test_an_interpreter_that_cannot_judge_says_why(tmp_path: Path, program: Program, script: str, said: str):
    with pytest.raises(InputError, match=said):
        check(program.binary, program.function(), "mlp", interpreter(tmp_path, script))


def test_another_version_judges_where_that_is_asked_for(
    tmp_path: Path, program: Program, capsys: pytest.CaptureFixture[str]
):
    captured = {"graph": [], "refusals": {"0": "info:\nit is another"}, "results": {}}
    lines = [{"version": "0.80.0"}, {"validate": captured, "allocate": captured, "refusal": ""}]
    (tmp_path / "results").write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    program.save(tmp_path / "mlp.ttb")
    python = interpreter(tmp_path, f"cp {tmp_path}/results $3; grep -q '\"version\": null' $2")
    assert run(["check", str(tmp_path / "mlp.ttb"), "--python", str(python), "--any-version"]) == 1
    said = capsys.readouterr()
    assert "it is another" in said.out
    assert said.err == f"note: ttnn 0.80.0 judges a program that is written for {TTNN}\n"


def test_steps_find_weights_prepared():
    """A step is judged as it runs in the program: after what is done once, before all passes."""
    graph = SimpleNamespace(
        begin_graph_capture=lambda _: None, end_graph_capture=list, track_function_start=lambda _: None
    )
    ttnn = SimpleNamespace(graph=graph, _ttnn=SimpleNamespace(graph=graph))
    tensors = {"w": "raw", "v": "raw"}
    program = SimpleNamespace(WEIGHTS=tensors, INPUTS={}, put=lambda _, tensor: tensor, Tensor=int)
    steps = [
        {"prepared": 't["w"] = "prepared"', "source": 'assert t["w"] == "prepared"', "instead": ""},
        {"prepared": 'raise ValueError("of no form")', "source": "", "instead": ""},
    ]
    assert child.run_steps(ttnn, program, None, steps, None)["refusals"] == {1: "of no form"}


def test_an_interpreter_is_found_from_where_its_caller_stands(
    tmp_path: Path, program: Program, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.chdir(tmp_path)
    path = interpreter(tmp_path, "echo it ran >&2; exit 3").relative_to(tmp_path)
    emission = Emission(program.binary, program.function(), "mlp")
    with pytest.raises(InputError, match="it ran"):
        list(judge([emission], board_of(program.binary, program.function()), path))


def test_a_device_that_no_board_has_is_named(tmp_path: Path):
    program = ttstack.compile(ROOT / "docs/mlp.mlir", system_desc=device((8, 12)))
    with pytest.raises(InputError, match=r"chips of 8x12 cores\) cannot be mocked\n.*n150 .*, p150 "):
        check(program.binary, program.function(), "mlp", interpreter(tmp_path, "exit 1"))
