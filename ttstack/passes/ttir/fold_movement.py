"""Move nothing that need not move: reshapes and permutations in a row, and lookups of rows that follow one another."""

from collections.abc import Sequence
from functools import partial

import numpy as np

from ttstack.device.kernel_class import is_view
from ttstack.dialects.base import describe
from ttstack.dialects.elements import read_elements
from ttstack.dialects.ttir.build import permute_dims, reshape_to
from ttstack.dialects.ttir.builders import ttir
from ttstack.dialects.types import read_type
from ttstack.mlir import ir
from ttstack.ops.base import OPS, Op
from ttstack.ops.movement import Permutation
from ttstack.passes.base import Pass
from ttstack.passes.pattern import apply_patterns
from ttstack.passes.ttir.price import Prices
from ttstack.passes.ttir.producers import find_producer
from ttstack.passes.ttir.shape_chains import MOVES, rearrange, way, ways


class FoldMovement(Pass, name="fold-movement"):
    """Reshapes and permutations in a row become as few as do it; a lookup by constants `n, n + 1, ...` a slice.

    Of several ways to the same, that with the least predicted time is taken, where the module carries a device.
    """

    def run(self, module: ir.Module) -> None:
        """Rewrite to a fixpoint."""
        move = partial(_movement, prices=Prices.of(module))
        apply_patterns(module, [("ttir.embedding", _lookup), *((name, move) for name in MOVES)])


def _movement(op: ir.Operation, prices: Prices | None) -> list[ir.Value] | None:
    """A view in place of all that leaves the order as it was; a cheaper way to what is moved; views merged."""
    shape = read_type(op.results[0].type).shape
    for steps, found in ways(op.results[0]):
        source = steps[0].operands[0]
        if found.keeps_order:
            return [reshape_to(source, shape)] if len(steps) > 1 or read_type(source.type).shape == shape else None
        if any(len(list(step.results[0].uses)) > 1 for step in steps[:-1]):
            continue
        t, now = read_type(source.type), _burden([describe(step) for step in steps], prices)
        by_parts, order = _burden(way(t, found, shape), prices), found.order(t.shape)
        if order is not None and _burden([OPS["permute"].on([t], {"permutation": order})], prices) < min(now, by_parts):
            return [permute_dims(source, order)]
        if by_parts < now:
            return [rearrange(source, found, shape)]
    return None


def _burden(ops: Sequence[Op], prices: Prices | None) -> tuple[float, int, int]:
    """Predicted time, or without a device moves between tiles by permutations; then ops that move anything, and all."""
    moving = [op for op in ops if not is_view(op)]
    across = sum(isinstance(op, Permutation) and op.nest is None for op in moving)
    return across if prices is None else prices.total(moving), len(moving), len(ops)


def _lookup(op: ir.Operation) -> list[ir.Value] | None:
    index, table = op.operands
    if (made_by := find_producer(index, "constant")) is None:
        return None
    rows = read_elements(made_by.attributes["value"]).reshape(-1).astype(np.int64)
    count, width = read_type(table.type).size // read_type(table.type).shape[-1], read_type(table.type).shape[-1]
    if not rows.size or rows[0] < 0 or rows[-1] >= count or (np.diff(rows) != 1).any():
        return None
    matrix, (first, end) = reshape_to(table, (count, width)), (int(rows[0]), int(rows[-1]) + 1)
    if (first, end) != (0, count):
        matrix = ttir.slice_static(matrix, begins=(first, 0), ends=(end, width), step=(1, 1))
    return [reshape_to(matrix, read_type(op.results[0].type).shape)]
