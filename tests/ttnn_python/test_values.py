"""What emitted programs compute, on the stand-in for the library."""

import sys
from contextlib import nullcontext
from pathlib import Path
from types import ModuleType, SimpleNamespace

import numpy as np
import pytest

import ttstack
from tests.docs.pages import ROOT
from tests.forms.test_forms import FAMILIES
from tests.ttnn_python import stand_in
from tests.ttnn_python.stand_in import queues
from tests.ttnn_python.values import compare, compare_forms, library, loaded
from ttstack.compiled_program import Program
from ttstack.diagnostics import UnsupportedOpError
from ttstack.ttnn_python import write_python
from ttstack_runtime.inputs import random_weights

_WRITTEN_BESIDE = ["1 waits for event of 0", "write on 1", "event of 1", "0 waits for event of 1", "event of 0"]
"""What a pass whose inputs have a queue of their own asks for."""

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
    np.savez(folder / "short.npz", output=result[:5], arg0=inputs["arg0"][:5])
    (folder / "damaged.npz").write_bytes(b"damaged")
    write_python(program.binary, program.function(), "mlp", folder / "mlp.py", folder / "mlp.safetensors")
    return folder


@pytest.mark.parametrize(
    ("trace", "asked"),
    [
        (True, ["record on 0", "end of trace on 0", *["write on 0", "trace on 0"] * 2]),
        (False, ["event of 0", *_WRITTEN_BESIDE * 2]),
    ],
)
def test_passes_are_replayed_over_the_inputs(trace: bool, asked: list[str]):
    program = Program(random_weights(ttstack.compile(ROOT / "docs/mlp.mlir").binary, 0))
    module = loaded(program.to_python(trace=trace, two_queues=not trace))
    generator = np.random.default_rng(0)
    tensors = {
        name: module.put(None, tensor, module.drawn(tensor, generator))
        for name, tensor in (module.WEIGHTS | module.INPUTS).items()
    }
    module.prepare(None, tensors)
    queues.COMMANDS.clear()
    outputs = module.run(None, tensors, 2)
    assert [c for c in queues.COMMANDS if c not in ("end", "trace released")] == asked
    for name, once in module.forward(None, tensors).items():
        np.testing.assert_array_equal(outputs[name].values, once.values)


CONV1D = """func.func @f(%x: tensor<1x16x32xbf16>, %given: tensor<64x32x3xbf16>) -> tensor<1x14x64xbf16> {{
  {}
  %0 = "ttir.conv1d"(%x, {}) {{stride = 1 : i32, padding = 0 : i32, dilation = 1 : i32, groups = 1 : i32}}
    : (tensor<1x16x32xbf16>, tensor<64x32x3xbf16>) -> tensor<1x14x64xbf16>
  return %0 : tensor<1x14x64xbf16>
}}"""
NEGATIVE = '%w = "ttir.neg"(%given) : (tensor<64x32x3xbf16>) -> tensor<64x32x3xbf16>'


def test_what_the_host_writes_is_in_no_trace():
    program = ttstack.compile(CONV1D.format(NEGATIVE, "%w"))
    with pytest.raises(UnsupportedOpError, match=r"which a trace cannot record\n.*op 2, conv1d"):
        program.to_python(trace=True)
    assert "TRACE = False" in program.to_python()


def test_weights_of_sequences_are_prepared_once():
    prepared, _, rest = ttstack.compile(CONV1D.format("", "%given")).to_python(trace=True).partition("def forward")
    each, _, _ = rest.partition("\n\n\n")
    assert "prepare_conv_weights" in prepared
    assert "prepare_conv_weights" not in each
    assert "from_device" not in each


@pytest.mark.parametrize(
    ("inputs", "outputs", "said"),
    [
        ("inputs", "right", None),
        ("inputs", "wrong", "values differ"),
        ("inputs", "other", "other.npz has no output$"),
        ("inputs", "short", r"output of .*short.npz has shape \(5, 96\)$"),
        ("inputs", "missing", "missing.npz cannot be read: .*No such file"),
        ("inputs", "damaged", "damaged.npz cannot be read: "),
        ("short", "right", "files give other shapes than the program takes: arg0$"),
        ("", "right", "no file gives arg0$"),
    ],
)
def test_a_written_program_compares_its_outputs(written: Path, inputs: str, outputs: str, said: str | None):
    module = loaded((written / "mlp.py").read_text())
    module.__file__ = str(written / "mlp.py")
    given = ["--inputs", str(written / f"{inputs}.npz")] if inputs else []
    with library(), nullcontext() if said is None else pytest.raises(SystemExit, match=said):
        module.main([*given, "--golden", str(written / f"{outputs}.npz")])


def test_main_of_an_imported_program_reads_no_command_line(written: Path, monkeypatch: pytest.MonkeyPatch):
    module = loaded((written / "mlp.py").read_text())
    module.__file__ = str(written / "mlp.py")
    monkeypatch.setattr(sys, "argv", ["server.py", "--port", "80"])
    with library():
        module.main()


def test_tensors_are_made_of_what_may_be_written_to(written: Path):
    """The library refuses what is mapped read-only, as the weights of a file are."""
    module, given = loaded((written / "mlp.py").read_text()), list[np.ndarray]()
    tensor = next(iter(module.WEIGHTS.values()))
    vars(module)["ttnn"] = SimpleNamespace(
        **{name: getattr(stand_in, name) for name in ("bfloat16", "float32", "bfloat8_b", "bfloat4_b")},
        Tensor=lambda values, **_: given.append(values),
        to_device=lambda *_, **_keywords: None,
    )
    fixed = np.ones(tensor.shape, np.float32)
    fixed.flags.writeable = False
    module.put(None, tensor, fixed)
    assert [values.flags.writeable for values in given] == [True]


def test_weights_over_banks_are_given_turned():
    """The library reads columns of the result from each bank: torch's rows are put there the other way round."""
    text = """func.func @f(%x: tensor<32x2048xbf16>, %w: tensor<8192x2048xbf16> {tt.argument_type = #tt.argument_type<"parameter">})
        -> tensor<32x8192xbf16> {
      %y = "ttir.matmul"(%x, %w) {transpose_b = true} : (tensor<32x2048xbf16>, tensor<8192x2048xbf16>) -> tensor<32x8192xbf16>
      return %y : tensor<32x8192xbf16>
    }"""
    program = ttstack.compile(text, dtype="bf16")
    emitted = program.to_python()
    assert "turned=True" in emitted
    assert "transpose_b" not in emitted
    found = compare(program)
    assert found.differences == []
    assert found.ops
