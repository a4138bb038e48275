"""Predictions of drawn ops keep to physics, under each placement and on faster devices."""

from random import Random

import pytest

from benchmarks.physics import KINDS, Growth, check, draw


@pytest.mark.parametrize("seed", range(6))
def test_drawn_ops_keep_to_physics(seed: int):
    assert not [f for f in check(draw(Random(seed)), steps=2) if not f.why]


def test_an_op_that_grows_in_whole_blocks_takes_longer():
    growth = Growth("matmul", {"m": 256, "k": 1024, "n": 512}, "k")
    assert not [*check(growth, steps=3, placements=("greedy",))]


def test_every_kind_of_op_is_drawn():
    rng = Random(0)
    assert {draw(rng).kind for _ in range(400)} == KINDS.keys()
