"""Prefill of paged caches: tokens that fill blocks of a page table in order."""

from dataclasses import dataclass

import numpy as np

from ttstack.mlir import ir
from ttstack.passes.dataflow import Facts
from ttstack.passes.ttir.facts.block_tables import BlockTable
from ttstack.passes.ttir.facts.index_values import Fact, IndexValues


@dataclass(frozen=True)
class PrefillWrites:
    """Tokens that fill blocks from the first row: the same number for each user, whose blocks a table lists."""

    table: BlockTable
    lines: tuple[int, ...]
    """The start of each user's blocks in the table, [..., columns] in row-major order."""
    count: int

    @staticmethod
    def of(slots: ir.Value, length: int, facts: Facts[Fact], *, are_blocks: bool = False) -> "PrefillWrites | None":
        """Read the tokens that consecutive slots, or numbers of full blocks, select; None for other slots."""
        indices = facts.about(slots)
        if (
            not isinstance(indices, IndexValues)
            or indices.factor != (1 if are_blocks else length)
            or not indices.positions.size
        ):
            return None
        entries, rows = indices.positions.reshape(-1), indices.offsets.reshape(-1)
        if are_blocks:
            rows = np.tile(np.arange(length), entries.size) + np.repeat(rows, length)
            entries = np.repeat(entries, length)
        number = np.arange(entries.size)
        follows = (entries == entries[0] + number // length) & (rows == number % length)
        count = entries.size if follows.all() else int(np.argmin(follows))
        if not count or entries.size % count:
            return None
        entries, rows, number = entries.reshape(-1, count), rows.reshape(-1, count), number[:count]
        alike = (entries == entries[:, :1] + number // length).all() and (rows == number % length).all()
        if not alike:
            return None
        return PrefillWrites(
            BlockTable(indices.source, indices.wrap), tuple(int(line) for line in entries[:, 0]), count
        )
