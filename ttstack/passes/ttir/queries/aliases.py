"""Aliases: values that share buffers."""

from collections.abc import Sequence

from ttstack.device.kernel_class import is_view, lies_as_reals
from ttstack.dialects.base import definition_of
from ttstack.dialects.ttir import read_source
from ttstack.dialects.ttir.destination import pure_producer
from ttstack.dialects.types import read_type
from ttstack.mlir import ir
from ttstack.ops.base import OPS
from ttstack.passes.ttir.queries.producers import is_shared

VIEWS = tuple(f"ttir.{name}" for name, spec in OPS.items() if spec.keeps_order)
"""Ops whose result can share the buffer of their operand."""


def unshared_source(value: ir.Value) -> ir.Value:
    """Return the source of a value through views with one use each; the source can have other uses."""
    while not is_shared(value) and (view := pure_producer(value, *VIEWS)) is not None:
        value = view.operands[0]
    return value


def pure_source(value: ir.Value) -> ir.Value:
    """Return the source of a value through views that nothing overwrites; the views can have other uses."""
    while (view := pure_producer(value, *VIEWS)) is not None:
        value = view.operands[0]
    return value


def view_sources(ops: Sequence[ir.Operation]) -> dict[ir.Value, ir.Value]:
    """Return the operand whose buffer each view shares, by the view's result.

    Casts of real numbers count as views: they share a buffer if the device has both types in one format.
    """
    return {
        op.results[0]: op.operands[0] for op in ops if (op.name in VIEWS and is_view(definition_of(op))) or _casts(op)
    }


def _casts(op: ir.Operation) -> bool:
    if op.name != "ttir.typecast" and (op.name != "ttir.generic" or read_source(op).name != "typecast"):
        return False
    source, result = (read_type(v.type).dtype for v in (op.operands[0], op.results[0]))
    return lies_as_reals(source) and result.is_float
