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
    batch = tried["a batch of twice the size"]
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
