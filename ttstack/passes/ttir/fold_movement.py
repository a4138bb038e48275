"""Move nothing that need not move: views of views, and lookups of rows that follow one another."""

from typing import Any

import numpy as np

from ttstack.dialects.elements import read_elements
from ttstack.dialects.ttir.build import reshaped, ttir
from ttstack.dialects.types import read_type
from ttstack.mlir import ir
from ttstack.passes.base import Pass
from ttstack.passes.pattern import apply_patterns, producer
from ttstack.passes.ttir.writes import VIEWS


class FoldMovement(Pass, name="fold-movement"):
    """A reshape of a reshape becomes one or none; a lookup by constants `n, n + 1, ...` becomes a slice."""

    def run(self, module: ir.Module) -> None:
        """Rewrite to a fixpoint."""
        apply_patterns(module, [("ttir.embedding", _lookup), *((name, _view) for name in VIEWS)])


def _view(op: Any) -> list[ir.Value] | None:
    value, shape = op.operands[0], read_type(op.results[0].type).shape
    before = producer(value)
    if getattr(before, "name", "") in VIEWS:
        return [reshaped(before.operands[0], shape)]
    return [value] if read_type(value.type).shape == shape else None


def _lookup(op: Any) -> list[ir.Value] | None:
    index, table = op.operands
    made_by = producer(index)
    if getattr(made_by, "name", "") != "ttir.constant":
        return None
    rows = read_elements(made_by.attributes["value"]).reshape(-1).astype(np.int64)
    count, width = read_type(table.type).size // read_type(table.type).shape[-1], read_type(table.type).shape[-1]
    if not rows.size or rows[0] < 0 or rows[-1] >= count or (np.diff(rows) != 1).any():
        return None
    matrix, (first, end) = reshaped(table, (count, width)), (int(rows[0]), int(rows[-1]) + 1)
    if (first, end) != (0, count):
        matrix = ttir("slice_static", [matrix], begins=(first, 0), ends=(end, width), step=(1, 1))
    return [reshaped(matrix, read_type(op.results[0].type).shape)]
