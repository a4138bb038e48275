"""Branches of TOSA: both are computed, as ops have no side effects, and their results are selected."""

from collections.abc import Sequence

from ttstack.dialects.built_ops import insert_before
from ttstack.dialects.op_groups import clone_on
from ttstack.dialects.ttir.builders import ttir
from ttstack.mlir import ir


def choose_results(block: ir.Block) -> None:
    """Replace every `tosa.cond_if` of the block by the ops of both branches, inner ones first."""
    for op in [op.operation for op in block.operations]:
        for inner in (b for region in op.regions for b in region.blocks):
            choose_results(inner)
        if op.name == "tosa.cond_if":
            _choose(op)


def _choose(op: ir.Operation) -> None:
    condition, *inputs = op.operands
    yes, no = (_inline(op, region.blocks[0], inputs) for region in op.regions)
    with insert_before(op):
        chosen = [ttir.where(condition, a, b) for a, b in zip(yes, no, strict=True)]
    for result, value in zip(op.results, chosen, strict=True):
        result.replace_all_uses_with(value)
    op.erase()


def _inline(op: ir.Operation, block: ir.Block, inputs: Sequence[ir.Value]) -> list[ir.Value]:
    """Inline a block before the op, and return its results."""
    values: dict[ir.Value, ir.Value] = dict(zip(block.arguments, inputs, strict=True))
    *ops, last = (nested.operation for nested in block.operations)
    for nested in ops:
        with ir.InsertionPoint(op):
            copy = clone_on(nested, [values.get(operand, operand) for operand in nested.operands])
        values |= dict(zip(nested.results, copy.results, strict=True))
    given: list[ir.Value] = list(last.operands)
    return [values.get(value, value) for value in given]
