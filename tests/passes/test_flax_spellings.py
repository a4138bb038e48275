"""Norms, layers of neurons and GELU as Flax exports them: one op each, with the same values."""

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


NEAR = (7.85386146e-5, -8.0101937e-4, 0.00518832775, -0.0268538129, 0.112835854, -0.37612626, 1.12837911)
MIDDLE = (
    0.0232682,
    -0.138703942,
    0.368742466,
    -0.582473278,
    0.621000468,
    -0.494451523,
    0.340488,
    -0.274112701,
    0.563825965,
)
FAR = (-10.477664, 12.9772, -7.49551868, 2.92101908, -1.01526523, 0.42184633, -0.282076746, 0.564189494)
"""Coefficients with which JAX has erfc, from the highest power on: https://www.netlib.org/cephes/."""


def _polynomial(x: Tensor, coefficients: tuple[float, ...]) -> Tensor:
    found = x * coefficients[0] + coefficients[1]
    for coefficient in coefficients[2:]:
        found = found * x + coefficient
    return found


def _erfc(x: Tensor, near: tuple[float, ...]) -> Tensor:
    square, size = x * x, torch.abs(x)
    parts = torch.where(size < 2, _polynomial(1 / square, MIDDLE), _polynomial(1 / square, FAR))
    tail = torch.where(-square < -88.7228394, 0.0, torch.exp(-square) * (1 / size) * parts)
    return torch.where(size < 1, 1 - x * _polynomial(square, near), torch.where(x < 0, 2 - tail, tail))


def gelu(x: Tensor) -> Tensor:
    return 0.5 * x * _erfc(-x * 0.5**0.5, NEAR)


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
        (gelu, ["gelu"]),
        (layer_norm, ["layer_norm"]),
        (rms_norm, ["rms_norm"]),
        (dense, ["linear"]),
        (heads, ["linear", "reshape"]),
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


def another_function(x: Tensor) -> Tensor:
    """One coefficient is not that of erfc."""
    return 0.5 * x * _erfc(-x * 0.5**0.5, (1e-4, *NEAR[1:]))


@pytest.mark.parametrize("function", [another_function, rows_of_another_length, bias_of_rows])
def test_others_stay_as_they_are(function: Callable[[Tensor], Tensor]):
    assert {"gelu", "erfc", "rms_norm", "layer_norm", "linear"}.isdisjoint(compiled(function))
