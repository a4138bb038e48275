"""`ttstack emit` and `ttstack check`."""

import ast
from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import load_file

from tests.cli.conftest import Command
from ttstack.cli.exit_codes import INPUT_FAULT

WEIGHTED = """
func.func @forward(%x: tensor<32x64xf32> {ttir.name = "x"}) -> tensor<32x64xf32> {
  %0 = "ttir.constant"() <{value = dense<2.5> : tensor<32x64xf32>}> : () -> tensor<32x64xf32>
  %1 = "ttir.add"(%x, %0) : (tensor<32x64xf32>, tensor<32x64xf32>) -> tensor<32x64xf32>
  return %1 : tensor<32x64xf32>
}
"""

WINDOW = """
func.func @forward(%x: tensor<32x64xf32>, %b: tensor<2xi32>, %e: tensor<2xi32>) -> tensor<16x32xf32> {
  %0 = "ttir.slice_dynamic"(%x, %b, %e) : (tensor<32x64xf32>, tensor<2xi32>, tensor<2xi32>) -> tensor<16x32xf32>
  return %0 : tensor<16x32xf32>
}
"""


@pytest.fixture
def compiled(ttstack: Command, tmp_path: Path, request: pytest.FixtureRequest) -> Path:
    (tmp_path / "model.mlir").write_text(request.param)
    assert ttstack("compile", tmp_path / "model.mlir", "-o", tmp_path / "model.ttb").code == 0
    return tmp_path / "model.ttb"


@pytest.mark.parametrize("compiled", [WEIGHTED], indirect=True)
def test_weights_lie_beside_the_file(ttstack: Command, compiled: Path):
    done = ttstack("emit", compiled, "-o", compiled.with_suffix(".py"))
    assert (done.code, done.out.split(":")[0]) == (0, str(compiled.with_suffix(".py")))
    ast.parse(compiled.with_suffix(".py").read_text())
    (values,) = load_file(compiled.with_suffix(".safetensors")).values()
    np.testing.assert_array_equal(values, np.full((32, 64), 2.5, np.float32))


@pytest.mark.parametrize("compiled", [WINDOW], indirect=True)
def test_ops_without_a_call_are_listed_and_nothing_is_written(ttstack: Command, compiled: Path):
    done = ttstack("emit", compiled, "-o", compiled.with_suffix(".py"))
    assert done.code == INPUT_FAULT
    assert "1 of 1 ops of 'forward' have no ttnn call" in done.err
    assert "op 0, slice_dynamic" in done.err
    assert sorted(path.suffix for path in compiled.parent.iterdir()) == [".mlir", ".ttb"]


def test_the_source_is_not_overwritten(ttstack: Command, program: Path):
    assert "is what is read" in ttstack("emit", program, "-o", program).err


@pytest.mark.parametrize(
    ("python", "why"),
    [(None, "no Python interpreter with ttnn is set"), ("nowhere", "there is no interpreter 'nowhere'")],
)
def test_the_library_needs_an_interpreter(
    ttstack: Command, program: Path, python: str | None, why: str, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.delenv("TTSTACK_TTNN_PYTHON", raising=False)
    done = ttstack("check", program, *(() if python is None else ("--python", python)))
    assert done.code == INPUT_FAULT
    assert why in done.err
    assert "ttstack check --setup DIR" in done.err
