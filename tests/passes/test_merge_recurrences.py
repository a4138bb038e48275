"""Recurrences that do not depend on each other take their steps together: the same values, in less time."""

import numpy as np
import pytest
import torch
from torch import nn

import ttstack

pytestmark = [
    pytest.mark.filterwarnings("ignore:The tensor attributes self.*_flat_weights"),
    pytest.mark.filterwarnings("ignore:LSTM with projections"),
]

STEPS = 6


class Layers(nn.Module):
    """A recurrent module, with its outputs and its last states."""

    def __init__(self, module: nn.Module) -> None:
        super().__init__()
        self.module = module

    def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, ...]:
        """Rows of all steps, then the states."""
        rows, state = self.module(x)
        return (rows, *state) if isinstance(state, tuple) else (rows, state)


class Streams(nn.Module):
    """Two recurrences of inputs of their own, which go the same way."""

    def __init__(self) -> None:
        super().__init__()
        self.one, self.other = nn.GRU(64, 32), nn.GRU(64, 32)

    def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, ...]:
        """The sum of both, of the input and of its negative."""
        return (self.one(x)[0] + self.other(-x)[0],)


def products(program: ttstack.Program) -> int:
    """How many it does."""
    return sum(op.name in ("linear", "matmul") for op in program.cost().ops)


def values(program: ttstack.Program, x: torch.Tensor) -> list[torch.Tensor]:
    """What it gives."""
    run = program.run({name: x.numpy() for name in program.inputs()})
    return [torch.from_numpy(np.asarray(v)) for v in run.outputs.values()]


CASES = {
    "GRU": nn.GRU(64, 32, bidirectional=True),
    "LSTM": nn.LSTM(64, 32, bidirectional=True, batch_first=True),
    "RNN": nn.RNN(48, 64, bidirectional=True),
    "without biases": nn.LSTM(32, 64, bidirectional=True, bias=False),
    "two layers": nn.GRU(64, 32, num_layers=2, bidirectional=True),
    "projected": nn.LSTM(64, 64, proj_size=32, bidirectional=True),
    "ragged": nn.GRU(24, 40, bidirectional=True),
    "two streams": Streams(),
}
"""Modules, each with two recurrences in each layer."""


@pytest.mark.parametrize("name", CASES)
def test_both_are_one_of_the_same_values(name: str):
    torch.manual_seed(0)
    module = CASES[name].eval().requires_grad_(False)
    width = 64 if isinstance(module, Streams) else module.input_size
    model, x = (module if isinstance(module, Streams) else Layers(module)), torch.randn(2, STEPS, width)
    x = x if getattr(module, "batch_first", False) else x.transpose(0, 1).contiguous()
    joined, apart = (ttstack.compile(model, (x,), without=left) for left in (None, "merge-recurrences"))
    assert 2 * products(joined) == products(apart)
    assert joined.cost().total_ns < 0.8 * apart.cost().total_ns
    for found, wanted in zip(values(joined, x), model(x), strict=True):
        assert torch.allclose(found, wanted, atol=1e-5)


def test_layers_that_depend_on_each_other_stay_apart():
    torch.manual_seed(0)
    model, x = Layers(nn.GRU(32, 32, num_layers=2).eval().requires_grad_(False)), torch.randn(STEPS, 2, 32)
    joined, apart = (ttstack.compile(model, (x,), without=left) for left in (None, "merge-recurrences"))
    assert [op.name for op in joined.cost().ops] == [op.name for op in apart.cost().ops]


def test_wide_states_stay_apart():
    """The diagonal holds twice the weights that are multiplied, which takes longer to read than launches take."""
    model = Layers(nn.LSTM(64, 1024, bidirectional=True).eval().requires_grad_(False))
    joined, apart = (
        ttstack.compile(model, (torch.randn(STEPS, 32, 64),), without=left) for left in (None, "merge-recurrences")
    )
    assert products(joined) == products(apart)
