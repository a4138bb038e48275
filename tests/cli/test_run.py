import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ttstack.api import load
from ttstack.compiled_program import Program

Command = Callable[..., Any]


@pytest.fixture
def inputs(program: Path) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(0)
    return {name: rng.standard_normal(t.shape).astype(np.float32) for name, t in load(program).inputs().items()}


def softmax(product: np.ndarray) -> np.ndarray:
    e = np.exp(product - product.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)


def test_inputs_and_outputs_in_files(
    ttstack: Command, program: Path, inputs: dict[str, np.ndarray], tmp_path: Path
) -> None:
    np.savez(tmp_path / "in.npz", allow_pickle=False, **inputs)
    result = ttstack("run", program, "--inputs", tmp_path / "in.npz", "--output", tmp_path / "out.npz")
    assert (result.code, result.err) == (0, "")
    (name,) = load(program).outputs()
    with np.load(tmp_path / "out.npz") as found:
        x, y = inputs.values()
        np.testing.assert_allclose(found[name], softmax(x * y), rtol=1e-5)


def test_seeds(ttstack: Command, program: Path, tmp_path: Path) -> None:
    files = [tmp_path / f"{i}.npz" for i in range(3)]
    for file, seed in zip(files, (1, 1, 2), strict=True):
        assert ttstack("run", program, "--seed", seed, "--output", file).code == 0
    first, same, other = (file.read_bytes() for file in files)
    assert first == same != other


def test_numerics(ttstack: Command, program: Path) -> None:
    exact, rounded = (
        json.loads(ttstack("run", program, "--numerics", n, "--json").out)["outputs"] for n in ("ieee", "device")
    )
    (name,) = load(program).outputs()
    assert exact[name]["shape"] == rounded[name]["shape"] == [64, 128]
    assert exact[name]["mean"] == pytest.approx(1 / 128, rel=1e-5)
    assert rounded[name]["mean"] == pytest.approx(1 / 128, rel=1e-2)


def test_the_processor_gives_what_numpy_gives(
    ttstack: Command, program: Path, inputs: dict[str, np.ndarray], tmp_path: Path
) -> None:
    np.savez(tmp_path / "in.npz", allow_pickle=False, **inputs)
    call = ("run", program, "--engine", "cpu", "--inputs", tmp_path / "in.npz")
    result = ttstack(*call, "--output", tmp_path / "out.npz")
    assert (result.code, result.err) == (0, "")
    with np.load(tmp_path / "out.npz") as found:
        x, y = inputs.values()
        np.testing.assert_allclose(found[next(iter(load(program).outputs()))], softmax(x * y), rtol=1e-5)
    refused = ttstack(*call, "--numerics", "device")
    assert refused.code == 1
    assert "engine 'cpu' does not compute with numerics 'device'" in refused.err


def test_an_engine_that_there_is_not(ttstack: Command, program: Path) -> None:
    result = ttstack("run", program, "--engine", "gpu")
    assert result.code == 2
    assert "'gpu' is not one of 'numpy', 'cpu'" in result.err


def test_a_missing_compiler(ttstack: Command, program: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CC", "no-such-compiler")
    result = ttstack("run", program, "--engine", "cpu")
    assert result.code == 1
    assert "there is no C compiler 'no-such-compiler'" in result.err


def test_performance(ttstack: Command, program: Path, tmp_path: Path) -> None:
    plain, table = ttstack("run", program), ttstack("run", program, "--perf", "--csv", tmp_path / "ops.csv")
    assert "bound" not in plain.out
    assert "bound" in table.out
    assert table.out.startswith(plain.out)
    assert (tmp_path / "ops.csv").read_text().startswith("OP CODE,")


def test_cost_only_executes_nothing(ttstack: Command, program: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*arguments: object, **options: object) -> None:
        raise AssertionError("executed")

    monkeypatch.setattr("ttstack_runtime.executor.execute", refuse)
    result = ttstack("run", program, "--cost-only")
    assert result.code == 0
    assert "softmax" in result.out
    values = json.loads(ttstack("run", program, "--cost-only", "--json").out)
    assert list(values) == ["report"]


def test_inputs_that_do_not_fit(ttstack: Command, program: Path, tmp_path: Path) -> None:
    np.savez(tmp_path / "in.npz", allow_pickle=False, other=np.zeros(3, np.float32))
    result = ttstack("run", program, "--inputs", tmp_path / "in.npz", "--output", tmp_path / "out.npz")
    assert result.code == 1
    assert result.err.startswith("error[TT0701]: ")
    assert not (tmp_path / "out.npz").exists()


def test_no_such_function(ttstack: Command, program: Path) -> None:
    result = ttstack("run", program, "--function", "backward")
    assert result.code == 1
    assert "there is no function 'backward'" in result.err


def test_bf16_is_written_as_float32(ttstack: Command, model: Path, tmp_path: Path) -> None:
    source, program = tmp_path / "bf16.mlir", tmp_path / "bf16.ttb"
    source.write_text(model.read_text().replace("f32", "bf16"))
    assert ttstack("compile", source, "-o", program).code == 0
    assert ttstack("run", program, "--output", tmp_path / "out.npz").code == 0
    with np.load(tmp_path / "out.npz") as found:
        assert [found[name].dtype for name in found.files] == [np.float32]


@pytest.mark.parametrize("option", ["--output", "--csv", "--html"])
def test_outputs_are_checked_before_the_run(
    ttstack: Command, program: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, option: str
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise AssertionError("it ran")

    monkeypatch.setattr(Program, "run", fail)
    result = ttstack("run", program, option, tmp_path / "none" / "file")
    assert result.code == 1
    assert "the folder of" in result.err


UPDATE = """
func.func @f(%c: tensor<1x2x32x32xf32> {ttir.name = "cache"}, %r: tensor<1x2x1x32xf32> {ttir.name = "rows"},
    %i: tensor<1xi32> {ttir.name = "at"}) -> (tensor<1x2x1x32xf32> {ttir.name = "OUTPUT"}) {
  %0 = "ttir.add"(%r, %r) : (tensor<1x2x1x32xf32>, tensor<1x2x1x32xf32>) -> tensor<1x2x1x32xf32>
  "ttir.update_cache"(%c, %r, %i) <{batch_offset = 0 : i32}>
    : (tensor<1x2x32x32xf32>, tensor<1x2x1x32xf32>, tensor<1xi32>) -> ()
  return %0 : tensor<1x2x1x32xf32>
}
"""


@pytest.mark.parametrize(("output", "updated"), [("twice", "cache"), ("cache", "cache.updated")])
def test_updated_inputs_are_written_and_shown(ttstack: Command, tmp_path: Path, output: str, updated: str) -> None:
    source, program, written = tmp_path / "f.mlir", tmp_path / "f.ttb", tmp_path / "out.npz"
    source.write_text(UPDATE.replace("OUTPUT", output))
    assert ttstack("compile", source, "-o", program).code == 0
    cache, rows = np.zeros((1, 2, 32, 32), np.float32), np.ones((1, 2, 1, 32), np.float32)
    np.savez(tmp_path / "in.npz", allow_pickle=False, cache=cache, rows=rows, at=np.array([3], np.int32))
    arguments = ("run", program, "--inputs", tmp_path / "in.npz", "--output", written)
    assert "cache (updated)" in ttstack(*arguments).out
    cache[:, :, 3] = 1
    with np.load(written) as found:
        assert set(found.files) == {output, updated}
        np.testing.assert_array_equal(found[output], 2 * rows)
        np.testing.assert_array_equal(found[updated], cache)
    values = json.loads(ttstack(*arguments, "--json").out)
    assert (list(values["outputs"]), list(values["updated"])) == ([output], ["cache"])
