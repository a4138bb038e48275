"""Rows over their Euclidean norms are one op, with the same values, however they are spelled."""

from collections.abc import Callable

import pytest
import torch
from torch import Tensor, nn
from torch.nn import functional

import ttstack

WEIGHT = torch.linspace(-1.0, 2.0, 96)


def spelled_normalize(x: Tensor) -> Tensor:
    return x / torch.clamp(torch.sqrt((x * x).sum(-1, keepdim=True)), min=1e-12)


def maximum(x: Tensor) -> Tensor:
    return x / torch.maximum(x.square().sum(-1).sqrt()[..., None], torch.tensor(1e-8))


ONE_OP: dict[str, Callable[[Tensor], Tensor]] = {
    "F.normalize": lambda x: functional.normalize(x, dim=-1),
    "a norm with a clamp": lambda x: x / x.norm(dim=-1, keepdim=True).clamp(min=1e-12),
    "a norm": lambda x: x / x.norm(dim=-1, keepdim=True),
    "a root with a clamp": spelled_normalize,
    "a root with a maximum": maximum,
    "one over a root": lambda x: x * torch.rsqrt(x.pow(2).sum(-1, keepdim=True) + 1e-6),
    "a root of a sum with epsilon": lambda x: x / torch.sqrt(x.pow(2).sum(-1, keepdim=True) + 1e-3),
    "a factor": lambda x: functional.normalize(x, dim=-1) * 96**0.5,
    "a weight": lambda x: functional.normalize(x, dim=-1) * WEIGHT,
    "a factor and a weight": lambda x: functional.normalize(x, dim=-1) * 96**0.5 * WEIGHT,
}

OTHERS: dict[str, Callable[[Tensor], Tensor]] = {
    "another dimension": lambda x: functional.normalize(x, dim=1),
    "another power": lambda x: functional.normalize(x, p=1, dim=-1),
    "a norm of something else": lambda x: x / x.sin().norm(dim=-1, keepdim=True),
    "a large bound": lambda x: x / x.norm(dim=-1, keepdim=True).clamp(min=0.5),
    "a norm that is read again": lambda x: x / x.norm(dim=-1, keepdim=True) + x.norm(dim=-1, keepdim=True).exp(),
}


class Spelled(nn.Module):
    def __init__(self, function: Callable[[Tensor], Tensor]) -> None:
        super().__init__()
        self.function = function

    def forward(self, x: Tensor) -> Tensor:
        return self.function(x)


def compiled(function: Callable[[Tensor], Tensor]) -> list[str]:
    """The names of the ops of a program whose values are PyTorch's, for short rows too."""
    x = torch.randn(2, 5, 96, generator=torch.Generator().manual_seed(0))
    x[0, 1] *= 1e-4
    program = ttstack.compile(Spelled(function), (x,))
    (found,) = program.run({"x": x.numpy()}).outputs.values()
    torch.testing.assert_close(torch.from_numpy(found), function(x), rtol=1e-5, atol=1e-6)
    return [op.name for op in program.cost().ops]


@pytest.mark.parametrize("name", ONE_OP)
def test_rows_over_their_norms_are_one_op(name: str):
    assert compiled(ONE_OP[name]) == ["rms_norm"]


@pytest.mark.parametrize("name", OTHERS)
def test_others_stay_as_they_are(name: str):
    assert "rms_norm" not in compiled(OTHERS[name])


def test_rows_of_zeros_stay_zeros():
    x = torch.zeros(4, 64)
    program = ttstack.compile(Spelled(ONE_OP["F.normalize"]), (x,))
    (found,) = program.run({"x": x.numpy()}).outputs.values()
    assert [op.name for op in program.cost().ops] == ["rms_norm"]
    assert not found.any()
