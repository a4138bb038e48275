"""A few graphs of the campaign of random moves, with rewrites and without."""

import pytest

from benchmarks.random_moves.check import check_moves
from benchmarks.random_moves.draw import draw_moves


@pytest.mark.parametrize("number", [2, 12, 54, 136])
def test_values_are_equal(number: int) -> None:
    graph = draw_moves(1, number)
    found = check_moves(graph, number)
    assert not found.faults, graph
    assert found.applied
