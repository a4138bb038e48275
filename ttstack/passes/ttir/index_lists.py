"""Lists of indices as one, for one lookup of all."""

from collections.abc import Sequence

import numpy as np

from ttstack.dialects.elements import elements_attribute
from ttstack.dialects.ttir.build import reshape_to
from ttstack.dialects.ttir.builders import ttir
from ttstack.dialects.types import read_type
from ttstack.mlir import ir
from ttstack.ops.types import TILE


def join_lists(lists: Sequence[ir.Value]) -> ir.Value:
    """All indices of lists of one length: [1, all], or [lists, 1, each] where they do not fill their tiles."""
    each = read_type(lists[0].type).size
    at = 0 if each % TILE else 1
    lines = [reshape_to(value, (1, each) if at else (1, 1, each)) for value in lists]
    return lines[0] if len(lines) == 1 else ttir.concat(*lines, dim=at)


def add_to_lists(joined: ir.Value, numbers: Sequence[int]) -> ir.Value:
    """The same with a number for each list added to its indices."""
    t = read_type(joined.type)
    alone = t.rank > 2
    values = np.reshape(numbers, (-1, 1, 1)) if alone else np.repeat([numbers], t.size // len(numbers), 1)
    added = t.with_shape(values.shape)
    return ttir.add(joined, ttir.constant(result=added, value=elements_attribute(values, added)))


def look_up(joined: ir.Value, table: ir.Value, lists: int) -> ir.Value:
    """[lists, each, width]: the rows of a table that they pick."""
    t = read_type(joined.type)
    each = (lists, t.size // lists)
    rows = ttir.embedding(joined, table, shape=each if t.rank > 2 else None)
    return reshape_to(rows, (*each, read_type(table.type).shape[-1]))
