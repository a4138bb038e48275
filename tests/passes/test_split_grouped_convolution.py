"""Grouped convolutions of many channels are several of fewer where that is faster, with the same values."""

import pytest
import torch
from torch import nn

import ttstack

NAME = "split-grouped-convolution"

FASTER = {
    "depthwise": (lambda: nn.Conv2d(2048, 2048, 3, padding=1, groups=2048), (1, 2048, 16, 16)),
    "in steps, without bias": (lambda: nn.Conv2d(2048, 2048, 3, stride=2, groups=2048, bias=False), (1, 2048, 33, 33)),
    "of channels that fill no tiles": (lambda: nn.Conv2d(1800, 1800, 5, padding=2, groups=1800), (1, 1800, 14, 14)),
    "with several channels in a group": (lambda: nn.Conv2d(2048, 4096, 3, groups=256), (1, 2048, 10, 10)),
    "activated": (lambda: nn.Sequential(nn.Conv2d(2048, 2048, 3, groups=2048), nn.ReLU()), (1, 2048, 18, 18)),
}

NOT = {
    "of few channels": (lambda: nn.Conv2d(64, 64, 3, padding=1, groups=64), (1, 64, 14, 14)),
    "of one tile": (lambda: nn.Conv2d(32, 32, 3, padding=1, groups=32), (1, 32, 56, 56)),
    "of one group": (lambda: nn.Conv2d(512, 512, 3, padding=1), (1, 512, 14, 14)),
}


def compiled(model: nn.Module, x: torch.Tensor, without: str | None = None) -> ttstack.Program:
    return ttstack.compile(model, (x,), dtype="bf16", without=without)


def convolutions(program: ttstack.Program) -> int:
    return sum(op.name == "conv2d" for op in program.cost().ops)


@pytest.mark.parametrize("case", FASTER)
def test_many_channels_are_split(case: str):
    torch.manual_seed(0)
    build, shape = FASTER[case]
    model, x = build().eval(), torch.randn(shape)
    split, plain = compiled(model, x), compiled(model, x, NAME)
    assert convolutions(plain) == 1
    assert convolutions(split) > 1
    assert split.cost().total_ns < plain.cost().total_ns
    (found,) = split.run({name: x.numpy() for name in split.inputs()}).outputs.values()
    with torch.no_grad():
        torch.testing.assert_close(torch.from_numpy(found), model(x), rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("case", NOT)
def test_others_stay(case: str):
    build, shape = NOT[case]
    assert convolutions(compiled(build().eval(), torch.randn(shape))) == 1


def test_a_weight_that_is_computed_stays():
    class Computed(nn.Module):
        def forward(self, x: torch.Tensor, weight: torch.Tensor) -> torch.Tensor:
            """[1, 2048, 16, 16] and [2048, 1, 3, 3] to images."""
            return nn.functional.conv2d(x, weight, groups=2048)

    program = ttstack.compile(Computed().eval(), (torch.randn(1, 2048, 16, 16), torch.randn(2048, 1, 3, 3)))
    assert convolutions(program) == 1
