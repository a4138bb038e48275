"""Lists of indices, concatenated for a single lookup."""

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
"""Slices of values with more dimensions are concatenated one by one."""


def join_lists(lists: Sequence[ir.Value]) -> ir.Value:
    """Stack indices of lists of one length: [lists, each].

    Lists that are all the slices of one value become that value, permuted.
    """
    each = read_type(lists[0].type).size
    if (whole := _moved_whole(lists)) is not None:
        return reshape_to(whole, (len(lists), each))
    rows = [reshape_to(value, (1, each)) for value in lists]
    return rows[0] if len(rows) == 1 else ttir.concat(*rows, dim=0)


def add_to_lists(joined: ir.Value, numbers: Sequence[int]) -> ir.Value:
    """Add a number to the indices of each list."""
    t = read_type(joined.type)
    values = np.repeat(np.reshape(numbers, (-1, 1)), t.shape[1], 1)
    return ttir.add(joined, ttir.constant(result=t, value=elements_attribute(values, t)))


def look_up(joined: ir.Value, table: ir.Value) -> ir.Value:
    """Look up the rows of a table: [lists, each, width]."""
    t = read_type(joined.type)
    return ttir.embedding(joined, table, shape=t.shape)


def _moved_whole(lists: Sequence[ir.Value]) -> ir.Value | None:
    """Return the permutation of one value that is the concatenation of all lists."""
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
    """Return the value that a value is a permuted slice of, and the position of each element in it."""
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
