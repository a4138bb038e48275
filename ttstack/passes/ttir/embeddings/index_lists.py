"""Lists of indices as one, for one lookup of all."""

from collections.abc import Sequence

import numpy as np

from ttstack.dialects.elements import elements_attribute
from ttstack.dialects.ttir.build import reshape_to
from ttstack.dialects.ttir.builders import ttir
from ttstack.dialects.types import read_type
from ttstack.mlir import ir


def join_lists(lists: Sequence[ir.Value]) -> ir.Value:
    """[lists, each]: the indices of lists of one length, below one another as rows."""
    each = read_type(lists[0].type).size
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
