"""Moves of elements, drawn."""

import math
from collections.abc import Sequence

from hypothesis import strategies as st

from ttstack.ops.index_map import IndexMap


@st.composite
def index_maps(draw: st.DrawFn, shape: Sequence[int]) -> IndexMap:
    """Permutations, and dimensions that are cut or joined, one after the other."""
    moved = IndexMap.identity(shape)
    for _ in range(draw(st.integers(1, 4))):
        rank = len(moved.shape)
        kind = draw(st.sampled_from(("permute", "cut", "join")))
        if kind == "permute":
            moved = moved.permute(draw(st.permutations(range(rank))))
        elif kind == "cut" and rank:
            dim = draw(st.integers(0, rank - 1))
            extent = moved.shape[dim]
            part = draw(st.sampled_from([n for n in range(1, extent + 1) if extent % n == 0] or [1]))
            moved = _reshaped(moved, (*moved.shape[:dim], part, extent // part, *moved.shape[dim + 1 :]))
        elif kind == "join" and rank > 1:
            dim = draw(st.integers(0, rank - 2))
            moved = _reshaped(
                moved, (*moved.shape[:dim], math.prod(moved.shape[dim : dim + 2]), *moved.shape[dim + 2 :])
            )
    return moved


def _reshaped(moved: IndexMap, shape: tuple[int, ...]) -> IndexMap:
    return moved.reshape(shape) or moved
