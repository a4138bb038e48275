"""Files that commands write beside the one that they were given: all or none, and nobody else's."""

import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

from ttstack.diagnostics import OutputError
from ttstack.flatbuffer import safetensors
from ttstack.support.files import replace_files

Command = Callable[..., Any]
LINES = (
    "compile model.onnx --target cpu -o out.o",
    "compile model.onnx --compile-to dispatched -o out.mlir",
    "emit model.ttb -o out.py",
)
FOREIGN = {"numpy's": b"\x93NUMPY", "of weights": b"\x02\0\0\0\0\0\0\0{}", "of another's use": None}


@pytest.fixture
def folder(ttstack: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where `model.onnx` and `model.ttb` lie, a model with weights; commands run there."""
    monkeypatch.chdir(tmp_path)
    node = helper.make_node("Add", ["x", "w"], ["y"])
    x, y = (helper.make_tensor_value_info(name, TensorProto.FLOAT, [4, 8]) for name in "xy")
    values = [numpy_helper.from_array(np.ones((4, 8), np.float32), "w")]
    graph = helper.make_graph([node], "main", [x], [y], values)
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), "model.onnx")
    assert ttstack("compile", "model.onnx").code == 0
    return tmp_path


@pytest.mark.parametrize("line", LINES)
def test_weights_are_replaced_by_weights_of_the_same_use(ttstack: Command, folder: Path, line: str) -> None:
    for _ in range(2):
        result = ttstack(*shlex.split(line))
        assert (result.code, result.err) == (0, "")
        assert safetensors.read_arrays(folder / "out.safetensors")


@pytest.mark.parametrize("content", FOREIGN.values(), ids=FOREIGN)
@pytest.mark.parametrize("line", LINES)
def test_weights_of_others_stay(ttstack: Command, folder: Path, line: str, content: bytes | None) -> None:
    beside = folder / "out.safetensors"
    with beside.open("wb") as file:
        file.write(content) if content else safetensors.write(file, [], "a model of the sea")
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    result = ttstack(*shlex.split(line))
    assert (result.code, result.out) == (1, "")
    whose = "is not a file of ttstack's" if content else "holds the weights of a model of the sea"
    assert f"'out.safetensors' {whose}" in result.err
    assert "give another name" in result.err
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before


def test_a_header_of_others_stays(ttstack: Command, folder: Path) -> None:
    (folder / "out.h").write_text("int mine;\n")
    result = ttstack(*shlex.split(LINES[0]))
    assert (result.code, result.out) == (1, "")
    assert "'out.h' is not a file of ttstack's" in result.err
    assert not (folder / "out.o").exists()


def test_a_phase_does_not_take_the_values_of_the_one_before(ttstack: Command, folder: Path) -> None:
    assert ttstack("compile", "model.onnx", "--compile-to", "simplified", "-o", "a.mlir").code == 0
    before = (folder / "a.safetensors").read_bytes()
    result = ttstack("compile", "--compile-from", "a.mlir", "--compile-to", "ttnn", "-o", "a.text")
    assert (result.code, result.out) == (1, "")
    assert "'a.safetensors' is what is read" in result.err
    assert (folder / "a.safetensors").read_bytes() == before


@pytest.mark.usefixtures("folder")
def test_values_are_not_written_over_their_text(ttstack: Command) -> None:
    result = ttstack("compile", "model.onnx", "--compile-to", "ttnn", "-o", "a.safetensors")
    assert (result.code, result.out) == (1, "")
    assert "'a.safetensors' would be written twice" in result.err


def test_several_files_change_together_or_not_at_all(tmp_path: Path) -> None:
    first, second = tmp_path / "first", tmp_path / "second"
    first.write_text("old")

    def fill() -> None:
        with replace_files(first, second) as parts:
            for part in parts:
                part.write(b"new")
            raise OSError(28, "No space left on device")

    with pytest.raises(OutputError, match="No space left"):
        fill()
    assert first.read_text() == "old"
    assert list(tmp_path.iterdir()) == [first]
