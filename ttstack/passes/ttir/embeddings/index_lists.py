"""Lists of indices as one, for one lookup of all."""

from collections.abc import Sequence
from itertools import permutations
from typing import Any

import numpy as np

from ttstack.dialects.base import definition_of
from ttstack.dialects.elements import elements_attribute
from ttstack.dialects.ttir.build import permute_dims, reshape_to
from ttstack.dialects.ttir.builders import ttir
from ttstack.dialects.ttir.destination import pure_producer
from ttstack.dialects.types import read_type
from ttstack.mlir import ir
from ttstack.ops.indexing import SliceStatic
from ttstack.ops.movement import Permutation
from ttstack.passes.ttir.queries.movement_chain import MOVES

Places = np.ndarray[Any, np.dtype[np.int64]]

_MOST_DIMS = 4
"""Parts of values with more dimensions are joined one by one."""


def join_lists(lists: Sequence[ir.Value]) -> ir.Value:
    """[lists, each]: the indices of lists of one length, below one another as rows.

    Lists that are parts of one value, and all of it, are that value, moved.
    """
    each = read_type(lists[0].type).size
    if (whole := _moved_whole(lists)) is not None:
        return reshape_to(whole, (len(lists), each))
    rows = [reshape_to(value, (1, each)) for value in lists]
    return rows[0] if len(rows) == 1 else ttir.concat(*rows, dim=0)


def add_to_lists(joined: ir.Value, numbers: Sequence[int]) -> ir.Value:
    """The same with a number for each list added to its indices."""
    t = read_type(joined.type)
    values = np.repeat(np.reshape(numbers, (-1, 1)), t.shape[1], 1)
    return ttir.add(joined, ttir.constant(result=t, value=elements_attribute(values, t)))


def look_up(joined: ir.Value, table: ir.Value) -> ir.Value:
    """[lists, each, width]: the rows of a table that they pick."""
    t = read_type(joined.type)
    return ttir.embedding(joined, table, shape=t.shape)


def _moved_whole(lists: Sequence[ir.Value]) -> ir.Value | None:
    """The permutation of one value whose elements are those of all lists, one after the other."""
    found = [_parts(value) for value in lists]
    sources = {source for source, _ in found}
    source = sources.pop()
    shape = read_type(source.type).shape
    if sources or len(lists) == 1 or len(shape) > _MOST_DIMS:
        return None
    places = np.concatenate([part.ravel() for _, part in found])
    numbers = np.arange(read_type(source.type).size).reshape(shape)
    for order in permutations(range(len(shape))) if places.size == numbers.size else ():
        if np.array_equal(numbers.transpose(order).ravel(), places):
            return permute_dims(source, order)
    return None


def _parts(value: ir.Value) -> tuple[ir.Value, Places]:
    """What a value is a part of, moved, and the place there of each element."""
    op = pure_producer(value, *MOVES, "ttir.slice_static")
    if op is None:
        t = read_type(value.type)
        return value, np.arange(t.size).reshape(t.shape)
    (source, places), described = _parts(op.operands[0]), definition_of(op)
    match described:
        case Permutation():
            return source, places.transpose(described.order)
        case SliceStatic():
            bounds = zip(described.begins, described.ends, described.step, strict=True)
            return source, places[tuple(slice(*bound) for bound in bounds)]
        case _:
            return source, places.reshape(described.results[0].shape)
