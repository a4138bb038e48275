"""Rows of a product where they were before they were put into another order or shape for it."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain

from ttstack.device.layout import same_matrix
from ttstack.dialects.base import attribute_values, definition_of
from ttstack.dialects.ttir.builders import ttir
from ttstack.dialects.types import read_type
from ttstack.mlir import ir
from ttstack.ops.base import Op
from ttstack.ops.matmul import Matmul
from ttstack.passes.base import Pass
from ttstack.passes.rewriting.pattern import apply_patterns
from ttstack.passes.rewriting.prices import Prices
from ttstack.passes.stages import Stage
from ttstack.passes.ttir.queries.movement_chain import MOVES, after, rearrange, way, ways
from ttstack.passes.ttir.queries.rearrangement import Rearrangement


class CommuteRowMovesWithMatmul(Pass, name="commute-row-moves-with-matmul", optional=True, stage=Stage.WEIGHTS):
    """A product with one matrix takes rows as they lay before reshapes and permutations, which its result gets.

    There they meet those that undo them, and sequences of 197 rows stay in tiles of their own. It is done where the
    product and all movements around it are predicted to take less time; a module without a device stays as it is.
    """

    def run(self, module: ir.Module) -> None:
        """Rewrite to a fixpoint."""
        if (prices := Prices.of(module)) is not None:
            keep = partial(_keep, prices=prices)
            apply_patterns(module, [("ttir.matmul", keep), ("ttir.linear", keep)])


@dataclass(frozen=True)
class _Kept:
    """A matmul of rows that were moved, and the matmul of the same rows before the move."""

    source: ir.Value
    arrangement: Rearrangement
    """From the source to the operand of `matmul`."""
    matmul: Matmul
    back: Rearrangement
    """From the result of `matmul` to that of the original matmul."""


def _keep(op: ir.Operation, prices: Prices) -> list[ir.Value] | None:
    product = definition_of(op)
    assert isinstance(product, Matmul)
    if product.b.rank != 2 or product.transpose_a or product.a.rank < 2 or not product.adds_row:
        return None
    for steps, rearrangement in ways(op.operands[0]):
        kept = _kept(product, steps[0].operands[0], rearrangement)
        if kept is None or not _pays(op, product, steps, kept, prices):
            continue
        operand = rearrange(kept.source, kept.arrangement, kept.matmul.a.shape)
        others = list(op.operands)[1:]
        result = ttir.build(product.mnemonic, operand, *others, **attribute_values(type(product), op))
        return [rearrange(result, kept.back, product.results[0].shape)]
    return None


def _kept(product: Matmul, source: ir.Value, rearrangement: Rearrangement) -> _Kept | None:
    """The product with its rows in the order of the source; None where that is how it takes them."""
    rows = list(chain.from_iterable(rearrangement.dims[:-1]))
    order = sorted(rows)
    shape = (*(rearrangement.sizes[atom] for atom in order), product.a.shape[-1])
    if not order or shape == product.a.shape:
        return None
    matmul = replace(product, a=product.a.with_shape(shape))
    arrangement = Rearrangement(rearrangement.sizes, (*((atom,) for atom in order), rearrangement.dims[-1]))
    back = Rearrangement.of(matmul.results[0].shape).permute([*map(order.index, rows), len(order)])
    shaped = back.reshape(product.results[0].shape)
    return None if shaped is None else _Kept(source, arrangement, matmul, shaped)


def _pays(op: ir.Operation, product: Matmul, steps: Sequence[ir.Operation], kept: _Kept, prices: Prices) -> bool:
    """Return True if it takes less time, including the moves that follow; matmuls of the same tiles take the same."""
    following, end = _following(op.results[0], kept.back)
    shared = ((definition_of(step), len(list(step.results[0].uses))) for step in steps)
    now = sum(prices.sum_of([move]) / readers for move, readers in shared) + prices.sum_of(following)
    target = following[-1].results[0] if following else product.results[0]
    kept_ops = [
        *way(read_type(kept.source.type), kept.arrangement, kept.matmul.a.shape),
        *way(kept.matmul.results[0], end, target.shape),
    ]
    if not (same_matrix(product.a, kept.matmul.a) and same_matrix(product.results[0], kept.matmul.results[0])):
        now += prices.sum_of([product])
        kept_ops.append(kept.matmul)
    return prices.sum_of(kept_ops) < now


def _following(value: ir.Value, rearrangement: Rearrangement) -> tuple[list[Op], Rearrangement]:
    """The moves that alone read a value one after the other, and what all of them make of it."""
    ops: list[Op] = []
    while len(uses := list(value.uses)) == 1 and (reader := uses[0].owner.operation).name in MOVES:
        if (moved := after(rearrangement, reader)) is None:
            break
        ops.append(definition_of(reader))
        rearrangement, value = moved, reader.results[0]
    return ops, rearrangement
