"""Attention of steps of training computes no scores that a known mask hides, forward and backward."""

from functools import partial

import pytest
import torch
from torch import Tensor, nn
from torch.nn import functional as F  # noqa: N812

from tests.training.steps import Trained, train

LENGTH = 1024
AT = torch.arange(LENGTH)
Q, K = AT[:, None], AT[None, :]
OF = torch.repeat_interleave(torch.arange(4), torch.tensor([200, 312, 256, 256]))
MASKS = {
    "causal": None,
    "window": (K <= Q) & (K > Q - 120),
    "documents": OF[Q] == OF[K],
    "linear biases": torch.where(K <= Q, 0.01 * (K - Q), -torch.inf)[None, None],
}
KEPT = {"causal": 0.75, "window": 0.45, "documents": 0.35, "linear biases": 0.75}
"""The largest share of products' work that is left."""


class Attention(nn.Module):
    """Attention with weights of queries and keys, two heads of the first for each of the second."""

    def __init__(self, mask: Tensor | None) -> None:
        super().__init__()
        rng = torch.Generator().manual_seed(0)
        self.queries, self.keys = (nn.Parameter(torch.randn(1, h, LENGTH, 32, generator=rng)) for h in (8, 4))
        self.mask = [mask]

    def forward(self, x: Tensor) -> Tensor:
        keys = (self.keys * x).repeat_interleave(2, 1)
        mask = self.mask[0]
        out = F.scaled_dot_product_attention(self.queries * x, keys, keys + x, mask, is_causal=mask is None)
        return out.square().sum()


def _taught(mask: Tensor | None, without: str | None = None) -> Trained:
    optimizer = partial(torch.optim.SGD, lr=0.01)
    return train(Attention(mask), (torch.ones(32),), optimizer, steps=2, without=without)


def _products(trained: Trained) -> float:
    return sum(op.flops for op in trained.program.cost().ops if op.name in ("matmul", "linear"))


@pytest.mark.parametrize("name", MASKS)
def test_values_stay_and_hidden_scores_are_not_computed(name: str):
    cut, whole = _taught(MASKS[name]), _taught(MASKS[name], without="tile-training-attention")
    assert cut.worst <= 1e-5, cut.apart
    assert _products(cut) <= KEPT[name] * _products(whole)
    assert cut.program.cost().total_ns < whole.program.cost().total_ns


def test_a_mask_that_hides_little_cuts_nothing():
    seen = torch.ones(LENGTH, LENGTH, dtype=torch.bool)
    seen[:, 300] = False
    cut, whole = (_taught(seen, without) for without in (None, "tile-training-attention"))
    assert _products(cut) == _products(whole)
