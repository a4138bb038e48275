"""Which buffers ops write to, and which values lie in them.

An op that writes to an operand is in destination-passing style where it has a result: that is the operand as it is
afterwards, in the same buffer. The operand itself then stands for what was there before.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from ttstack.device.kernel_class import is_view
from ttstack.dialects.base import definition, describe, operands_by_place
from ttstack.mlir import ir
from ttstack.ops.base import OPS

VIEWS = tuple(f"ttir.{name}" for name, spec in OPS.items() if spec.keeps_order)
"""Ops whose result can lie in the buffer of their operand."""

_WRITES = frozenset(f"ttir.{name}" for name, spec in OPS.items() if spec.mutates)


def written(op: Any) -> ir.Value | None:
    """The value whose buffer the op writes to; None where it writes to none."""
    spec = definition(op) if op.name in _WRITES else None
    if spec is None:
        return None
    return operands_by_place(spec, op)[list(spec.operand_specs()).index(spec.mutates[0])]


def is_overwritten(value: ir.Value) -> bool:
    """Whether some op writes to the value's buffer: where it is read decides what is there, or what it costs."""
    return any(use.owner.name in _WRITES and written(use.owner.operation) == value for use in value.uses)


def view_sources(ops: Sequence[Any]) -> dict[ir.Value, ir.Value]:
    """For the result of each view, the operand in whose buffer it lies."""
    return {op.results[0]: op.operands[0] for op in ops if op.name in VIEWS and is_view(describe(op))}


def through_views(value: Any, views: Mapping[Any, Any]) -> list[Any]:
    """The value, what it is a view of, and so on to what has a buffer of its own."""
    found = [value]
    while found[-1] in views:
        found.append(views[found[-1]])
    return found
