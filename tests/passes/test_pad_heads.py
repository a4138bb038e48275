"""Heads of separate matmuls have full tiles where weights take the padding, and values stay."""

import pytest
from torch import Tensor, nn

from tests.passes.checked_ops import checked_ops

WIDTH, TOKENS = 192, 100


class Attention(nn.Module):
    """Attention whose weights are divided by their sum once more, so that it is not an op."""

    def __init__(self, heads: int, *, width: int = WIDTH) -> None:
        super().__init__()
        self.heads = heads
        self.qkv, self.out = nn.Linear(WIDTH, 3 * width), nn.Linear(width, WIDTH)

    def forward(self, x: Tensor) -> Tensor:
        """[samples, tokens, width] to the same."""
        q, k, v = (t.unflatten(-1, (self.heads, -1)).transpose(1, 2) for t in self.qkv(x).chunk(3, -1))
        weights = self.weigh(q * 0.2, k)
        return self.out((weights @ v).transpose(1, 2).flatten(2))

    def weigh(self, q: Tensor, k: Tensor) -> Tensor:
        weights = (q @ k.transpose(-2, -1)).softmax(-1) + 0.01
        return weights / weights.sum(-1, keepdim=True)


class OfNorms(Attention):
    """The same of queries and keys that are normalized in each head."""

    def weigh(self, q: Tensor, k: Tensor) -> Tensor:
        return super().weigh(nn.functional.normalize(q, dim=-1), nn.functional.normalize(k, dim=-1))


def _ops(model: nn.Module, tokens: int = TOKENS, *, without: tuple[str, ...] = ()) -> list[tuple[str, tuple[int, ...]]]:
    return checked_ops(model, (2, tokens, WIDTH), atol=1e-5, without=without)


@pytest.mark.parametrize("heads", [2, 4, 12])
def test_heads_fill_tiles(heads: int):
    width = heads * 48
    ops = _ops(Attention(heads, width=width))
    assert ("concatenate_heads", (2, TOKENS, heads * 64)) in ops
    assert not {"pad", "slice_static"} & {name for name, _ in ops}
    assert "concatenate_heads" not in dict(_ops(Attention(heads, width=width), without=("pad-heads",)))


def test_values_alone_fill_tiles():
    assert ("concatenate_heads", (2, TOKENS, 4 * 64)) in _ops(OfNorms(4))


@pytest.mark.parametrize(
    ("model", "tokens"),
    [(Attention(6), TOKENS), (Attention(1, width=48), TOKENS), (Attention(4), 3)],
    ids=["heads of 32", "one head", "a few tokens"],
)
def test_others_stay(model: nn.Module, tokens: int):
    assert _ops(model, tokens) == _ops(model, tokens, without=("pad-heads",))
