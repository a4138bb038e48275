"""Caches that calls write to: in StableHLO a value never changes, and who reads the old one later finds it."""

from ttstack.dialects.base import definition
from ttstack.dialects.ttir.builders import ttir
from ttstack.mlir import func, ir


def keep_old_caches(function: func.FuncOp) -> None:
    """Writes go to a copy of what is read afterwards, or is neither an argument nor what another write gave."""
    ops = [op.operation for op in function.regions[0].blocks[0].operations]
    places = {op: i for i, op in enumerate(ops)}
    for i, op in enumerate(ops):
        if (at := _written_operand(op)) is None:
            continue
        cache = op.operands[at]
        mine = isinstance(cache.owner, ir.Block) or _written_operand(cache.owner) is not None
        if not mine or any(places[use.owner.operation] > i for use in cache.uses):
            with ir.InsertionPoint(op), op.location:
                op.operands[at] = ttir.clone(cache)


def _written_operand(op: ir.Operation) -> int | None:
    """The operand that the op writes to and gives as its result, which stands before all that can lack."""
    spec = definition(op)
    if spec is None or not spec.mutates or not len(op.results):
        return None
    return list(spec.operand_specs()).index(spec.mutates[0])
