"""Keep reads before a write apart from reads after it: MLIR takes tensors for values, which never change."""

from typing import Any

from ttstack.dialects.base import definition, operands_by_place
from ttstack.dialects.plain import plain_attribute
from ttstack.mlir import ir
from ttstack.ops.base import OPS
from ttstack.passes.base import Pass
from ttstack.passes.functions import functions
from ttstack.passes.pattern import EPOCH

_VIEWS = tuple(f"ttir.{name}" for name, spec in OPS.items() if spec.keeps_order)


class NumberUpdates(Pass, name="number-updates"):
    """Set `tt.epoch` wherever merging two equal ops, or folding one, would give one of them another value."""

    def run(self, module: ir.Module) -> None:
        """Number every function anew."""
        for function in functions(module):
            for block in function.regions[0].blocks:
                _number([op.operation for op in block.operations])


def _number(ops: list[Any]) -> None:
    """Readers of a buffer get the number of writes before them; what makes one gets a number of its own."""
    written = {value for op in ops for value in _written(op)}
    if not written:
        return
    roots = _roots(ops)
    changing = {roots.get(value, value) for value in written}
    writes = 0
    for i, op in enumerate(ops):
        if any(result in written or result in changing for result in op.results):
            _set(op, -1 - i)
        elif any(roots.get(value, value) in changing for value in op.operands):
            _set(op, writes)
        elif EPOCH in op.attributes:
            del op.attributes[EPOCH]
        writes += bool(_written(op))


def _set(op: Any, epoch: int) -> None:
    op.attributes[EPOCH] = plain_attribute(epoch)


def _written(op: Any) -> list[ir.Value]:
    """The values whose buffers the op writes to."""
    spec = definition(op)
    if spec is None or not spec.mutates:
        return []
    named = zip(spec.operand_specs(), operands_by_place(spec, op), strict=False)
    return [value for name, value in named if name in spec.mutates and value is not None]


def _roots(ops: list[Any]) -> dict[ir.Value, ir.Value]:
    """For what can lie in the buffer of another value, that value."""
    roots: dict[ir.Value, ir.Value] = {}
    for op in ops:
        if op.name in _VIEWS:
            source: ir.Value = op.operands[0]
            roots[op.results[0]] = roots.get(source, source)
    return roots
