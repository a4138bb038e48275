"""Norms and layers of neurons as Flax exports them: one op each, with the same values."""

from collections.abc import Callable

import numpy as np
import pytest
import torch
from torch import Tensor, nn

import ttstack

WEIGHT, BIAS = (torch.linspace(low, 1.0, 64) for low in (-1.0, 0.5))


def layer_norm(x: Tensor) -> Tensor:
    """Means of rows without their dimension, a variance that is not below 0, and a weight before the product."""
    mean, squares = x.mean(-1), (x * x).mean(-1)
    variance = torch.clamp(squares - mean * mean, min=0.0)
    return (x - mean[..., None]) * (torch.rsqrt(variance[..., None] + 1e-6) * WEIGHT) + BIAS


def rms_norm(x: Tensor) -> Tensor:
    return x * (torch.rsqrt((x * x).mean(-1)[..., None] + 1e-6) * WEIGHT)


def dense(x: Tensor) -> Tensor:
    """The product of all rows, to whose columns something is added in another shape."""
    rows = x.reshape(-1, 64) @ torch.outer(WEIGHT, BIAS)
    return rows.reshape(2, 3, 64) + BIAS


def heads(x: Tensor) -> Tensor:
    return (x.reshape(-1, 64) @ torch.outer(BIAS, WEIGHT)).reshape(2, 3, 4, 16) + BIAS.view(4, 16)


class Spelled(nn.Module):
    def __init__(self, function: Callable[[Tensor], Tensor]) -> None:
        super().__init__()
        self.function = function

    def forward(self, x: Tensor) -> Tensor:
        return self.function(x)


def compiled(function: Callable[[Tensor], Tensor]) -> list[str]:
    """The names of the ops of a program whose values are PyTorch's."""
    x = torch.randn(2, 3, 64, generator=torch.Generator().manual_seed(0))
    program = ttstack.compile(Spelled(function), (x,))
    (found,) = program.run({"x": x.numpy()}).outputs.values()
    np.testing.assert_allclose(found, function(x).numpy(), atol=2e-5, rtol=1e-5)
    return [op.name for op in program.cost().ops]


@pytest.mark.parametrize(
    ("function", "ops"),
    [
        (layer_norm, ["layer_norm"]),
        (rms_norm, ["rms_norm"]),
        (dense, ["linear"]),
        (heads, ["reshape", "linear", "reshape"]),
    ],
)
def test_norms_and_layers_are_one_op(function: Callable[[Tensor], Tensor], ops: list[str]):
    assert compiled(function) == ops


def rows_of_another_length(x: Tensor) -> Tensor:
    """A mean of columns, which has as many elements as one of rows."""
    square = x[0, :, :3] * x[0, :, :3]
    return x[0, :, :3] * torch.rsqrt(square.mean(0)[:, None] + 1e-6)


def bias_of_rows(x: Tensor) -> Tensor:
    """One element for each row of the product."""
    return (x.reshape(-1, 64) @ torch.outer(WEIGHT, BIAS)).reshape(2, 3, 64) + torch.tensor([1.0, 2.0, 3.0])[:, None]


@pytest.mark.parametrize("function", [rows_of_another_length, bias_of_rows])
def test_others_stay_as_they_are(function: Callable[[Tensor], Tensor]):
    assert {"rms_norm", "layer_norm", "linear"}.isdisjoint(compiled(function))
