"""Move nothing that need not move: reshapes and permutations in a row, and lookups of rows that follow one another."""

from typing import Any

import numpy as np

from ttstack.dialects.base import describe
from ttstack.dialects.elements import read_elements
from ttstack.dialects.ttir.build import permuted, reshaped, ttir
from ttstack.dialects.types import read_type
from ttstack.mlir import ir
from ttstack.ops.shape import Permutation
from ttstack.passes.base import Pass
from ttstack.passes.pattern import apply_patterns, producer
from ttstack.passes.ttir.rearrangement import Rearrangement
from ttstack.passes.ttir.writes import VIEWS


_PERMUTATIONS = ("ttir.permute", "ttir.transpose")


class FoldMovement(Pass, name="fold-movement"):
    """Reshapes and permutations in a row become as few as do it; a lookup by constants `n, n + 1, ...` a slice."""

    def run(self, module: ir.Module) -> None:
        """Rewrite to a fixpoint."""
        moves = [(name, _movement) for name in (*VIEWS, *_PERMUTATIONS)]
        apply_patterns(module, [("ttir.embedding", _lookup), *moves])


def _movement(op: Any) -> list[ir.Value] | None:
    """A view in place of all that leaves the order as it was; one permutation in fewer steps; views merged."""
    steps = _steps(op)
    source, shape = steps[0].operands[0], read_type(op.results[0].type).shape
    found = None if 0 in shape else _composed(steps)
    if found is not None and found.keeps_order:
        return [reshaped(source, shape)] if len(steps) > 1 or read_type(source.type).shape == shape else None
    if found is not None and all(len(list(step.results[0].uses)) == 1 for step in steps[:-1]):
        cut, order = found.merged()
        views = (cut != read_type(source.type).shape) + (tuple(cut[d] for d in order) != shape)
        if (1, 1 + views) < (sum(step.name in _PERMUTATIONS for step in steps), len(steps)):
            return [reshaped(permuted(reshaped(source, cut), order), shape)]
    if len(steps) > 1 and steps[-1].name in VIEWS and steps[-2].name in VIEWS:
        return [reshaped(steps[-2].operands[0], shape)]
    return None


def _steps(op: Any) -> list[Any]:
    """The reshapes and permutations in a row that end with the op."""
    steps = [op]
    while getattr(before := producer(steps[0].operands[0]), "name", "") in (*VIEWS, *_PERMUTATIONS):
        steps.insert(0, before)
    return steps


def _composed(steps: list[Any]) -> Rearrangement | None:
    found: Rearrangement | None = Rearrangement.of(read_type(steps[0].operands[0].type).shape)
    for step in steps:
        if found is None:
            return None
        if step.name in _PERMUTATIONS:
            permutation = describe(step)
            assert isinstance(permutation, Permutation)
            found = found.permuted(permutation.order)
        else:
            found = found.reshaped(read_type(step.results[0].type).shape)
    return found


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
