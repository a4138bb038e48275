"""Norms of few long rows are reductions over several dimensions where that is faster, with the same values."""

import pytest
import torch
from torch import nn

import ttstack

NAME = "layer-norm-by-reductions"


def affine(norm: nn.Module) -> nn.Module:
    """The norm with random weight and bias."""
    for parameter in norm.parameters():
        nn.init.normal_(parameter)
    return norm


class Uneven(nn.Module):
    """Norms of rows of 8,000 elements, which begin and end within rows of 6,000."""

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """[4, 6000] to [3, 8000]."""
        return nn.functional.layer_norm(x.reshape(3, 8000), [8000])


FASTER = {
    "all channels of a length": (lambda: nn.GroupNorm(1, 192), (1, 192, 130)),
    "all channels of an image": (lambda: nn.LayerNorm([24, 32, 40]), (1, 24, 32, 40)),
    "rows that end within a dimension": (lambda: nn.GroupNorm(2, 96), (1, 96, 130)),
    "without weight and bias": (lambda: nn.LayerNorm([64, 200], elementwise_affine=False), (2, 64, 200)),
}

NOT = {
    "rows of one dimension": (lambda: nn.LayerNorm(4096), (1, 1, 4096)),
    "many short rows": (lambda: nn.GroupNorm(128, 256), (1, 256, 32)),
    "rows that end unevenly": (Uneven, (4, 6000)),
}


def compiled(model: nn.Module, x: torch.Tensor, without: str | None = None) -> ttstack.Program:
    return ttstack.compile(model, (x,), without=without)


def norms(program: ttstack.Program) -> int:
    return sum(op.name == "layer_norm" for op in program.cost().ops)


@pytest.mark.parametrize("case", FASTER)
def test_long_rows_are_reduced_by_all_cores(case: str):
    torch.manual_seed(0)
    build, shape = FASTER[case]
    model, x = affine(build()).eval(), torch.randn(shape)
    reduced, plain = compiled(model, x), compiled(model, x, NAME)
    assert norms(plain) == 1
    assert norms(reduced) == 0
    assert reduced.cost().total_ns < plain.cost().total_ns
    (found,) = reduced.run({name: x.numpy() for name in reduced.inputs()}).outputs.values()
    with torch.no_grad():
        torch.testing.assert_close(torch.from_numpy(found), model(x), rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("case", NOT)
def test_other_norms_stay(case: str):
    build, shape = NOT[case]
    assert norms(compiled(build().eval(), torch.randn(shape))) == 1
