"""Depthwise convolutions along a length are shifted multiply-adds where that is faster, with the same values."""

from typing import Any

import pytest
import torch
from torch import nn

import ttstack


class Causal(nn.Module):
    """A convolution of each channel by itself over rows and those before them."""

    def __init__(self, channels: int, taps: int, **options: Any) -> None:
        super().__init__()
        self.conv = nn.Conv1d(channels, channels, taps, groups=channels, padding=taps - 1, **options)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """[batch, length, channels] to the same, or fewer rows."""
        return self.conv(x.transpose(1, 2)).transpose(1, 2)[:, : x.shape[1]]


CASES = {
    "four taps": (lambda: Causal(8192, 4), (1, 64, 8192)),
    "without bias": (lambda: Causal(8192, 4, bias=False), (1, 64, 8192)),
    "dilated": (lambda: Causal(4096, 3, dilation=2), (1, 64, 4096)),
    "in steps": (lambda: Causal(4096, 4, stride=2), (1, 64, 4096)),
}


def compiled(model: nn.Module, x: torch.Tensor, without: str | None = None) -> tuple[ttstack.Program, torch.Tensor]:
    program = ttstack.compile(model, (x,), without=without)
    (found,) = program.run({"x": x.numpy()}).outputs.values()
    return program, torch.from_numpy(found)


@pytest.mark.parametrize("case", CASES)
def test_few_taps_are_shifted_slices(case: str):
    build, shape = CASES[case]
    model, x = build().eval(), torch.randn(shape)
    (shifted, found), (plain, _) = compiled(model, x), compiled(model, x, "convolution-by-shifted-slices")
    with torch.no_grad():
        torch.testing.assert_close(found, model(x), rtol=1e-4, atol=1e-5)
    assert "conv1d" in [op.name for op in plain.cost().ops]
    assert "conv1d" not in [op.name for op in shifted.cost().ops]
    assert shifted.cost().total_ns < plain.cost().total_ns


def test_a_convolution_of_many_taps_stays():
    program, _ = compiled(Causal(2048, 16).eval(), torch.randn(1, 64, 2048))
    assert "conv1d" in [op.name for op in program.cost().ops]
