"""Moves of whole rows become one lookup where that is faster, and values stay."""

from collections.abc import Callable

import pytest
import torch
from torch import Tensor, nn

import ttstack
from tests.passes.between import Between


def windows(x: Tensor, side: int) -> Tensor:
    batch, height, width, channels = x.shape
    parts = x.view(batch, height // side, side, width // side, side, channels)
    return parts.permute(0, 1, 3, 2, 4, 5).reshape(-1, side * side, channels)


def _ops(moves: Callable[[Tensor], Tensor], *shape: int) -> list[str]:
    """The ops of the program, whose values are PyTorch's."""
    torch.manual_seed(0)
    model, x = Between(moves), torch.randn(*shape)
    program = ttstack.compile(model, (x,), dtype="bf16")
    (found,) = program.run({"x": x.numpy()}).outputs.values()
    torch.testing.assert_close(torch.from_numpy(found), model(x), rtol=5e-2, atol=5e-2)
    return [op.name for op in program.cost().ops]


LOOKED_UP: dict[str, tuple[Callable[[Tensor], Tensor], tuple[int, ...]]] = {
    "windows": (lambda x: windows(x, 8), (1, 64, 64, 96)),
    "shifted windows": (lambda x: windows(torch.roll(x, (-4, -4), (1, 2)), 8), (1, 32, 32, 192)),
    "windows put together": (
        lambda x: x.view(1, 4, 4, 8, 8, 96).permute(0, 1, 3, 2, 4, 5).reshape(1, 1024, 96),
        (16, 64, 96),
    ),
    "rows in another order": (
        lambda x: torch.cat([x[:, 48:], x[:, 16:48], x[:, :16]], 1).reshape(8, 8, 64).transpose(0, 1).reshape(64, 64),
        (1, 64, 64),
    ),
}


@pytest.mark.parametrize("name", LOOKED_UP)
def test_rows_are_looked_up(name: str):
    ops = _ops(*(LOOKED_UP[name][0], *LOOKED_UP[name][1]))
    assert "embedding" in ops
    assert not {"permute", "concat", "slice_static"}.intersection(ops)


@pytest.mark.parametrize(
    ("moves", "shape"),
    [
        (lambda x: x.reshape(64, 8, 8).transpose(1, 2).reshape(64, 64), (64, 64)),
        (lambda x: torch.cat([x[32:], x.exp()[:32]], 0).reshape(8, 8, 64), (64, 64)),
        (lambda x: x.reshape(4, 32, 64).reshape(2, 64, 64), (128, 64)),
        (lambda x: x[32:].reshape(2, 16, 64)[0], (64, 64)),
    ],
    ids=["columns move", "of two values", "nothing moves", "a part in whole tiles"],
)
def test_other_moves_stay(moves: Callable[[Tensor], Tensor], shape: tuple[int, ...]):
    assert "embedding" not in _ops(moves, *shape)


def test_values_of_integers_stay_moves():
    class Integers(nn.Module):
        def forward(self, x: Tensor) -> Tensor:
            return windows(x + 1, 8) * 2

    program = ttstack.compile(Integers(), (torch.zeros(1, 64, 64, 96, dtype=torch.int32),))
    assert "embedding" not in [op.name for op in program.cost().ops]


def test_many_moves_of_one_value_are_looked_at_once():
    def rolled(x: Tensor) -> Tensor:
        for shift in range(1, 25):
            x = torch.roll(x, shift, 1)
        return x

    assert "embedding" in _ops(rolled, 1, 64, 64)


def shuffled(x: Tensor) -> Tensor:
    """Channels in two groups, one of each in turn."""
    return x.reshape(*x.shape[:-1], 2, -1).transpose(-1, -2).reshape(x.shape)


GATHERED: dict[str, tuple[Callable[[Tensor], Tensor], tuple[int, ...]]] = {
    "shuffled channels": (shuffled, (196, 232)),
    "halves that change places": (
        lambda x: torch.cat([x[:, 48:], x[:, :48]], -1).reshape(64, 4, 24).transpose(1, 2).reshape(64, 96),
        (64, 96),
    ),
}


@pytest.mark.parametrize("name", GATHERED)
def test_columns_are_gathered_by_a_matmul(name: str):
    ops = _ops(*(GATHERED[name][0], *GATHERED[name][1]))
    assert "matmul" in ops
    assert not {"permute", "concat", "slice_static"}.intersection(ops)


def test_columns_in_f32_stay_moved():
    program = ttstack.compile(Between(shuffled), (torch.randn(196, 232),), dtype="f32")
    assert "matmul" not in [op.name for op in program.cost().ops]
