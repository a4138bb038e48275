"""Moves that are undone after a part was cut out between them are gone."""

from collections.abc import Callable

import pytest
import torch
from torch import Tensor

import ttstack
from tests.passes.between import Between


def _ops(moves: Callable[[Tensor], Tensor]) -> list[str]:
    """The ops of the program, whose values are PyTorch's."""
    torch.manual_seed(0)
    model, x = Between(moves), torch.randn(1, 196, 64)
    program = ttstack.compile(model, (x,))
    (found,) = program.run({"x": x.numpy()}).outputs.values()
    torch.testing.assert_close(torch.from_numpy(found), model(x), rtol=1e-5, atol=1e-5)
    return [op.name for op in program.cost().ops]


CANCELLED: dict[str, Callable[[Tensor], Tensor]] = {
    "a permutation": lambda x: x.transpose(1, 2)[:, :32].transpose(1, 2),
    "a reshape": lambda x: x.view(1, 14, 14, 64)[..., 32:].reshape(1, 196, 32),
    "channels of an image": lambda x: (
        x.view(1, 14, 14, 64).permute(0, 3, 1, 2)[:, :32].permute(0, 2, 3, 1).reshape(1, 196, 32)
    ),
    "every second channel": lambda x: x.transpose(1, 2)[:, ::2].transpose(1, 2),
}


@pytest.mark.parametrize("name", CANCELLED)
def test_a_part_alone_is_cut(name: str):
    ops = _ops(CANCELLED[name])
    assert not {"permute", "transpose", "reshape"}.intersection(ops)
    assert "slice_static" in ops


@pytest.mark.parametrize(
    "moves",
    [
        lambda x: x.view(1, 14, 14, 64)[:, 3:].reshape(1, 154, 64).transpose(1, 2),
        lambda x: x.view(1, 14, 14, 64).permute(0, 3, 1, 2)[:, :, 3:].permute(0, 2, 1, 3),
        lambda x: x.view(1, 14, 14, 64)[:, :, 2:].reshape(1, 168, 64),
    ],
    ids=["another order", "another permutation", "of a dimension that is joined"],
)
def test_values_of_other_moves_stay(moves: Callable[[Tensor], Tensor]):
    assert {"permute", "transpose", "reshape", "slice_static", "embedding"}.intersection(_ops(moves))
