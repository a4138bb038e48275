"""Inputs and results in structures of any kind, and models without weights."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import pytest
import torch
from torch import nn

import ttstack
from ttstack.ops.types import DType, TensorType
from ttstack_runtime.executor import Numerics


class Pair(NamedTuple):
    a: torch.Tensor
    b: torch.Tensor


@dataclass
class Batch:
    x: torch.Tensor
    y: torch.Tensor


torch.export.register_dataclass(Batch, serialized_type_name="tests.frontends.Batch")


class Structures(nn.Module):
    """Gives out inputs, constants, None, numbers, and one result twice."""

    def __init__(self) -> None:
        super().__init__()
        self.constant = torch.ones(3)
        self.register_buffer("large", torch.arange(5000.0))

    def forward(
        self, pair: Pair, batch: Batch, absent: torch.Tensor | None = None, *, flag: torch.Tensor, ids: torch.Tensor
    ) -> tuple[Pair, dict[str, object]]:
        y = pair.a + pair.b
        rest = {"constant": self.constant, "large": self.large, "flag": flag, "absent": absent, "number": 3}
        return Pair(y, pair.a), {"again": y, "batch": Batch(batch.x * 2, batch.y), "ids": ids + 1, "not": ~flag, **rest}


def test_structures_are_kept_as_names():
    a, ids = torch.tensor([1.0, 2.0]), torch.tensor([1, 2], dtype=torch.int32)
    arguments = (Pair(a, a * 2), Batch(a * 3, a * 4), None)
    flag = torch.tensor([True, False])
    program = ttstack.compile(torch.export.export(Structures(), arguments, {"flag": flag, "ids": ids}))
    given = {"pair.a": a, "pair.b": a * 2, "batch.x": a * 3, "batch.y": a * 4, "flag": flag, "ids": ids}
    assert list(program.inputs()) == list(given)
    outputs = program.run({name: x.numpy() for name, x in given.items()}).outputs
    wanted = {
        "0.a": a * 3,
        "0.b": a,
        "1.again": a * 3,
        "1.batch.x": a * 6,
        "1.batch.y": a * 4,
        "1.ids": ids + 1,
        "1.not": ~flag,
        "1.constant": torch.ones(3),
        "1.large": torch.arange(5000.0),
        "1.flag": flag,
    }
    assert list(outputs) == [f"output.{name}" for name in wanted]
    for name, want in wanted.items():
        got = outputs[f"output.{name}"]
        assert got.dtype == want.numpy().dtype, name
        np.testing.assert_array_equal(got, want.numpy(), name)


TYPES = {torch.float16: DType.F16, torch.bfloat16: DType.BF16, torch.float32: DType.F32}


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("numerics", ["ieee", "device"])
def test_models_of_every_element_type(dtype: torch.dtype, numerics: Numerics):
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(64, 64), nn.GELU(approximate="tanh"), nn.LayerNorm(64)).to(dtype).eval()
    x = torch.randn(32, 64).to(dtype)
    program = ttstack.compile(model, (x,))
    assert program.inputs() == {"input": TensorType((32, 64), TYPES[dtype])}
    run = program.run({"input": x.float().numpy()}, numerics=numerics)
    with torch.no_grad():
        want = model(x).float().numpy()
    error = np.abs(run.outputs["output"].astype(np.float32) - want).max()
    assert error < (1e-5 if (dtype, numerics) == (torch.float32, "ieee") else 4e-2)


@pytest.mark.parametrize("inputs", [[(8, 2048)], (torch.empty(8, 2048, device="meta"),), (torch.ones(8, 2048),)])
def test_a_model_without_weights_is_costed(inputs: object):
    with torch.device("meta"):
        model = nn.Sequential(nn.Linear(2048, 4096), nn.ReLU()).eval()
    program = ttstack.compile(model, inputs)
    assert [w.data for w in program.binary.weights.values()] == [None, None]
    assert program.cost().total_ns > 0
