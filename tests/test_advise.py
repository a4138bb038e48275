"""What is tried, where compiling the model with it gives what is said; the command's own tests are in `tests/cli`."""

from pathlib import Path

import pytest

import ttstack
from ttstack.advise import Advice, advise

OPEN = """
func.func @main(%x: tensor<?x512xf32>, %y: tensor<?x512xf32>) -> tensor<?x512xf32> {
  %0 = stablehlo.add %x, %y : tensor<?x512xf32>
  %1 = stablehlo.multiply %0, %y : tensor<?x512xf32>
  return %1 : tensor<?x512xf32>
}
"""


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two inputs whose extent a user says."""
    path = tmp_path_factory.mktemp("open") / "open.mlir"
    path.write_text(OPEN)
    return path


@pytest.fixture(scope="module")
def tried(model: Path) -> dict[str, Advice]:
    program = ttstack.compile(model, {"arg0": "64x512xf32", "arg1": "64x512xf32"})
    _, found = advise(program, model)
    return {advice.change.what: advice for advice in found}


def test_a_larger_batch_counts_for_each_of_its_samples(model: Path, tried: dict[str, Advice]) -> None:
    batch = tried["a batch of twice the size, per sample"]
    assert batch.change.option == "--input arg0=128x512xf32 --input arg1=128x512xf32"
    again = ttstack.compile(model, {"arg0": "128x512xf32", "arg1": "128x512xf32"}).cost()
    assert batch.total_ns == pytest.approx(again.total_ns / 2)
    assert batch.gain_ns > 0
    assert not batch.change.changes_values


@pytest.mark.parametrize("edge", ["inputs taken in bfp8_b", "results given in bfp8_b"])
def test_formats_at_the_edges_are_overrides(model: Path, tried: dict[str, Advice], edge: str) -> None:
    change = tried[edge].change
    assert change.overrides is not None
    shapes = {"arg0": "64x512xf32", "arg1": "64x512xf32"}
    program = ttstack.compile(model, shapes, overrides=change.overrides.model_dump(mode="json", exclude_none=True))
    assert tried[edge].total_ns == pytest.approx(program.cost().total_ns)
    function = program.function()
    formats = {
        "inputs taken in bfp8_b": {function.tensors[i].layout.dtype for i in function.inputs},
        "results given in bfp8_b": {function.tensors[o.tensor].layout.dtype for o in function.outputs},
    }
    assert formats[edge] == {"bfp8_b"}


def test_values_are_measured_where_formats_change(tried: dict[str, Advice]) -> None:
    bf16, coarse = tried["all real numbers in bf16"].values, tried["all real numbers in bfp4_b"].values
    assert bf16 is not None
    assert coarse is not None
    assert 0.999 < bf16.pcc <= 1.0
    assert coarse.pcc < bf16.pcc
    assert coarse.relative > bf16.relative > 0.0
    assert tried["a batch of twice the size, per sample"].values is None
    assert tried["a batch of twice the size, per sample"].not_measured == ""
    assert {"precision accuracy", "precision balanced", "weights in bf16"} <= tried.keys()


def test_the_least_change_of_values_comes_first(tried: dict[str, Advice]) -> None:
    kinds = [0 if not a.change.changes_values else 1 for a in tried.values() if not a.refused]
    assert kinds == sorted(kinds)


def test_measurements_end_when_their_time_is_over(model: Path) -> None:
    program = ttstack.compile(model, {"arg0": "64x512xf32", "arg1": "64x512xf32"})
    _, found = advise(program, model, ops=0, measure_seconds=1e-9)
    assert {a.not_measured for a in found if a.change.changes_values} == {"the time for measurements is over"}


def test_models_without_weights_are_not_measured() -> None:
    text = """
func.func @forward(%x: tensor<32x32xf32>,
    %w: tensor<32x32xf32> {ttir.name = "w", tt.argument_type = #tt.argument_type<"parameter">}) -> tensor<32x32xf32> {
  %0 = "ttir.matmul"(%x, %w) : (tensor<32x32xf32>, tensor<32x32xf32>) -> tensor<32x32xf32>
  return %0 : tensor<32x32xf32>
}
"""
    _, found = advise(ttstack.compile(text), text, ops=0)
    assert {a.not_measured for a in found if a.change.changes_values} == {"the model has no weights"}
