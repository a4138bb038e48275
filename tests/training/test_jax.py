"""Update functions of JAX as steps of training: donated arguments are the state."""

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from safetensors.numpy import load_file, save_file
from torch.nn import functional as F  # noqa: N812

import ttstack
from tests.frontends import test_stablehlo
from ttstack.cli.exit_codes import run
from ttstack.diagnostics import InvalidIRError

UPDATE = test_stablehlo.EXPORTS / "update"
STEPS = 6
Arrays = dict[str, np.ndarray[Any, Any]]


@pytest.fixture(scope="module")
def program() -> ttstack.Program:
    return ttstack.compile(UPDATE.with_suffix(".mlir"))


@pytest.fixture(scope="module")
def given(program: ttstack.Program) -> Arrays:
    """What JAX was given, by name."""
    with np.load(UPDATE.with_suffix(".npz")) as file:
        return {name: file[f"input{i}"] for i, name in enumerate(program.inputs())}


def test_one_step_gives_what_jax_gives(program: ttstack.Program, given: Arrays):
    done = program.run(given)
    assert list(done.outputs) == ["output.2.loss"]
    state = [name for name in given if name not in "xy"]
    assert done.updated.keys() == set(state)
    found = [*(done.updated[name] for name in state), done.outputs["output.2.loss"]]
    with np.load(UPDATE.with_suffix(".npz")) as file:
        for i, value in enumerate(found):
            np.testing.assert_allclose(value, file[f"output{i}"], rtol=1e-5, atol=1e-6)


def test_steps_are_those_of_pytorch_s_adam(program: ttstack.Program, given: Arrays):
    params = {name: torch.tensor(x, requires_grad=True) for name, x in given.items() if name.startswith("params")}
    b, w, out = params.values()
    adam = torch.optim.Adam(params.values(), lr=0.01)
    x, y = torch.from_numpy(given["x"]), torch.from_numpy(given["y"]).long()
    runs = list(program.steps([given] * STEPS))
    for done in runs:
        loss = F.cross_entropy(torch.tanh(x @ w + b) @ out, y)
        np.testing.assert_allclose(done.outputs["output.2.loss"], loss.item(), rtol=1e-5)
        adam.zero_grad()
        loss.backward()
        adam.step()
    for name, value in params.items():
        np.testing.assert_allclose(runs[-1].updated[name], value.detach().numpy(), atol=1e-5)
    assert runs[-1].updated["state.count"] == STEPS


def test_the_command_trains_on_batches_and_goes_on_from_a_file(program: ttstack.Program, given: Arrays, tmp_path: Path):
    program.save(tmp_path / "step.ttb")
    batches = {"x": np.stack([given["x"], 2 * given["x"]]), "y": np.stack([given["y"]] * 2)}
    save_file(given | batches, tmp_path / "in.safetensors")
    files = ["--inputs", str(tmp_path / "in.safetensors"), "--state", str(tmp_path / "state.safetensors")]
    for count in ("3", "1"):
        assert run(["run", str(tmp_path / "step.ttb"), "--steps", count, *files]) == 0
    *_, last = program.steps([given | {n: b[i % 2] for n, b in batches.items()} for i in range(4)])
    saved = load_file(tmp_path / "state.safetensors")
    assert saved.keys() == last.updated.keys()
    for name, value in last.updated.items():
        np.testing.assert_array_equal(saved[name], value)


@pytest.mark.parametrize("suffix", [".stablehlo", ".jax"])
def test_other_forms_of_the_export_have_the_same_state(suffix: str, program: ttstack.Program):
    found = ttstack.compile(UPDATE.with_suffix(suffix))
    assert (found.inputs(), found.outputs()) == (program.inputs(), program.outputs())


@pytest.mark.parametrize(
    ("first", "second"), [("7 : i32", "1 : i32"), ("-1 : i32", "1 : i32"), ("2 : i32", "1 : i32"), ('"0"', "1 : i32")]
)
def test_a_donation_to_no_result_of_its_own_is_refused(first: str, second: str):
    t = "tensor<2xf32>"
    said = [f"%{name}: {t} {{tf.aliasing_output = {number}}}" for name, number in (("a", first), ("b", second))]
    text = f"""func.func @main({", ".join(said)}) -> ({t}, {t}, tensor<2xi1>) {{
      %0 = stablehlo.add %a, %b : {t}
      %1 = stablehlo.compare LT, %a, %b : ({t}, {t}) -> tensor<2xi1>
      return %0, %a, %1 : {t}, {t}, tensor<2xi1>
    }}"""
    wanted = re.escape(f"'tf.aliasing_output' of argument 0 is {first}")
    with pytest.raises(InvalidIRError, match=wanted):
        ttstack.compile(text)


def test_an_argument_that_comes_back_as_it_is_stays_an_input():
    t = "tensor<2xf32>"
    program = ttstack.compile(f"""func.func @main(%a: {t} {{tf.aliasing_output = 0 : i32}}) -> ({t}, {t}) {{
      %0 = stablehlo.add %a, %a : {t}
      return %a, %0 : {t}, {t}
    }}""")
    done = program.run({"arg0": np.ones(2, np.float32)})
    np.testing.assert_array_equal(done.outputs["output.1"], [2, 2])
