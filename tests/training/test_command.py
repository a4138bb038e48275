"""`ttstack compile --train` and the factories that it calls."""

from collections.abc import Mapping
from functools import partial

import pytest
import torch

import ttstack
from tests.training import models
from ttstack.cli.exit_codes import run
from ttstack.diagnostics import SourceError

STEP = "tests.training.test_command:step"


def step() -> Mapping[str, object]:
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


@pytest.mark.parametrize(
    ("name", "message"),
    [("half_a_step", "no `example_inputs` and no `optimizer`"), ("misspelled", "`optimiser`, which is no part")],
)
def test_a_factory_of_something_else_is_told_what_is_missing(name: str, message: str):
    with pytest.raises(SourceError, match=message):
        ttstack.compile_step(f"tests.training.test_command:{name}")
