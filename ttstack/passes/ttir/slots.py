"""Places of tokens in caches in pages: slots, which say block and row in one number, and tables of blocks."""

from dataclasses import dataclass

import numpy as np

from ttstack.dialects.base import attribute_values
from ttstack.dialects.defining_op import defining_op
from ttstack.dialects.ttir.builders import ttir
from ttstack.dialects.types import read_type
from ttstack.frontends.conversion.values import elementwise, scalar
from ttstack.mlir import ir
from ttstack.ops.base import OPS
from ttstack.ops.types import DType
from ttstack.passes.ttir.compile_time import elements
from ttstack.passes.ttir.producers import find_producer, with_scalar
from ttstack.passes.ttir.views import VIEWS

_MOST_ROWS = 1 << 12
"""Longer blocks are no pages: the rows of one are computed to be compared."""


def before_views(value: ir.Value) -> ir.Value:
    """The value under the shape in which it was computed; of a buffer too, which is a value here."""
    while (op := defining_op(value, *VIEWS)) is not None:
        value = op.operands[0]
    return value


def replaces(scatter: ir.Operation) -> bool:
    """Whether it puts whole tokens in the place of others."""
    attributes, (base, _, rows) = attribute_values(OPS["scatter"], scatter), scatter.operands
    alike = read_type(base.type).shape[1:] == read_type(rows.type).shape[1:]
    return alike and not attributes["dim"] and attributes.get("scatter_reduce_type", "invalid") == "invalid"


def slot_of_each(index: ir.Value) -> ir.Value | None:
    """A slot for each row, from an index that repeats it for all elements of the row."""
    wide = defining_op(index, "ttir.broadcast")
    lines = read_type(wide.operands[0].type).shape if wide is not None else ()
    if wide is None or any(n != 1 for n in lines[1:]) or lines[:1] != read_type(index.type).shape[:1]:
        return None
    return before_views(wide.operands[0])


def places(slots: ir.Value, length: int) -> tuple[ir.Value, ir.Value]:
    """The block of each slot, and the row in it: what slots are computed from, or what divides them."""
    total = find_producer(slots, "add")
    for block, offset in (total.operands, reversed(total.operands)) if total is not None else ():
        scaled = find_producer(block, "multiply")
        found = scaled and with_scalar(scaled)
        if found is not None and found[1] == length and read_type(found[0].type).shape == read_type(slots.type).shape:
            return found[0], _within(offset)
    t = read_type(slots.type)
    block = elementwise("div", slots, length, result=t)
    return block, elementwise("subtract", slots, elementwise("multiply", block, length, result=t), result=t)


@dataclass(frozen=True)
class BlockTable:
    """Entries of which each is the number of a block, among so many."""

    entries: ir.Value
    blocks: int
    is_wrapped: bool = False
    """Whether negative entries count from the end, and have yet to be made such."""

    def write(self) -> ir.Value:
        """Numbers of blocks, made where the entries are."""
        table, made_by = self.entries, defining_op(self.entries)
        if not self.is_wrapped:
            return table
        block, t = table.owner if made_by is None else made_by.block, read_type(table.type)
        after = ir.InsertionPoint.at_block_begin(block) if made_by is None else ir.InsertionPoint.after(made_by)
        with after, table.location:
            negative = ttir.lt(table, scalar(0, t), result=t.with_dtype(DType.I1))
            return ttir.where(negative, elementwise("add", table, self.blocks, result=t), table)


def block_table(lookup: ir.Operation, cache: tuple[int, ...]) -> BlockTable | None:
    """The blocks of which a lookup in a cache [blocks, rows, ...] takes all rows in order, if it does so."""
    index, lines = lookup.operands
    blocks, length, *token = cache
    if read_type(lines.type).shape == (blocks, length * int(np.prod(token))):
        return BlockTable(index, blocks)
    if read_type(lines.type).shape != (blocks * length, int(np.prod(token))):
        return None
    slots = before_views(index)
    plain = _unwrapped(slots, blocks * length)
    table = _table_of_slots(before_views(plain), length)
    return None if table is None else BlockTable(table, blocks, is_wrapped=plain != slots)


def _table_of_slots(slots: ir.Value, length: int) -> ir.Value | None:
    """Entries whose multiples, and the numbers of all rows after each, are these slots."""
    total = find_producer(slots, "add")
    for block, offset in (total.operands, reversed(total.operands)) if total is not None else ():
        scaled = find_producer(before_views(block), "multiply")
        found, rows = scaled and with_scalar(scaled), read_type(offset.type).shape
        if found is None or found[1] != length or rows[-1:] != (length,) or length > _MOST_ROWS:
            continue
        counted, entries = elements(max_elements=_MOST_ROWS).about(offset), read_type(block.type)
        in_order = counted is not None and np.array_equal(counted.reshape(-1), np.arange(length))
        if in_order and entries.shape[-1:] == (1,) and entries.size * length == read_type(slots.type).size:
            return before_views(found[0])
    return None


def _unwrapped(index: ir.Value, count: int) -> ir.Value:
    """An index before negative ones are counted from the end, as PyTorch has them."""
    chosen = find_producer(index, "where")
    if chosen is None:
        return index
    negative, moved, plain = chosen.operands
    below, added = find_producer(negative, "lt"), find_producer(moved, "add")
    if below is None or added is None or below.operands[0] != plain:
        return index
    return plain if (found := with_scalar(added)) is not None and found == (plain, count) else index


def _within(offset: ir.Value) -> ir.Value:
    """An offset without the choice of another where it is out of bounds, where the source's own program stops."""
    chosen = find_producer(offset, "where")
    both = find_producer(chosen and chosen.operands[0], "logical_and")
    if chosen is None or both is None:
        return offset
    bounds = [find_producer(v, "ge", "lt") for v in both.operands]
    same = all(bound is not None and bound.operands[0] == chosen.operands[1] for bound in bounds)
    return chosen.operands[1] if same else offset
