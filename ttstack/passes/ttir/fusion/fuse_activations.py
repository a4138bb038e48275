"""Fusion of activations into the kernels of additions, subtractions and multiplications."""

from functools import partial
from typing import Any

from ttstack.dialects.base import attribute_values, definition_of
from ttstack.dialects.ttir.builders import ttir
from ttstack.dialects.types import read_type
from ttstack.mlir import ir
from ttstack.ops.eltwise import ACTIVATED, ActivatedBinary
from ttstack.ops.matmul import ACTIVATIONS
from ttstack.passes.base import Pass
from ttstack.passes.rewriting.pattern import apply_patterns
from ttstack.passes.stages import Stage
from ttstack.passes.ttir.queries.producers import find_producer

_FUNCTIONS = ("add", "subtract", "multiply")
_OPERAND_ACTIVATIONS = ("lhs_activation", "rhs_activation")


class FuseActivations(Pass, name="fuse-activations", optional=True, stage=Stage.KERNELS):
    """Fuse a unary op into the add, subtract or multiply that it precedes or follows.

    A unary op on an operand is fused only if that operand is not broadcast.
    """

    def run(self, module: ir.Module) -> None:
        """Fuse activations of results first, as these need no additional tile."""
        apply_patterns(module, [(f"ttir.{name}", _result) for name in ACTIVATIONS])
        names = (f"{kind}{function}" for kind in ("", ACTIVATED) for function in _FUNCTIONS)
        patterns = [(f"ttir.{name}", partial(_operand, position=i)) for name in names for i in range(2)]
        apply_patterns(module, patterns)


def _result(op: ir.Operation) -> list[ir.Value] | None:
    """Fuse an activation of a sum, difference or product without other uses."""
    eltwise = find_producer(op.operands[0], *_FUNCTIONS, *(f"{ACTIVATED}{name}" for name in _FUNCTIONS))
    if eltwise is None or len(list(op.operands[0].uses)) > 1 or _attributes(eltwise).get("activation"):
        return None
    with eltwise.location:
        return _activated(eltwise, list(eltwise.operands), activation=_mnemonic(op))


def _operand(op: ir.Operation, position: int) -> list[ir.Value] | None:
    """Fuse an activation without other uses into the sum, difference or product that uses it."""
    value = op.operands[position]
    first = find_producer(value, *ACTIVATIONS)
    if first is None or len(list(value.uses)) > 1 or _attributes(op).get(_OPERAND_ACTIVATIONS[position]):
        return None
    if read_type(value.type) != read_type(op.results[0].type):
        return None
    operands = list(op.operands)
    operands[position] = first.operands[0]
    return _activated(op, operands, **{_OPERAND_ACTIVATIONS[position]: _mnemonic(first)})


def _activated(op: ir.Operation, operands: list[ir.Value], **named: str) -> list[ir.Value] | None:
    if not read_type(op.results[0].type).dtype.is_float:
        return None
    function = _mnemonic(op).removeprefix(ACTIVATED)
    return [ttir.build(f"{ACTIVATED}{function}", *operands, **{**_attributes(op), **named})]


def _attributes(op: ir.Operation) -> dict[str, Any]:
    """Return the activations that the op already has."""
    definition = definition_of(op)
    return dict(attribute_values(type(definition), op)) if isinstance(definition, ActivatedBinary) else {}


def _mnemonic(op: ir.Operation) -> str:
    return op.name.partition(".")[2]
