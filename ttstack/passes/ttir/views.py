"""Which values lie in the buffers of which others."""

from collections.abc import Sequence

from ttstack.device.kernel_class import is_view
from ttstack.dialects.base import describe
from ttstack.mlir import ir
from ttstack.ops.base import OPS

VIEWS = tuple(f"ttir.{name}" for name, spec in OPS.items() if spec.keeps_order)
"""Ops whose result can lie in the buffer of their operand."""


def view_sources(ops: Sequence[ir.Operation]) -> dict[ir.Value, ir.Value]:
    """For the result of each view, the operand in whose buffer it lies."""
    return {op.results[0]: op.operands[0] for op in ops if op.name in VIEWS and is_view(describe(op))}
