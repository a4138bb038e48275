"""What emitted programs compute, on the stand-in for the library."""

import sys
from contextlib import nullcontext
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

import ttstack
from tests.docs.pages import ROOT
from tests.forms.test_forms import FAMILIES
from tests.ttnn_python.values import compare, compare_forms, library, loaded
from ttstack.api import Program
from ttstack.ttnn_python import write_python
from ttstack_runtime.inputs import random_weights

EVERY = 7
"""One of so many forms is compared here; `make values` compares all."""


@pytest.mark.parametrize("path", ["examples/dlrm.mlir", "examples/encoder_layer.mlir", "docs/mlp.mlir"])
def test_every_op_of_a_program_gives_what_the_runtime_gives(path: str):
    program = ttstack.compile(ROOT / path)
    found = compare(program)
    assert found.differences == []
    assert found.ops == len(program.cost().ops)


@pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family.__name__.rpartition(".")[2])
def test_ops_in_their_forms_give_what_the_runtime_gives(family: ModuleType):
    assert compare_forms(family, EVERY).differences == []


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a program, its weights, inputs, and outputs: right, wrong, and of another name."""
    folder = tmp_path_factory.mktemp("written")
    program = Program(random_weights(ttstack.compile(ROOT / "docs/mlp.mlir").binary, 0))
    inputs = {name: np.ones(t.shape, t.dtype.numpy) for name, t in program.inputs().items()}
    outputs = program.run(inputs).outputs
    (result,) = outputs.values()
    np.savez(folder / "inputs.npz", arg0=inputs["arg0"])
    np.savez(folder / "right.npz", output=result)
    np.savez(folder / "wrong.npz", output=-result)
    np.savez(folder / "other.npz", other=result)
    write_python(program.binary, program.function(), "mlp", folder / "mlp.py", folder / "mlp.safetensors")
    return folder


@pytest.mark.parametrize(
    ("inputs", "outputs", "said"),
    [
        ("inputs", "right", None),
        ("inputs", "wrong", "values differ"),
        ("inputs", "other", "other.npz has no output$"),
        ("", "right", "no file gives arg0$"),
    ],
)
def test_a_written_program_compares_its_outputs(
    written: Path, inputs: str, outputs: str, said: str | None, monkeypatch: pytest.MonkeyPatch
):
    module = loaded((written / "mlp.py").read_text())
    module.__file__ = str(written / "mlp.py")
    given = ["--inputs", str(written / "inputs.npz")] if inputs else []
    monkeypatch.setattr(sys, "argv", ["mlp.py", *given, "--check-values", str(written / f"{outputs}.npz")])
    with library(), nullcontext() if said is None else pytest.raises(SystemExit, match=said):
        module.main()
