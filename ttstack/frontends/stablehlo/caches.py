"""Caches that calls write to: in StableHLO a value never changes, and who reads the old one later finds it."""

from ttstack.dialects.ttir.builders import ttir
from ttstack.dialects.ttir.destination import destination_place
from ttstack.mlir import func, ir


def keep_old_caches(function: func.FuncOp) -> None:
    """Writes go to a copy of what is read afterwards, or is neither an argument nor what another write gave."""
    ops = [op.operation for op in function.regions[0].blocks[0].operations]
    places = {op: i for i, op in enumerate(ops)}
    for i, op in enumerate(ops):
        if (at := destination_place(op)) is None or not len(op.results):
            continue
        cache = op.operands[at]
        mine = isinstance(cache.owner, ir.Block) or destination_place(cache.owner) is not None
        if not mine or any(places[use.owner.operation] > i for use in cache.uses):
            with ir.InsertionPoint(op), op.location:
                op.operands[at] = ttir.clone(cache)
