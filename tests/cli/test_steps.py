"""`ttstack run --steps`: runs in a row, and the state between them."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from safetensors.numpy import load_file, save_file

from ttstack.cli import progress
from ttstack.cli.exit_codes import run
from ttstack.diagnostics import ExecutionError

Command = Callable[..., Any]

MODEL = """
func.func @step(%x: tensor<2xf32> {ttir.name = "x"},
                %w: tensor<2xf32> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "w"})
    -> (tensor<f32> {ttir.name = "loss"}) {
  %0 = "ttir.add"(%w, %x) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  "ttir.assign"(%w, %0) : (tensor<2xf32>, tensor<2xf32>) -> ()
  %1 = "ttir.sum"(%0) <{keep_dim = false}> : (tensor<2xf32>) -> tensor<f32>
  return %1 : tensor<f32>
}
"""


@pytest.fixture(scope="module")
def adder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A program that adds its input to what it keeps, and gives the sum of that."""
    path = tmp_path_factory.mktemp("adder") / "adder.mlir"
    path.write_text(MODEL)
    assert run(["compile", str(path), "-o", str(path.with_suffix(".ttb"))]) == 0
    return path.with_suffix(".ttb")


@pytest.fixture
def state(tmp_path: Path) -> Path:
    path = tmp_path / "state.safetensors"
    save_file({"w": np.zeros(2, np.float32)}, path, {"steps": "0"})
    return path


def losses(output: str) -> list[float]:
    return [row["loss"] for row in json.loads(output)["steps"]]


def test_each_step_goes_on_where_the_last_one_ended(ttstack: Command, adder: Path, state: Path, tmp_path: Path) -> None:
    np.savez(tmp_path / "x.npz", allow_pickle=False, x=np.array([1, 2], np.float32))
    call = ("run", adder, "--inputs", tmp_path / "x.npz", "--state", state, "--steps")
    assert losses(ttstack(*call, 3, "--json").out) == [3, 6, 9]
    assert load_file(state)["w"].tolist() == [3, 6]
    assert losses(ttstack(*call, 1, "--json", "--engine", "cpu").out) == [12]
    save_file({"w": np.array([3, 6], np.float32)}, state, {"steps": "3"})
    table = ttstack(*call, 2)
    assert [line.split() for line in table.out.splitlines()[1:4]] == [["step", "loss"], ["4", "12"], ["5", "15"]]


def test_a_further_dimension_is_batches(ttstack: Command, adder: Path, state: Path, tmp_path: Path) -> None:
    np.savez(tmp_path / "x.npz", allow_pickle=False, x=np.array([[1, 0], [2, 0], [4, 0]], np.float32))
    call = ("run", adder, "--inputs", tmp_path / "x.npz", "--state", state, "--json", "--steps")
    assert losses(ttstack(*call, 2).out) == [1, 3]
    assert losses(ttstack(*call, 3).out) == [7, 8, 10]  # the third batch, then the first again


def test_the_state_of_the_last_whole_step_outlives_a_fault(
    ttstack: Command, adder: Path, state: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(done: int, total: int, name: str) -> None:
        if name.startswith("step 3"):
            raise ExecutionError("the third step fails")

    class Bar:
        def __enter__(self) -> Callable[[int, int, str], None]:
            return fail

        def __exit__(self, *_: object) -> None:
            pass

    monkeypatch.setattr(progress, "show_ops", Bar)
    np.savez(tmp_path / "x.npz", allow_pickle=False, x=np.ones(2, np.float32))
    assert ttstack("run", adder, "--inputs", tmp_path / "x.npz", "--state", state, "--steps", 5).code != 0
    assert load_file(state)["w"].tolist() == [2, 2]


@pytest.mark.parametrize(
    ("arrays", "metadata", "message"),
    [
        ({"v": np.zeros(2, np.float32)}, {"steps": "1"}, "'w' is missing"),
        ({"w": np.zeros(3, np.float32)}, {"steps": "1"}, "'w' is float32[3], not tensor<2xf32>"),
        ({"w": np.zeros(2, np.float32)}, {}, "does not record its number of steps"),
    ],
)
def test_a_state_that_is_another_programs(
    ttstack: Command, adder: Path, state: Path, arrays: dict[str, Any], metadata: dict[str, str], message: str
) -> None:
    save_file(arrays, state, metadata)
    result = ttstack("run", adder, "--steps", 1, "--state", state)
    assert result.code == 1
    assert message in result.err


def test_no_batches_are_refused(ttstack: Command, adder: Path, tmp_path: Path) -> None:
    np.savez(tmp_path / "x.npz", allow_pickle=False, x=np.zeros((0, 2), np.float32))
    result = ttstack("run", adder, "--steps", 1, "--inputs", tmp_path / "x.npz")
    assert "inputs of 'step' have no batches: 'x'" in result.err


@pytest.mark.parametrize("engine", ["numpy", "cpu"])
def test_a_step_that_diverges_leaves_the_state_before_it(
    ttstack: Command, adder: Path, state: Path, tmp_path: Path, engine: str
) -> None:
    np.savez(tmp_path / "x.npz", allow_pickle=False, x=np.array([[1, 2], [np.inf, 0]], np.float32))
    result = ttstack("run", adder, "--inputs", tmp_path / "x.npz", "--state", state, "--steps", 3, "--engine", engine)
    assert result.code == 1
    assert "step 2 of these diverged: 'loss' is inf, loss 3 in the step before" in result.err
    assert load_file(state)["w"].tolist() == [1, 2]


def test_steps_of_a_program_without_state_are_refused(ttstack: Command, tmp_path: Path) -> None:
    path = tmp_path / "neg.mlir"
    path.write_text("""func.func @f(%x: tensor<2xf32>) -> tensor<2xf32> {
      %0 = "ttir.neg"(%x) : (tensor<2xf32>) -> tensor<2xf32>
      return %0 : tensor<2xf32>
    }""")
    assert ttstack("compile", path, "-o", path.with_suffix(".ttb")).code == 0
    assert "all steps would be the first one" in ttstack("run", path.with_suffix(".ttb"), "--steps", 2).err


def test_a_state_without_steps_is_refused(ttstack: Command, adder: Path, tmp_path: Path) -> None:
    assert "together with --steps" in ttstack("run", adder, "--state", tmp_path / "s.safetensors").err
