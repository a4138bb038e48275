import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.main import get_command

from ttstack.cli.app import app

Command = Callable[..., Any]
ROOT = Path(__file__).parents[2]


def test_examples_are_listed_and_written(ttstack: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert json.loads(ttstack("examples", "--json").out).keys() == {"dlrm", "encoder_layer", "resnet_block"}
    monkeypatch.setenv("COLUMNS", "60")
    listed = ttstack("examples").out.splitlines()
    assert max(map(len, listed)) <= 60
    assert "pairwise interaction, batch 128." in " ".join(" ".join(listed).split())
    assert "ttstack compile dlrm.mlir" in ttstack("examples", "dlrm").out
    assert Path("dlrm.mlir").read_text() == (ROOT / "examples/dlrm.mlir").read_text()
    wrong = ttstack("examples", "encoder")
    assert (wrong.code, "did you mean 'encoder_layer'?" in wrong.err) == (1, True)


def test_every_command_that_tells_something_tells_it_as_json() -> None:
    found: Any = get_command(app)
    commands = {**found.commands, **found.commands["system-desc"].commands}
    without = [name for name, command in commands.items() if not any("--json" in p.opts for p in command.params)]
    assert sorted(without) == ["system-desc"]


def test_a_compilation_as_json(ttstack: Command, program: Path, tmp_path: Path) -> None:
    model, target = program.with_suffix(".mlir"), tmp_path / "again.ttb"
    found = json.loads(ttstack("compile", model, "-o", target, "--json").out)
    assert (found["file"], found["bytes"]) == (str(target), target.stat().st_size)
    (report,) = found["functions"].values()
    assert report["total_ns"] == json.loads(ttstack("perf", target, "--json").out)["total_ns"]
    assert {"save", "place"} <= found["phases"].keys()


def test_devices_as_json(ttstack: Command) -> None:
    boards = {d["name"] for d in json.loads(ttstack("system-desc", "list", "--json").out)}
    assert {"n150", "n300", "p150"} <= boards
    assert json.loads(ttstack("system-desc", "check", "n150", "--json").out)["good"] is True
