"""Permutations that move the last dimension, as two that are faster together."""

import itertools

import numpy as np
import pytest
import torch

import ttstack
from tests.passes.between import Between
from ttstack.passes.ttir.movement.split_permute import rows_and_transpose


@pytest.mark.parametrize("rank", [2, 3, 4])
def test_two_permutations_are_one(rank: int):
    x = np.arange(np.prod(range(2, 2 + rank))).reshape(range(2, 2 + rank))
    for order in itertools.permutations(range(rank)):
        for first, then in rows_and_transpose(order):
            np.testing.assert_array_equal(x.transpose(first).transpose(then), x.transpose(order))
            assert (first[-1] == rank - 1) != (then[-1] == rank - 1)


@pytest.mark.parametrize(
    ("shape", "order", "orders"),
    [
        ((1, 3, 224, 224), (0, 2, 3, 1), [[0, 2, 1, 3], [0, 1, 3, 2]]),
        ((2, 3, 64, 96), (0, 2, 1, 3), [[0, 2, 1, 3]]),
        ((2, 3, 64, 96), (0, 1, 3, 2), [[0, 1, 3, 2]]),
    ],
    ids=["an image with channels first", "rows alone", "a transpose"],
)
def test_what_is_split(shape: tuple[int, ...], order: tuple[int, ...], orders: list[list[int]]):
    model, x = Between(lambda x: x.permute(order)), torch.randn(shape)
    program, whole = (ttstack.compile(model, (x,), dtype="bf16", without=w) for w in (None, "split-permute"))
    found = [list(op.attributes["permutation"]) for op in program.cost().ops if op.name == "permute"]
    assert found == orders
    assert (program.cost().total_ns < whole.cost().total_ns) == (len(orders) > 1)
    (y,) = program.run({"x": x.numpy()}).outputs.values()
    torch.testing.assert_close(torch.from_numpy(y), model(x), rtol=5e-2, atol=5e-2)
