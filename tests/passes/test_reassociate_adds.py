"""Sums between two reshapes are added outside of these where that keeps elements in their tiles, and values stay."""

from collections.abc import Callable, Sequence

import pytest
import torch
from torch import Tensor, nn

import ttstack

HEADS, SIDE, WIDTH = 2, 10, 64
TOKENS = SIDE * SIDE
Bias = Callable[[Tensor], Tensor]


class Scores(nn.Module):
    """Scores of queries and keys of an image, which are biased in a shape that has its height and width."""

    def __init__(self, shape: tuple[int, ...], bias: Bias) -> None:
        super().__init__()
        self.table = nn.Parameter(torch.randn(SIDE, WIDTH) / 8)
        self.shape, self.bias = shape, bias

    def forward(self, q: Tensor, k: Tensor) -> Tensor:
        scores = (q @ k.transpose(-2, -1)).view(self.shape)
        return (scores + self.bias(q @ self.table.T)).view(1, HEADS, TOKENS, TOKENS).softmax(-1)


def _ops(model: nn.Module, *, without: Sequence[str] = ()) -> list[tuple[str, tuple[int, ...]]]:
    """The ops and shapes of the program, whose values are PyTorch's."""
    torch.manual_seed(0)
    q, k = torch.randn(2, 1, HEADS, TOKENS, WIDTH)
    program = ttstack.compile(model.eval(), (q, k), without=without)
    (result,) = program.run({"q": q.numpy(), "k": k.numpy()}).outputs.values()
    torch.testing.assert_close(torch.from_numpy(result), model(q, k), rtol=1e-4, atol=1e-5)
    return [(op.name, op.results[0].type.shape) for op in program.cost().ops]


def _has_full_reshape(ops: list[tuple[str, tuple[int, ...]]]) -> bool:
    return any(name == "reshape" and torch.Size(shape).numel() == HEADS * TOKENS**2 for name, shape in ops)


BY_SIDES = (1, HEADS, SIDE, SIDE, SIDE, SIDE)


def _both(b: Tensor) -> Tensor:
    by_side = b.view(1, HEADS, SIDE, SIDE, SIDE)
    return by_side[..., :, None] + by_side.transpose(2, 3)[..., None, :]


@pytest.mark.parametrize("spelling", ["one sum", "one after the other"])
def test_scores_keep_a_row_for_each_query(spelling: str):
    model = Scores(BY_SIDES, _both)
    if spelling == "one after the other":

        class Twice(Scores):
            def forward(self, q: Tensor, k: Tensor) -> Tensor:
                b = (q @ self.table.T).view(1, HEADS, SIDE, SIDE, SIDE)
                scores = (q @ k.transpose(-2, -1)).view(BY_SIDES)
                scores = b.transpose(2, 3)[..., None, :] + (scores + b[..., :, None])
                return scores.reshape(1, HEADS, TOKENS, TOKENS).softmax(-1)

        model = Twice(BY_SIDES, _both)
    assert not _has_full_reshape(_ops(model))
    assert _has_full_reshape(_ops(model, without=["reassociate-adds"]))


@pytest.mark.parametrize(
    "bias",
    [
        lambda b: b.view(1, HEADS, SIDE, SIDE, 1, SIDE),
        lambda b: b.view(1, HEADS, SIDE, SIDE, SIDE, 1),
        lambda b: b.view(1, HEADS, SIDE, SIDE, SIDE, 1)[:, :1],
        lambda b: b.mean((0, 1, 2)).view(SIDE, 1),
        lambda b: b.view(1, HEADS, SIDE, SIDE, SIDE, 1)[:, :, :1, :, :1],
        lambda b: b.mean((0, 1, 2, 3)),
    ],
    ids=["of width", "of height", "of all heads", "of no query", "of rows", "a number"],
)
def test_a_bias_is_repeated_where_dimensions_are_joined(bias: Bias):
    _ops(Scores(BY_SIDES, bias))


def test_reshapes_of_whole_tiles_stay():
    shape = (HEADS, 1, TOKENS, TOKENS)
    model = Scores(shape, lambda b: b.mean(-1, keepdim=True).view(HEADS, 1, TOKENS, 1))
    assert _ops(model) == _ops(model, without=["reassociate-adds"])


def test_what_else_reads_a_sum_keeps_it():
    class Shared(Scores):
        def forward(self, q: Tensor, k: Tensor) -> Tensor:
            scores = (q @ k.transpose(-2, -1)).view(self.shape) + self.bias(q @ self.table.T)
            return scores.view(1, HEADS, TOKENS, TOKENS).softmax(-1) * scores.amax((-1, -2)).mean()

    assert _has_full_reshape(_ops(Shared(BY_SIDES, _both)))
