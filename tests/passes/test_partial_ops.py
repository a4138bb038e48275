"""Ops on a part of a tensor become ops on all of it, with operands that leave the rest as it is."""

from collections.abc import Callable

import pytest
import torch
from torch import Tensor, nn

import ttstack

ROWS, WIDTH = 65, 64


def turn(x: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
    first, second = x.chunk(2, -1)
    return x * cos + torch.cat([-second, first], -1) * sin


class Partial(nn.Module):
    """A function of some rows of each head, and what it is given beside them."""

    cos: Tensor
    sin: Tensor

    def __init__(self, forward: "Callable[[Partial, Tensor], Tensor]") -> None:
        super().__init__()
        angles = torch.outer(torch.arange(ROWS - 1.0), 0.9 ** torch.arange(WIDTH / 2)).repeat(1, 2)
        self.register_buffer("cos", angles.cos())
        self.register_buffer("sin", angles.sin())
        self.table = nn.Parameter(torch.randn(ROWS - 1, WIDTH))
        self.of = forward

    def forward(self, x: Tensor) -> Tensor:
        return self.of(self, x)


WHOLE: dict[str, tuple[Callable[[Partial, Tensor], Tensor], str]] = {
    "rotary but of the first row": (
        lambda m, x: torch.cat([x[:, :, :1], turn(x[:, :, 1:], m.cos, m.sin)], 2),
        "rotary_embedding",
    ),
    "rotary but of the last rows": (
        lambda m, x: torch.cat([turn(x[:, :, :32], m.cos[:32], m.sin[:32]), x[:, :, 32:]], 2),
        "rotary_embedding",
    ),
    "positions of all tokens but the first": (
        lambda m, x: torch.cat([x[:, :, :1], x[:, :, 1:] + m.table], 2),
        "add",
    ),
    "a factor of some columns": (
        lambda m, x: torch.cat([x[..., :16], x[..., 16:48] * m.table[:1, :32], x[..., 48:]], -1),
        "multiply",
    ),
}


def _compiled(of: Callable[[Partial, Tensor], Tensor]) -> list[str]:
    """The ops of the program, whose values are PyTorch's."""
    torch.manual_seed(0)
    model, x = Partial(of).eval(), torch.randn(1, 3, ROWS, WIDTH)
    program = ttstack.compile(model, (x,))
    (found,) = program.run({"x": x.numpy()}).outputs.values()
    torch.testing.assert_close(torch.from_numpy(found), model(x), rtol=1e-5, atol=1e-5)
    return [op.name for op in program.cost().ops]


@pytest.mark.parametrize("name", WHOLE)
def test_nothing_is_cut_and_joined(name: str):
    of, op = WHOLE[name]
    ops = _compiled(of)
    assert op in ops
    assert not {"slice_static", "concat"}.intersection(ops)


@pytest.mark.parametrize(
    "of",
    [
        lambda m, x: torch.cat([x[:, :, :1], x[:, :, 1:] + x[:, :, :-1]], 2),
        lambda m, x: torch.cat([x[:, :, 1:2], x[:, :, 1:] + m.table], 2),
        lambda m, x: torch.cat([x[:, :, :1].exp(), x[:, :, 1:] + m.table], 2),
    ],
    ids=["what is added is computed", "rows are left out", "the rest is computed"],
)
def test_other_parts_stay_parts(of: Callable[[Partial, Tensor], Tensor]):
    assert "concat" in _compiled(of)
