"""FlexAttention: values are PyTorch's, and what its functions say of positions is known before the run."""

from collections.abc import Callable
from functools import partial

import numpy as np
import pytest
import torch
from torch import Tensor, nn
from torch.nn.attention.flex_attention import create_block_mask, flex_attention

import ttstack
from tests.training.steps import train

LENGTH = 512


class Flexible(nn.Module):
    """Attention with a mask function made in `forward`, and a function of scores."""

    def __init__(self, score: Callable[..., Tensor] | None, seen: Callable[..., Tensor] | None) -> None:
        super().__init__()
        self.register_buffer("slopes", torch.tensor([0.5, 0.25, 0.125, 0.0625]))
        self.register_buffer("of", torch.arange(LENGTH) // 200)
        self.score, self.seen = score, seen

    def forward(self, q: Tensor, k: Tensor, v: Tensor) -> Tensor:
        score, seen = self.score, self.seen
        mask = None
        if seen is not None:
            mask = create_block_mask(lambda b, h, i, j: seen(self, b, h, i, j), 1, None, LENGTH, LENGTH, "cpu")
        scored = None if score is None else (lambda x, b, h, i, j: score(self, x, b, h, i, j))
        return flex_attention(q, k, v, score_mod=scored, block_mask=mask, enable_gqa=True)  # pyright: ignore


USERS = 16
"""As many that each core has all blocks of a head, those that see few keys and those that see many."""
CASES = {
    "all": (None, None, None),
    "window": (None, lambda _, b, h, i, j: (i >= j) & (i - j < 20), "20"),
    "documents": (None, lambda m, b, h, i, j: m.of[i] == m.of[j], "0,200:200,400:400..200,200:400,400:512"),
    "a first query that sees nothing": (None, lambda _, b, h, i, j: j < i, "0..q"),
    "heads": (None, lambda _, b, h, i, j: (j <= i) & (j < 32 * (h + 1)), "[1x4] 0..q+1,32:32 | "),
    "linear biases": (
        lambda m, x, b, h, i, j: x - m.slopes[h] * (i - j),
        lambda _, b, h, i, j: i >= j,
        "[1x4] 1*1p15e 1*2p14e",
    ),
    "added before": (lambda m, x, b, h, i, j: m.slopes[h] * j + x, None, None),
    "capped": (lambda _, x, b, h, i, j: 2 * torch.tanh(x / 2), lambda _, b, h, i, j: j < i, None),
}


def _heads() -> tuple[Tensor, Tensor, Tensor]:
    rng = torch.Generator().manual_seed(0)
    return tuple(torch.randn(USERS, h, LENGTH, 16, generator=rng) for h in (4, 2, 2))  # pyright: ignore


@pytest.mark.parametrize("name", CASES)
@pytest.mark.filterwarnings("ignore:flex_attention called without torch.compile")
def test_values_are_those_of_flex_attention_and_masks_are_known(name: str):
    score, seen, said = CASES[name]
    model, heads = Flexible(score, seen).eval(), _heads()
    program = ttstack.compile(model, heads)
    (found,) = program.run({n: x.numpy() for n, x in zip(program.inputs(), heads, strict=True)}).outputs.values()
    np.testing.assert_allclose(found, model(*heads).numpy(), atol=3e-6)
    attributes = [op.attributes for op in program.cost().ops if "attention" in op.name]
    if name == "capped":
        assert attributes == []
    elif said is not None:
        assert str(attributes[0].get("mask_structure", attributes[0].get("sliding_window_size"))).startswith(said)


class Trained(nn.Module):
    """Attention whose queries are trained; PyTorch's own, which has no gradients on processors, is spelled out."""

    def __init__(self, score: Callable[..., Tensor] | None, seen: Callable[..., Tensor]) -> None:
        super().__init__()
        self.attention, self.weight = Flexible(score, seen), nn.Parameter(_heads()[0])

    def forward(self, k: Tensor, v: Tensor) -> Tensor:
        k = k * self.weight[:, :2]
        out = self.attention(self.weight, k, v) if torch.compiler.is_exporting() else self._spelled(k, v)
        return out.square().sum()

    def _spelled(self, k: Tensor, v: Tensor) -> Tensor:
        keys, values = (x.repeat_interleave(2, 1) for x in (k, v))
        b, h, i, j = torch.meshgrid(*map(torch.arange, (USERS, 4, LENGTH, LENGTH)), indexing="ij")
        scores = self.weight @ keys.mT / 4
        if self.attention.score is not None:
            scores = self.attention.score(self.attention, scores, b, h, i, j)
        assert self.attention.seen is not None
        return scores.where(self.attention.seen(self.attention, b, h, i, j), -torch.inf).softmax(-1) @ values


@pytest.mark.parametrize("name", ["documents", "linear biases", "capped"])
def test_it_trains(name: str):
    score, seen, _ = CASES[name]
    seen = CASES["window"][1] if name == "capped" else seen  # each query sees a key
    trained = train(Trained(score, seen), _heads()[1:], partial(torch.optim.SGD, lr=0.1), steps=2)
    assert trained.worst <= 1e-5, trained.apart
