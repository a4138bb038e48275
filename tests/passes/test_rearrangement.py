"""Reshapes and permutations in a row, against NumPy."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ttstack.passes.ttir.queries.rearrangement import Rearrangement


@st.composite
def _shapes(draw: st.DrawFn, size: int) -> tuple[int, ...]:
    """A shape that holds as many elements."""
    shape: list[int] = []
    while size > 1:
        shape.append(draw(st.sampled_from([d for d in range(1, size + 1) if size % d == 0])))
        size //= shape[-1]
    return tuple(shape) or (1,)


@given(st.data())
def test_it_moves_what_numpy_moves(data: st.DataObject):
    size = data.draw(st.sampled_from([1, 6, 24, 36, 210]))
    source = np.arange(size).reshape(data.draw(_shapes(size)))
    array, found = source, Rearrangement.of(source.shape)
    for _ in range(data.draw(st.integers(1, 4))):
        order = tuple(data.draw(st.permutations(range(array.ndim))))
        shape = data.draw(_shapes(size))
        after = found.permute(order).reshape(shape)
        if after is None:
            break
        array, found = array.transpose(order).reshape(shape), after
    assert found.keeps_order == (list(array.ravel()) == list(range(size)))
    if not found.keeps_order:
        cut, axes = found.merge()
        assert np.array_equal(source.reshape(cut).transpose(axes).reshape(array.shape), array)
    if (alone := found.order(source.shape)) is not None:
        assert np.array_equal(source.transpose(alone), array)


def test_an_axis_that_is_no_product_of_parts_is_none():
    assert Rearrangement.of((2, 3)).permute((1, 0)).reshape((2, 3)) is None


@pytest.mark.parametrize("shape", [(4, 6), (1, 4, 1, 6)])
def test_as_few_axes_as_do_it(shape: tuple[int, ...]):
    found = Rearrangement.of(shape).reshape((2, 2, 2, 3))
    assert found is not None
    assert found.permute((2, 3, 0, 1)).merge() == ((4, 6), (1, 0))
    assert math.prod(found.permute((1, 0, 2, 3)).merge()[0]) == 24
    assert found.permute((2, 3, 0, 1)).order(shape) is None


def test_one_permutation_of_the_axes():
    found = Rearrangement.of((2, 1, 3, 5)).permute((2, 1, 3, 0))
    assert found.order((2, 1, 3, 5)) == (2, 1, 3, 0)
