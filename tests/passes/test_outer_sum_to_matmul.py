"""Sums of a column and a row that are laid in one dimension become matmuls where that is faster, and values stay."""

from collections.abc import Callable

import pytest
import torch
from torch import Tensor, nn

import ttstack

SIDE, WIDTH = 14, 64
WINDOWS = 50


class Biased(nn.Module):
    """Scores of queries in windows, with biases by height and by width."""

    def __init__(self, bias: "Callable[[Biased, Tensor], Tensor]") -> None:
        super().__init__()
        self.of_height = nn.Parameter(torch.randn(SIDE, WIDTH) / 8)
        self.of_width = nn.Parameter(torch.randn(SIDE, WIDTH) / 8)
        self.bias = bias

    def forward(self, q: Tensor) -> Tensor:
        return self.bias(self, q).view(WINDOWS, SIDE * SIDE, SIDE * SIDE).softmax(-1)


def _ops(bias: Callable[[Biased, Tensor], Tensor]) -> list[tuple[str, tuple[int, ...]]]:
    """The ops and shapes of the program, whose values are PyTorch's."""
    torch.manual_seed(0)
    model, q = Biased(bias).eval(), torch.randn(WINDOWS, SIDE * SIDE, WIDTH)
    program = ttstack.compile(model, (q,))
    (found,) = program.run({"q": q.numpy()}).outputs.values()
    torch.testing.assert_close(torch.from_numpy(found), model(q), rtol=1e-4, atol=1e-5)
    return [(op.name, op.results[0].type.shape) for op in program.cost().ops]


def _outer(columns: Tensor, rows: Tensor) -> Tensor:
    return columns[..., :, None] + rows[..., None, :]


@pytest.mark.parametrize(
    "bias",
    [
        lambda m, q: _outer(q @ m.of_height.T, q @ m.of_width.T),
        lambda m, q: (q @ m.of_width.T)[..., None, :] + (q @ m.of_height.T)[..., :, None],
    ],
    ids=["column first", "row first"],
)
def test_no_tile_is_filled_for_a_row_of_a_sum(bias: Callable[[Biased, Tensor], Tensor]):
    assert not [shape for name, shape in _ops(bias) if name == "add" and shape[-2:] == (SIDE, SIDE)]


@pytest.mark.parametrize(
    "bias",
    [
        lambda m, q: _outer(q[..., :SIDE].exp(), q[..., SIDE : 2 * SIDE]),
        lambda m, q: (q @ m.of_height.T)[..., :, None] * (q @ m.of_width.T)[..., None, :],
    ],
    ids=["of no matmul", "a product"],
)
def test_others_stay(bias: Callable[[Biased, Tensor], Tensor]):
    assert [shape for _, shape in _ops(bias) if shape[-2:] == (SIDE, SIDE)]
