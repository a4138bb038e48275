"""Choices by comparisons that bounds decide are left out, with the same values."""

from collections.abc import Callable

import pytest
import torch
from torch import Tensor, nn
from torch.nn import functional

import ttstack


class Spelled(nn.Module):
    def __init__(self, function: Callable[[Tensor], Tensor]) -> None:
        super().__init__()
        self.function = function

    def forward(self, x: Tensor) -> Tensor:
        return self.function(x)


def guarded(low: float, high: float) -> Callable[[Tensor], Tensor]:
    """Indices between two numbers, and others 0; negative ones are counted from the end of 8."""

    def choose(x: Tensor) -> Tensor:
        index = torch.where((x >= low) & (x < high), x.to(torch.int32), 0)
        wrapped = torch.where(index < 0, index + 8, index)
        return torch.where((wrapped >= 0) & (wrapped < 8), wrapped, 100)

    return choose


def choices(function: Callable[[Tensor], Tensor], x: Tensor) -> int:
    """The number of choices of a program whose values are PyTorch's."""
    program = ttstack.compile(Spelled(function), (x,))
    (found,) = program.run({"x": x.numpy()}).outputs.values()
    expected = function(x)
    torch.testing.assert_close(torch.from_numpy(found).to(expected.dtype), expected, rtol=1e-4, atol=1e-4)
    return [op.name for op in program.cost().ops].count("where")


NUMBERS = torch.cat([torch.linspace(-12, 12, 97), torch.tensor([torch.nan, torch.inf, -torch.inf])])


@pytest.mark.parametrize(
    ("low", "high", "left"),
    [(0, 8, 1), (0, 7.5, 1), (2, 5, 1), (0, 9, 2), (-1, 8, 3), (-0.5, 8, 3), (-9, -1, 3), (-3, 0, 3)],
)
def test_indices_within_bounds_need_no_choice(low: float, high: float, left: int):
    assert choices(guarded(low, high), NUMBERS) == left


def test_corners_of_samples_are_guarded_once():
    at = torch.randn(1, 9, 7, 2, generator=torch.Generator().manual_seed(0))
    images = torch.randn(1, 16, 12, 10, generator=torch.Generator().manual_seed(1))
    found = choices(lambda x: functional.grid_sample(images, x, align_corners=False), at)
    assert found <= 12


def test_integers_that_wrap_around_have_no_bounds():
    def narrow(x: Tensor) -> Tensor:
        index = torch.where((x >= 0) & (x < 300), x.to(torch.int32).to(torch.int8), 0)
        return torch.where(index < 0, index + 8, index)

    assert choices(narrow, torch.linspace(0, 299, 64)) == 2
