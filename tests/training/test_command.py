"""`ttstack compile --train` and the factories that it calls."""

from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

import ttstack
from tests.training import models
from ttstack.cli.exit_codes import run
from ttstack.diagnostics import SourceError
from ttstack.targets import cpu
from ttstack_runtime.inputs import random_inputs

STEP = "tests.training.test_command:step"


def step() -> dict[str, Any]:
    task = models.mlp()
    rate = partial(torch.optim.SGD, lr=0.1)
    given = {"example_inputs": task.inputs, "loss": task.loss, "targets": task.target}
    return {"module": task.model, "optimizer": rate, **given}


def half_a_step() -> Mapping[str, object]:
    return {"module": models.mlp().model}


def misspelled() -> Mapping[str, object]:
    return {**step(), "optimiser": None}


def test_a_factory_of_a_step_becomes_a_file(tmp_path):
    assert run(["compile", STEP, "--train", "-o", str(tmp_path / "step.ttb")]) == 0
    program = ttstack.load(tmp_path / "step.ttb")
    assert list(program.inputs()) == ["input", "target"]
    assert list(program.outputs()) == ["loss"]


@pytest.mark.parametrize("phase", ["source", "placed"])
def test_a_step_that_is_compiled_in_parts_is_the_same(phase: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    text = f"test_command_step.{phase}.mlir"
    assert run(["compile", STEP, "--train", "-o", "step.ttb"]) == 0
    assert run(["compile", STEP, "--train", "--compile-to", phase]) == 0
    assert run(["compile", "--compile-from", text, "-o", "again.ttb"]) == 0
    assert Path("again.ttb").read_bytes() == Path("step.ttb").read_bytes()


def test_a_step_as_code_of_the_processor(tmp_path: Path):
    target = tmp_path / "step.so"
    assert run(["compile", STEP, "--train", "--target", "cpu", "-o", str(target)]) == 0
    program, native = ttstack.compile_step(STEP), cpu.load(target)
    batch = random_inputs(program.function(), 0)
    want, have = program.run(batch), native.run(batch)
    np.testing.assert_allclose(have.outputs["loss"], want.outputs["loss"], rtol=1e-6)
    assert have.updated.keys() == want.updated.keys()
    for name, values in want.updated.items():
        np.testing.assert_allclose(have.updated[name], values, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("half_a_step", "no `example_inputs` and no `optimizer`"),
        ("misspelled", "`optimiser`, which is no part"),
        ("named_by_numbers", "`3`, which"),
    ],
)
def test_a_factory_of_something_else_is_told_what_is_missing(name: str, message: str):
    with pytest.raises(SourceError, match=message):
        ttstack.compile_step(f"tests.training.test_command:{name}")


def named_by_numbers() -> Mapping[object, object]:
    return {**step(), 3: None}


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"optimizer": partial(torch.optim.SGD, lr=-1)}, "the optimizer raised ValueError: Invalid learning rate"),
        ({"optimizer": lambda _: 1 / 0}, r"the optimizer raised ZeroDivisionError: (?s:.*)test_command\.py:\d+"),
        ({"optimizer": torch.optim.LBFGS}, "`LBFGS` computes the loss several times"),
        ({"targets": "labels"}, "`targets` holds a value of type str"),
        ({"targets": {"labels": (8,)}}, "`targets` holds a value of type dict"),
        ({"schedule": lambda _: None}, "the schedule gives no single number but NoneType"),
        ({"schedule": lambda steps: steps * torch.ones(3)}, r"no single number but a tensor of shape \[3\]"),
        ({"max_norm": -1.0}, "max_norm is -1.0"),
        ({"max_norm": "1"}, "max_norm is '1'"),
        ({"max_norm": float("nan")}, "max_norm is nan"),
    ],
)
def test_a_part_of_a_step_that_is_none_says_so(wrong: dict[str, Any], message: str):
    given = {**step(), **wrong}
    with pytest.raises(SourceError, match=message):
        ttstack.compile_step(given.pop("module"), **given)


@pytest.mark.parametrize("factor", [lambda _: 1, lambda _: torch.ones(1)])
def test_a_schedule_can_give_any_one_number(factor: Callable[[torch.Tensor], Any]):
    given = {**step(), "schedule": factor}
    scheduled, plain = ttstack.compile_step(given.pop("module"), **given), ttstack.compile_step(STEP)
    batch = random_inputs(plain.function(), 0)
    want, have = plain.run(batch), scheduled.run(batch)
    for name, values in want.updated.items():
        np.testing.assert_allclose(have.updated[name], values, atol=1e-7)


def wrong_targets() -> Mapping[str, object]:
    return {**step(), "targets": torch.zeros(3, dtype=torch.int64)}


def no_targets() -> Mapping[str, object]:
    return {name: value for name, value in step().items() if name != "targets"}


def broken_schedule() -> Mapping[str, object]:
    return {**step(), "schedule": lambda _: 1 / 0}


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("wrong_targets", "the loss raised [^:]*: (?s:.*)the model's output and 1 `targets`$"),
        ("no_targets", "the loss raised TypeError: (?s:.*)the model's output and 0 `targets`$"),
        ("broken_schedule", r"the schedule raised ZeroDivisionError: (?s:.*)test_command\.py:\d+"),
    ],
)
def test_what_a_user_s_function_raises_is_told(name: str, message: str):
    with pytest.raises(SourceError, match=message):
        ttstack.compile_step(f"tests.training.test_command:{name}")
