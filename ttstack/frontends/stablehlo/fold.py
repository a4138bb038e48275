"""Constant folding of StableHLO ops by StableHLO's own interpreter."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ttstack.dialects.elements import read_elements
from ttstack.dialects.op_groups import clone_on
from ttstack.frontends.limits import FOLDED_ELEMENTS
from ttstack.mlir import func, ir, stablehlo

_NAMES = """
    abs add and atan2 bitcast_convert broadcast_in_dim cbrt ceil clamp compare concatenate constant convert cosine
    count_leading_zeros divide dynamic_slice dynamic_update_slice exponential exponential_minus_one floor gather
    iota is_finite log log_plus_one logistic maximum minimum multiply negate not or pad popcnt power reduce
    remainder reshape return reverse round_nearest_afz round_nearest_even rsqrt select shift_left
    shift_right_arithmetic shift_right_logical sign sine slice sort sqrt subtract tan tanh transpose while xor
"""
_COMPUTED = frozenset(f"stablehlo.{name}" for name in _NAMES.split())
"""Ops that the interpreter supports; it crashes at any other."""

_DIVISIONS = ("stablehlo.divide", "stablehlo.remainder")
"""Ops at which it crashes for integer division by 0 and overflow."""


@dataclass(frozen=True)
class Known:
    """The elements of a constant tensor."""

    elements: ir.Attribute
    source: ir.Operation | None = None
    """An op that produces them in short form: one without operands, or one that repeats others."""
    operands: "tuple[Known, ...]" = ()
    """Its operands."""


def fold(op: ir.Operation, operands: Sequence[Known]) -> list[Known] | None:
    """Return the results of a StableHLO op on constants; None if they are large or the interpreter fails."""
    if not all(_is_small(r.type) for r in op.results) or not _is_computed(op, operands):
        return None
    repeats = op.name == "stablehlo.broadcast_in_dim" and not _is_splat(operands[0])
    source, taken = (op, tuple(operands)) if repeats or not operands else (None, ())
    return [Known(v, source, taken) for v in _evaluate(op, operands)]


def _is_computed(op: ir.Operation, operands: Sequence[Known]) -> bool:
    if op.name in _DIVISIONS and isinstance(operands[1].elements, ir.DenseIntElementsAttr):
        divisors = read_elements(operands[1].elements)
        return not np.isin(divisors, (0, -1)).any()
    found = True

    def visit(nested: ir.Operation) -> ir.WalkResult:
        nonlocal found
        found &= nested.name in _COMPUTED and (nested == op or nested.name not in _DIVISIONS)
        return ir.WalkResult.ADVANCE if found else ir.WalkResult.INTERRUPT

    op.walk(visit)
    return found


def _is_splat(known: Known) -> bool:
    return isinstance(known.elements, ir.DenseElementsAttr) and known.elements.is_splat


def truth(known: Known) -> int:
    """Return the only element, as a number."""
    return int(read_elements(known.elements).item())


def _is_small(result: ir.Type) -> bool:
    if not isinstance(result, ir.RankedTensorType) or not result.has_static_shape:
        return False
    return math.prod(result.shape) <= FOLDED_ELEMENTS and isinstance(result.element_type, ir.IntegerType | ir.FloatType)


def _evaluate(op: ir.Operation, operands: Sequence[Known]) -> list[ir.Attribute]:
    module = ir.Module.create()
    with ir.InsertionPoint(module.body):
        main = func.FuncOp("main", ([], [r.type for r in op.results]))
    with ir.InsertionPoint(main.add_entry_block()):
        func.ReturnOp(list(clone_on(op, [constant(operand) for operand in operands]).results))
    return stablehlo.eval_module(module, [])


def constant(known: Known) -> ir.Value:
    """Build an op with the elements."""
    attributes = {"value": known.elements}
    return ir.Operation.create("stablehlo.constant", results=[known.elements.type], attributes=attributes).results[0]
