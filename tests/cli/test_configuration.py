"""Defaults for the options of a compilation in `ttstack.toml` and `pyproject.toml`."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Command
from ttstack.api import compile as compile_model
from ttstack.api import load
from ttstack.cli.configuration import find_configuration

MODEL = """func.func @forward(%x: tensor<64x64xf32> {ttir.name = "x"}, %y: tensor<64x64xf32> {ttir.name = "y"})
    -> tensor<64x64xf32> {
  %0 = "ttir.add"(%x, %y) : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  return %0 : tensor<64x64xf32>
}
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working directory with a model, below another folder."""
    path = tmp_path / "above" / "here"
    path.mkdir(parents=True)
    (path / "model.mlir").write_text(MODEL)
    monkeypatch.chdir(path)
    return path


def _options(ttstack: Command, *words: str) -> dict[str, Any]:
    result = ttstack("compile", "model.mlir", "-o", "model.ttb", *words)
    assert result.code == 0, result.err
    binary = load("model.ttb").binary
    return json.loads(binary.options) | {"chips": binary.system_desc.num_chips}


def test_the_nearest_file_wins(ttstack: Command, folder: Path) -> None:
    (folder.parent / "ttstack.toml").write_text('dtype = "bf16"\n')
    assert _options(ttstack)["dtype"] == "bf16"
    (folder / "pyproject.toml").write_text("[tool.ruff]\n")
    assert find_configuration(folder) == folder.parent / "ttstack.toml"
    (folder / "pyproject.toml").write_text('[tool.ttstack]\ndtype = "bfp8_b"\n')
    assert _options(ttstack)["dtype"] == "bfp8_b"
    (folder / "ttstack.toml").write_text('placement = "dram"\nsystem_desc = "n300"\n')
    found = _options(ttstack)
    assert (found["dtype"], found["placement"], found["chips"]) == (None, "dram", 2)


def test_the_command_line_wins(ttstack: Command, folder: Path) -> None:
    (folder / "ttstack.toml").write_text('dtype = "bf16"\nplacement = "dram"\n')
    found = _options(ttstack, "--placement", "greedy")
    assert (found["dtype"], found["placement"]) == ("bf16", "greedy")
    found = _options(ttstack, "--precision", "performance")
    assert (found["dtype"], found["precision"]) == (None, "performance")
    (folder / "ttstack.toml").write_text('precision = "performance"\n')
    found = _options(ttstack, "--dtype", "f32")
    assert (found["dtype"], found["precision"]) == ("f32", None)


def test_no_config_ignores_the_file(ttstack: Command, folder: Path) -> None:
    (folder / "ttstack.toml").write_text("wrong = 1\n")
    assert _options(ttstack, "--no-config")["dtype"] is None


def test_python_reads_no_file(folder: Path) -> None:
    (folder / "ttstack.toml").write_text("wrong = 1\n")
    assert json.loads(compile_model("model.mlir").binary.options)["dtype"] is None


def test_verbose_names_the_file(ttstack: Command, folder: Path) -> None:
    (folder / "ttstack.toml").write_text('dtype = "bf16"\n')
    assert f"config: {folder / 'ttstack.toml'}: dtype = 'bf16'" in ttstack("compile", "model.mlir", "-v").err


def test_files_are_relative_to_the_configuration(ttstack: Command, folder: Path) -> None:
    (folder.parent / "fixed.yaml").write_text("ops:\n- location: '*'\n  dtype: bf16\n")
    (folder.parent / "ttstack.toml").write_text('overrides = "fixed.yaml"\n')
    assert _options(ttstack)["overrides"]


def test_all_faults_are_reported_with_their_lines(ttstack: Command, folder: Path) -> None:
    lines = ('dtype = "bf17"', 'placment = "dram"', 'placement_budget = "soon"', 'without = ["fuze"]')
    more = ('system_desc = "n15"', "[tensor_train]", "rel_eror = 0.1")
    (folder / "pyproject.toml").write_text("\n".join(("[tool.ttstack]", *lines, *more[:1])))
    result = ttstack("compile", "model.mlir")
    assert result.code == 1
    assert "error[TT1002]" in result.err
    assert f"--> {folder / 'pyproject.toml'}:2" in result.err
    for number, words in enumerate(("dtype", "'placement'", "placement_budget", "'fuse'", "n15"), 2):
        assert any(words in line for line in result.err.splitlines() if f"line {number}: " in line), words
    (folder / "ttstack.toml").write_text("\n".join(more[1:]))
    assert "line 1: tensor_train: rel_eror" in ttstack("compile", "model.mlir").err


@pytest.mark.parametrize("name", ["patterns", "passes", "pipeline", "load"])
def test_a_file_runs_no_code(ttstack: Command, folder: Path, name: str) -> None:
    (folder / "own.py").write_text("raise SystemExit('it ran')\n")
    (folder / "ttstack.toml").write_text(f'{name} = "own.py"\n')
    result = ttstack("compile", "model.mlir")
    assert result.code == 1
    assert f"{name} runs code" in result.err
    assert "it ran" not in result.err


@pytest.mark.parametrize("text", ["dtype =", "[" * 100_000, "dtype = 1979-05-27", "\xff", "a" * (1 << 21)])
def test_a_broken_file_is_an_error(ttstack: Command, folder: Path, text: str) -> None:
    (folder / "ttstack.toml").write_bytes(text.encode("latin-1"))
    result = ttstack("compile", "model.mlir")
    assert result.code == 1
    assert "TT1002" in result.err
    assert "ttstack.toml" in result.err


def test_a_table_that_is_none(ttstack: Command, folder: Path) -> None:
    (folder / "pyproject.toml").write_text("[tool]\nttstack = 1\n")
    assert "tool.ttstack is not a table" in ttstack("compile", "model.mlir").err


def test_broken_projects_of_others_are_passed_over(ttstack: Command, folder: Path) -> None:
    (folder / "pyproject.toml").write_text("[project\n")
    assert _options(ttstack)["dtype"] is None


def test_code_for_the_cpu_and_parts_of_compilations_have_their_own_options(ttstack: Command, folder: Path) -> None:
    assert ttstack("compile", "model.mlir", "--compile-to", "simplified", "-o", "part.mlir").code == 0
    (folder / "ttstack.toml").write_text('dtype = "bf16"\n')
    assert ttstack("compile", "--compile-from", "part.mlir", "-o", "model.ttb").code == 0
    assert json.loads(load("model.ttb").binary.options)["dtype"] is None
    assert "for devices alone" not in ttstack("compile", "model.mlir", "--target", "cpu", "-o", "model.mlir.o").err
