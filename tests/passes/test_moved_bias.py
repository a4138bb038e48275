"""Biases that are added behind moves of columns are those of products, with the same values."""

from collections.abc import Callable

import pytest
import torch
from torch import Tensor, nn

import ttstack

HEADS, WIDTH = 4, 32


class Projected(nn.Module):
    """A contraction over features, as `DenseGeneral` of Flax spells it, and what becomes of it."""

    def __init__(self, spelled: str, weight: tuple[int, ...], bias: Callable[[Tensor], Tensor]) -> None:
        super().__init__()
        torch.manual_seed(0)
        self.spelled, self.moved = spelled, bias
        self.weight = nn.Parameter(torch.randn(weight) / 8)
        self.bias = nn.Parameter(torch.randn(weight[1:]))

    def forward(self, x: Tensor) -> Tensor:
        return torch.einsum(self.spelled, x, self.weight) + self.moved(self.bias)


def compiled(model: nn.Module) -> list[str]:
    """The names of the ops of a program whose values are PyTorch's."""
    x = torch.randn(2, 64, 128, generator=torch.Generator().manual_seed(0))
    program = ttstack.compile(model.eval().requires_grad_(False), (x,))
    (found,) = program.run({"x": x.numpy()}).outputs.values()
    torch.testing.assert_close(torch.from_numpy(found), model(x), rtol=1e-4, atol=1e-4)
    return [op.name for op in program.cost().ops]


FUSED = {
    "queries": ("nld,dhk->nlhk", (128, HEADS, WIDTH), lambda b: b),
    "heads first": ("nld,dhk->nhlk", (128, HEADS, WIDTH), lambda b: b[:, None]),
    "heads last": ("nld,dhk->nlkh", (128, HEADS, WIDTH), lambda b: b.T),
    "all three": ("nld,dchk->cnhlk", (128, 3, HEADS, WIDTH), lambda b: b[:, None, :, None]),
    "one dimension": ("nld,dk->nkl", (128, WIDTH), lambda b: b[:, None]),
}


@pytest.mark.parametrize("name", FUSED)
def test_the_bias_is_added_by_the_product(name: str):
    ops = compiled(Projected(*FUSED[name]))
    assert "linear" in ops
    assert "add" not in ops


OTHERS = {
    "a part of the columns": ("nld,dhk->nhlk", (128, HEADS, WIDTH), lambda b: b[0]),
    "rows": ("nld,dhk->nhlk", (128, 64, WIDTH), lambda b: b),
}


@pytest.mark.parametrize("name", OTHERS)
def test_others_are_added_behind(name: str):
    assert "add" in compiled(Projected(*OTHERS[name]))


def test_projections_of_attention_are_one_product():
    class Attention(Projected):
        def forward(self, x: Tensor) -> Tensor:
            q, k, v = super().forward(x).unbind(0)
            return nn.functional.scaled_dot_product_attention(q, k, v)

    ops = compiled(Attention(*FUSED["all three"]))
    assert ops == ["linear", "split_query_key_value_and_split_heads", "scaled_dot_product_attention"]
