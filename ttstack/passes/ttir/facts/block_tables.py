"""Page tables of paged caches, and lookups of all rows of their blocks."""

from dataclasses import dataclass
from math import prod

import numpy as np

from ttstack.dialects.defining_op import defining_op
from ttstack.dialects.ttir.build import elementwise, scalar
from ttstack.dialects.ttir.builders import ttir
from ttstack.dialects.types import read_type
from ttstack.mlir import ir
from ttstack.ops.types import DType
from ttstack.passes.dataflow import Facts
from ttstack.passes.ttir.facts.index_values import Fact, IndexValues


@dataclass(frozen=True)
class BlockTable:
    """Entries that are block numbers."""

    entries: ir.Value
    wrap: int = 0
    """A number to add to negative entries."""

    def write(self) -> ir.Value:
        """Build the block numbers at the position of the entries."""
        table, made_by = self.entries, defining_op(self.entries)
        if not self.wrap:
            return table
        if made_by is not None:
            after = ir.InsertionPoint.after(made_by)
        else:
            after = ir.InsertionPoint.at_block_begin(ir.BlockArgument(table).owner)
        t = read_type(table.type)
        with after, table.location:
            negative = ttir.lt(table, scalar(0, t), result=t.with_dtype(DType.I1))
            return ttir.where(negative, elementwise("add", table, self.wrap, result=t), table)


def block_table(lookup: ir.Operation, cache: tuple[int, ...], facts: Facts[Fact]) -> BlockTable | None:
    """Return the table of a lookup in a cache [blocks, rows, ...] that reads all rows of blocks in order."""
    index, lines = lookup.operands
    blocks, length, *token = cache
    if read_type(lines.type).shape == (blocks, length * prod(token)):
        return BlockTable(index)
    if read_type(lines.type).shape != (blocks * length, prod(token)):
        return None
    indices = facts.about(index)
    if not isinstance(indices, IndexValues) or indices.factor != length:
        return None
    entries, rows = np.divmod(np.arange(indices.positions.size), length)
    in_order = np.array_equal(indices.positions.reshape(-1), entries) and np.array_equal(
        indices.offsets.reshape(-1), rows
    )
    whole = read_type(indices.source.type).size * length == indices.positions.size
    return BlockTable(indices.source, indices.wrap) if in_order and whole else None
