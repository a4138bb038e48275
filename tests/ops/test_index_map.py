"""Maps of elements to other places, against NumPy."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.ops.moves import index_maps
from ttstack.ops.index_map import IndexMap

SHAPES = st.lists(st.sampled_from((1, 2, 3, 4, 6)), max_size=4).map(tuple)


@st.composite
def _shapes(draw: st.DrawFn, size: int) -> tuple[int, ...]:
    """A shape that holds as many elements."""
    shape: list[int] = []
    while size > 1:
        shape.append(draw(st.sampled_from([d for d in range(1, size + 1) if size % d == 0])))
        size //= shape[-1]
    return tuple(shape)


@given(st.data())
def test_it_moves_what_numpy_moves(data: st.DataObject):
    source = np.arange(np.prod(shape := data.draw(SHAPES), dtype=int)).reshape(shape)
    moved, array = IndexMap.identity(shape), source
    for _ in range(data.draw(st.integers(1, 4))):
        order, new = data.draw(st.permutations(range(array.ndim))), data.draw(_shapes(source.size))
        if (after := moved.permute(order).reshape(new)) is None:
            break
        moved, array = after, array.transpose(order).reshape(new)
    np.testing.assert_array_equal(moved.move(source), array)
    np.testing.assert_array_equal(moved.inverse.move(array), source)
    assert moved.keeps_order == np.array_equal(array.ravel(), source.ravel())
    if moved.order is not None:
        np.testing.assert_array_equal(source.transpose(moved.order), array)


@given(st.data())
def test_maps_compose(data: st.DataObject):
    first = data.draw(SHAPES.flatmap(index_maps))
    second = data.draw(index_maps(first.shape))
    source = np.arange(np.prod(first.source, dtype=int)).reshape(first.source)
    if (both := first.then(second)) is not None:
        np.testing.assert_array_equal(both.move(source), second.move(first.move(source)))
    back = first.then(first.inverse)
    assert back is not None
    assert back.is_identity


@pytest.mark.parametrize("shape", [(4, 6), (1, 4, 1, 6)])
def test_as_few_axes_as_do_it(shape: tuple[int, ...]):
    moved = IndexMap.identity(shape).reshape((2, 2, 2, 3))
    assert moved is not None
    assert moved.permute((2, 3, 0, 1)).as_permute == ((4, 6), (1, 0))


@given(st.data())
def test_a_resized_part_moves_what_is_left_of_it(data: st.DataObject):
    moved = data.draw(SHAPES.flatmap(index_maps).filter(lambda by: by.parts))
    part = data.draw(st.sampled_from(moved.parts))
    extent = data.draw(st.integers(1, part.extent))
    resized = moved.resize(part, extent)
    source = np.arange(np.prod(moved.source, dtype=int)).reshape(moved.source)
    is_left = np.arange(moved.source[part.axis]) // part.stride % part.extent < extent
    left = np.compress(is_left, source, axis=part.axis)
    in_place = np.isin(moved.move(source), left)
    np.testing.assert_array_equal(resized.move(left).ravel(), moved.move(source)[in_place])


def test_an_order_leaves_unit_dimensions_where_they_are():
    assert IndexMap.identity((2, 1, 3, 5)).permute((2, 1, 3, 0)).order == (2, 1, 3, 0)


def test_a_map_that_cuts_an_axis_has_no_order():
    moved = IndexMap.identity((4, 6)).reshape((2, 2, 2, 3))
    assert moved is not None
    assert moved.permute((2, 3, 0, 1)).order is None


def test_maps_that_move_alike_are_equal():
    apart = IndexMap.identity((4, 6)).reshape((2, 2, 6))
    assert apart is not None
    assert apart.reshape((4, 6)) == IndexMap.identity((4, 6))


def test_a_part_that_a_reshape_ends_inside_of_is_none():
    assert IndexMap.identity((2, 3)).permute((1, 0)).reshape((2, 3)) is None


def test_it_is_written_as_parts_of_axes():
    moved = IndexMap.identity((4, 6)).reshape((4, 2, 3))
    assert moved is not None
    assert str(moved.permute((1, 0, 2))) == "4x6 -> 1/3%2 0/1%4 1/1%3"
