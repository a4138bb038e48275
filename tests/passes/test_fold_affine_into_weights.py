"""Factors and summands of columns of matmuls are in weights and biases, and values stay."""

from collections.abc import Callable

import pytest
import torch
from torch import Tensor, nn

import ttstack

ROWS, WIDTH = 40, 96
NAME = "fold-affine-into-weights"
Affine = Callable[["Layer", Tensor], Tensor]


class Layer(nn.Module):
    """A matmul whose result is scaled and shifted."""

    def __init__(self, affine: Affine, *, bias: bool = True) -> None:
        super().__init__()
        self.layer, self.norm = nn.Linear(WIDTH, WIDTH, bias=bias), nn.BatchNorm1d(WIDTH)
        self.scale, self.shift = nn.Parameter(torch.rand(WIDTH) + 0.5), nn.Parameter(torch.randn(WIDTH))
        for statistic in (self.norm.running_mean, self.norm.running_var, self.norm.weight.data, self.norm.bias.data):
            assert statistic is not None
            statistic.uniform_(0.5, 1.5)
        self.affine = affine

    def forward(self, x: Tensor) -> Tensor:
        return self.affine(self, self.layer(x)).exp()


def _ops(affine: Affine, *, bias: bool = True, without: tuple[str, ...] = ()) -> list[str]:
    """The ops of the program, whose values are PyTorch's."""
    torch.manual_seed(0)
    model, x = Layer(affine, bias=bias).eval(), torch.randn(2, ROWS, WIDTH) / 4
    program = ttstack.compile(model, (x,), without=without)
    (result,) = program.run({"x": x.numpy()}).outputs.values()
    torch.testing.assert_close(torch.from_numpy(result), model(x), rtol=1e-4, atol=1e-5)
    return [op.name for op in program.cost().ops]


FOLDED: dict[str, Affine] = {
    "a scale": lambda m, y: y * m.scale,
    "a scale before": lambda m, y: m.scale * y,
    "a shift": lambda m, y: y + m.shift,
    "less": lambda m, y: y - m.shift,
    "both": lambda m, y: (y * m.scale + m.shift) * m.scale,
    "a norm of rows": lambda m, y: m.norm(y.flatten(0, 1)),
    "a norm of rows that are reshaped": lambda m, y: m.norm(y.flatten(0, 1)).view(y.shape).transpose(0, 1),
    "tokens and samples that are exchanged": lambda m, y: y.transpose(0, 1) * m.scale,
}


@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize("name", FOLDED)
def test_columns_are_scaled_in_weights(name: str, *, bias: bool):
    assert {"multiply", "add", "subtract"}.isdisjoint(_ops(FOLDED[name], bias=bias))


@pytest.mark.parametrize(
    "affine",
    [
        lambda m, y: y * m.scale + y,
        lambda m, y: y * m.scale[:ROWS, None],
        lambda m, y: y.flatten(1) * m.scale.repeat(ROWS),
        lambda m, y: y * y.mean((0, 1)),
        lambda m, y: torch.relu(y) * m.scale,
    ],
    ids=["another use", "rows", "rows in columns", "what is computed", "after an activation"],
)
def test_others_stay(affine: Affine):
    assert _ops(affine) == _ops(affine, without=(NAME,))


def test_slices_of_scaled_columns_have_weights_of_their_own():
    def split(m: Layer, y: Tensor) -> Tensor:
        keys, values = (y * m.scale).unflatten(-1, (2, 48)).transpose(1, 2).split([16, 32], -1)
        return keys.transpose(-2, -1) @ values

    assert "slice_static" in _ops(split, without=(NAME,))
    assert "multiply" not in _ops(split)
