"""Which buffers the ops of a block write to, and which values lie in them."""

from collections.abc import Sequence

from ttstack.buffers.aliasing import buffer_owners
from ttstack.dialects.base import definition, operands_by_place
from ttstack.mlir import ir
from ttstack.ops.base import OPS

VIEWS = tuple(f"ttir.{name}" for name, spec in OPS.items() if spec.keeps_order)
"""Ops whose result can lie in the buffer of their operand."""


def written(op: ir.Operation) -> list[ir.Value]:
    """The values whose buffers the op writes to."""
    spec = definition(op)
    if spec is None or not spec.mutates:
        return []
    named = zip(spec.operand_specs(), operands_by_place(spec, op), strict=False)
    return [value for name, value in named if name in spec.mutates and value is not None]


def roots(ops: Sequence[ir.Operation]) -> dict[ir.Value, ir.Value]:
    """For what can lie in the buffer of another value, that value."""
    return buffer_owners({op.results[0]: op.operands[0] for op in ops if op.name in VIEWS})
