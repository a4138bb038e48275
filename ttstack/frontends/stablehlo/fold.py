"""Values that are known before the program runs, and the ops on them that StableHLO's own interpreter computes."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ttstack.mlir import func, ir, stablehlo

LARGEST = 1024
"""Elements of results that are computed: control flow, indices and small tables, but no weights."""

_UNKNOWN = frozenset(
    f"stablehlo.{name}"
    for name in """all_gather all_reduce all_to_all collective_broadcast collective_permute composite custom_call
    optimization_barrier partition_id reduce_scatter replica_id rng rng_bit_generator""".split()
)
"""Ops whose results are not in their operands, or that say more than the values."""


@dataclass(frozen=True)
class Known:
    """The elements of a tensor."""

    elements: Any
    source: Any = None
    """The op without operands that gives them, where it says them more briefly."""


def fold(op: Any, operands: Sequence[Known]) -> list[Known] | None:
    """The results of a StableHLO op on known operands; None where they are large or nobody knows them."""
    if not op.name.startswith("stablehlo.") or op.name in _UNKNOWN or not all(_is_small(r.type) for r in op.results):
        return None
    values = _evaluate(op, operands)
    return None if values is None else [Known(v, None if operands else op) for v in values]


def truth(known: Known) -> int:
    """The only element, as a number."""
    return int(known.elements.get_splat_value().value)


def _is_small(result: ir.Type) -> bool:
    if not isinstance(result, ir.RankedTensorType) or not result.has_static_shape:
        return False
    return math.prod(result.shape) <= LARGEST and isinstance(result.element_type, ir.IntegerType | ir.FloatType)


def _evaluate(op: Any, operands: Sequence[Known]) -> list[Any] | None:
    module = ir.Module.create()
    with ir.InsertionPoint(module.body):
        main = func.FuncOp("main", ([], [r.type for r in op.results]))
    with ir.InsertionPoint(main.add_entry_block()):
        constants = [constant(operand) for operand in operands]
        copy = op.clone().operation
        for i, value in enumerate(constants):
            copy.operands[i] = value
        func.ReturnOp(list(copy.results))
    try:
        return stablehlo.eval_module(module, [])
    except (ValueError, RuntimeError):
        return None  # the interpreter does not know the op: the conversion judges it


def constant(known: Known) -> ir.Value:
    """An op that gives the elements."""
    attributes = {"value": known.elements}
    return ir.Operation.create(
        "stablehlo.constant", results=[known.elements.type], attributes=attributes
    ).results[0]
