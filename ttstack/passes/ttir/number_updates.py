"""Keep reads before a write apart from reads after it: MLIR takes tensors for values, which never change."""

from ttstack.dialects.python_attributes import plain_attribute
from ttstack.mlir import ir
from ttstack.passes.base import Pass
from ttstack.passes.functions import functions
from ttstack.passes.pattern import EPOCH
from ttstack.passes.ttir.writes import roots, written


class NumberUpdates(Pass, name="number-updates"):
    """Set `tt.epoch` wherever merging two equal ops, or folding one, would give one of them another value."""

    def run(self, module: ir.Module) -> None:
        """Number every function anew."""
        for function in functions(module):
            for block in function.regions[0].blocks:
                _number([op.operation for op in block.operations])


def _number(ops: list[ir.Operation]) -> None:
    """Readers of a buffer get the number of writes before them; what makes one gets a number of its own."""
    changed = {value for op in ops for value in written(op)}
    if not changed:
        return
    buffers = roots(ops)
    changing = {buffers.get(value, value) for value in changed}
    writes = 0
    for i, op in enumerate(ops):
        if any(result in changed or result in changing for result in op.results):
            _set(op, -1 - i)
        elif any(buffers.get(value, value) in changing for value in op.operands):
            _set(op, writes)
        elif EPOCH in op.attributes:
            del op.attributes[EPOCH]
        writes += bool(written(op))


def _set(op: ir.Operation, epoch: int) -> None:
    op.attributes[EPOCH] = plain_attribute(epoch)
