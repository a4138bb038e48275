"""Linear attention of narrow heads works on columns of all heads, and values stay."""

from collections.abc import Callable

import pytest
from torch import Tensor, nn

from tests.passes.checked_ops import checked_ops

TOKENS, WIDTH = 100, 96
NAME = "linear-attention-by-columns"


class LinearAttention(nn.Module):
    """Queries meet the sum over tokens of the outer products of keys and values."""

    def __init__(self, heads: int = 4, keys: Callable[[Tensor], Tensor] | None = None, width: int = WIDTH) -> None:
        super().__init__()
        self.heads, self.keys = heads, keys
        self.qkv, self.out = nn.Linear(WIDTH, 3 * width), nn.Linear(width, WIDTH)

    def forward(self, x: Tensor) -> Tensor:
        """[samples, tokens, width] to the same."""
        q, k, v = (t.unflatten(-1, (self.heads, -1)).transpose(1, 2) for t in self.qkv(x).chunk(3, -1))
        return self.out(self.attend(q, k if self.keys is None else self.keys(k), v).transpose(1, 2).flatten(2))

    def attend(self, q: Tensor, k: Tensor, v: Tensor) -> Tensor:
        return q @ (k.transpose(-2, -1) @ v)


class Shared(LinearAttention):
    """The outer products are read twice."""

    def attend(self, q: Tensor, k: Tensor, v: Tensor) -> Tensor:
        products = k.transpose(-2, -1) @ v
        return q @ products * products.mean((-2, -1), keepdim=True)


class Scores(LinearAttention):
    """Scores of queries and keys come first."""

    def attend(self, q: Tensor, k: Tensor, v: Tensor) -> Tensor:
        return (q @ k.transpose(-2, -1)) @ v


def _ops(model: nn.Module, tokens: int = TOKENS, *, without: tuple[str, ...] = ()) -> list[tuple[str, tuple[int, ...]]]:
    return checked_ops(model, (2, tokens, WIDTH), atol=1e-4, without=without)


@pytest.mark.parametrize("heads", [2, 4, 12])
@pytest.mark.parametrize(
    "keys", [None, lambda k: k.softmax(-2), lambda k: k.softmax(2) * 0.3], ids=["keys", "softmax", "scaled softmax"]
)
def test_heads_are_columns(heads: int, keys: Callable[[Tensor], Tensor] | None):
    ops = _ops(LinearAttention(heads, keys))
    assert ("matmul", (2, WIDTH, WIDTH)) in ops
    assert all(len(shape) < 4 or shape[1] == 1 for _, shape in ops)
    assert not {"reshape", "permute"} & {name for name, _ in ops}


@pytest.mark.parametrize(
    "model",
    [
        LinearAttention(4, width=128),
        LinearAttention(1, width=24),
        LinearAttention(4, keys=lambda k: k.softmax(-1)),
        LinearAttention(4, keys=lambda k: k.cumsum(1)),
        Shared(),
        Scores(),
    ],
    ids=["full tiles", "one head", "softmax of elements", "heads that meet", "outer products", "scores"],
)
def test_others_stay(model: nn.Module):
    assert _ops(model) == _ops(model, without=(NAME,))


def test_a_few_tokens_stay():
    model = LinearAttention()
    assert _ops(model, 3) == _ops(model, 3, without=(NAME,))
