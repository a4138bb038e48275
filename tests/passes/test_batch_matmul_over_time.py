"""Inputs of a recurrence are multiplied once, for all of its steps, however the recurrence is written."""

from collections import Counter
from collections.abc import Callable

import pytest
import torch
from torch import nn

import ttstack

pytestmark = pytest.mark.filterwarnings("ignore:The tensor attributes self.*_flat_weights")

STEPS, BATCH, WIDTH = 5, 8, 64


class RecurrentModule(nn.Module):
    """A recurrence as PyTorch's module of it."""

    def __init__(self, kind: Callable[[int, int], nn.RNNBase]) -> None:
        super().__init__()
        self.cell = kind(WIDTH, WIDTH)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """(steps, batch, width) to the last state."""
        return self.cell(x)[0][-1]


class CellLoop(nn.Module):
    """A loop over steps, with a cell whose gates are products of weights side by side."""

    def __init__(self, kind: Callable[[int, int], nn.RNNCellBase], dim: int = 0) -> None:
        super().__init__()
        self.cell, self.dim = kind(WIDTH, WIDTH), dim

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """The same, of steps along `dim`."""
        h = c = torch.zeros(BATCH, WIDTH)
        for step in x.unbind(self.dim):
            h, c = self.cell(step, (h, c)) if isinstance(self.cell, nn.LSTMCell) else (self.cell(step, h), c)
        return h


class SeparateGates(nn.Module):
    """A loop in which each gate is a product of its own, as Flax has them."""

    def __init__(self, gates: str) -> None:
        super().__init__()
        self.given = nn.ModuleDict({gate: nn.Linear(WIDTH, WIDTH) for gate in gates})
        self.kept = nn.ModuleDict({gate: nn.Linear(WIDTH, WIDTH, bias=gate == "n") for gate in gates})

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """The same."""
        h = c = torch.zeros(BATCH, WIDTH)
        for step in x:
            a, b = ({gate: layer(v) for gate, layer in of.items()} for of, v in ((self.given, step), (self.kept, h)))
            if "z" in a:
                r, z = torch.sigmoid(a["r"] + b["r"]), torch.sigmoid(a["z"] + b["z"])
                h = (1.0 - z) * torch.tanh(a["n"] + r * b["n"]) + z * h
            else:
                i, f, g, o = (a[gate] + b[gate] for gate in "ifgo")
                c = torch.sigmoid(f) * c + torch.sigmoid(i) * torch.tanh(g)
                h = torch.sigmoid(o) * torch.tanh(c)
        return h


def compiled(model: nn.Module, *extents: int, without: str | None = None) -> ttstack.Program:
    """A program that gives the model's values."""
    x = torch.randn(extents or (STEPS, BATCH, WIDTH), generator=torch.Generator().manual_seed(1))
    model = model.eval().requires_grad_(False)
    program = ttstack.compile(model, (x,), without=without)
    (found,) = program.run({name: x.numpy() for name in program.inputs()}).outputs.values()
    wanted = model(x)
    assert (torch.from_numpy(found) - wanted).abs().max() <= 1e-5 * wanted.abs().max()
    return program


def ops(program: ttstack.Program) -> Counter[str]:
    return Counter(op.name for op in program.cost().ops if op.elapsed_ns)


@pytest.mark.parametrize(
    ("module", "loop", "gates"),
    [(nn.GRU, nn.GRUCell, "rzn"), (nn.LSTM, nn.LSTMCell, "ifgo")],
    ids=["GRU", "LSTM"],
)
def test_all_ways_to_write_a_recurrence_become_one(
    module: Callable[[int, int], nn.RNNBase], loop: Callable[[int, int], nn.RNNCellBase], gates: str
):
    whole, looped, apart = map(compiled, (RecurrentModule(module), CellLoop(loop), SeparateGates(gates)))
    assert ops(looped) == ops(whole)
    assert sum(ops(apart).values()) <= sum(ops(whole).values())
    assert apart.cost().total_ns <= whole.cost().total_ns * 1.01  # other gates lie first


def test_steps_are_taken_of_the_product():
    together, single = (compiled(CellLoop(nn.RNNCell), without=left) for left in (None, "batch-matmul-over-time"))
    inputs = [op for op in together.cost().ops if op.name == "linear" and op.results[0].type.shape[0] == STEPS]
    assert len(inputs) == 1
    assert ops(single)["linear"] == 2 * STEPS - 1  # the first state is of zeros, and its product known
    assert ops(together)["linear"] == STEPS
    assert together.cost().total_ns < single.cost().total_ns


def test_steps_can_be_along_another_dimension():
    program = compiled(CellLoop(nn.RNNCell, dim=1), BATCH, STEPS, WIDTH)
    assert any(op.name == "linear" and STEPS in op.results[0].type.shape for op in program.cost().ops)


class ReadTwice(CellLoop):
    """A loop in which steps are read besides."""

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """States to which steps are added."""
        h = torch.zeros(BATCH, WIDTH)
        for step in x.unbind(0):
            h = self.cell(step, h) + step
        return h


def test_what_else_reads_a_step_keeps_its_product():
    assert ops(compiled(ReadTwice(nn.RNNCell)))["linear"] == 2 * STEPS - 1


@pytest.mark.parametrize("bounded", [True, False])
def test_a_weighted_sum_is_one_product_where_it_is_the_state_of_a_cell(bounded: bool):
    class WeightedSum(nn.Module):
        def forward(self, x: torch.Tensor) -> torch.Tensor:
            z = torch.sigmoid(x + 1)
            return (1 - z) * (torch.tanh(x.flip(0)) if bounded else torch.exp(x.flip(0))) + z * x

    found = ops(compiled(WeightedSum(), 64, 64))
    assert found["multiply"] + found["activated_multiply"] == (1 if bounded else 2)
