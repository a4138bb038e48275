"""Regions that combine or compare two elements: recognition of common ones, and application to tensors."""

from collections.abc import Mapping, Sequence
from functools import cache
from itertools import product

import numpy as np

from ttstack.dialects.base import definition_of
from ttstack.dialects.defining_op import defining_op
from ttstack.dialects.elements import elements_attribute, read_elements
from ttstack.dialects.op_groups import clone_ops
from ttstack.dialects.ttir.build import broadcast_to
from ttstack.dialects.types import read_type, tensor_type
from ttstack.frontends.conversion.table import ConversionRule
from ttstack.frontends.stablehlo_to_ttir import bits, chlo, creation, eltwise, rounding
from ttstack.frontends.stablehlo_to_ttir.stablehlo_op import StablehloOp
from ttstack.mlir import func, ir, stablehlo
from ttstack.ops.shapes import broadcast
from ttstack.ops.types import TensorType

_KINDS = {"add": "sum", "multiply": "prod", "maximum": "max", "minimum": "min", "and": "and", "or": "or"}

_ORDERED = {"stablehlo.compare", "stablehlo.select", "stablehlo.and", "stablehlo.or", "stablehlo.not"}
"""Ops that only depend on the order of two numbers."""


@cache
def _elementwise() -> Mapping[str, ConversionRule[StablehloOp]]:
    families = (eltwise, bits, rounding, chlo, creation)
    return {n: c for family in families for n, c in family.CONVERSIONS.by_name.items()}


def kind(block: ir.Block) -> str | None:
    """Return `sum`, `prod`, `max`, `min`, `and` or `or` if the region is one such op on its two arguments."""
    ops = [op.operation for op in block.operations]
    if len(ops) != 2 or len(block.arguments) != 2 or set(ops[0].operands) != set(block.arguments):
        return None
    same = list(ops[1].operands) == list(ops[0].results)
    return _KINDS.get(ops[0].name.removeprefix("stablehlo.")) if same else None


def region_results(block: ir.Block) -> list[ir.Value]:
    """Return the results of the region."""
    return list(list(block.operations)[-1].operands)


def apply_region(call: StablehloOp, block: ir.Block, arguments: Sequence[ir.Value]) -> list[ir.Value]:
    """Apply the region to tensors of one shape, elementwise."""
    return lift_values(call, dict(zip(block.arguments, arguments, strict=True)), region_results(block))


def lift_values(
    call: StablehloOp, arguments: Mapping[ir.Value, ir.Value], wanted: Sequence[ir.Value]
) -> list[ir.Value]:
    """Apply the ops of a region to tensors in place of its scalar arguments, in their broadcast shape."""
    shape = broadcast(*(read_type(v.type).shape for v in arguments.values()))
    values = dict(arguments)
    found = [_lift(call, value, values, shape) for value in wanted]
    return [broadcast_to(value, shape) for value in found]


def _lift(call: StablehloOp, value: ir.Value, values: dict[ir.Value, ir.Value], shape: tuple[int, ...]) -> ir.Value:
    if value in values:
        return values[value]
    op = defining_op(value)
    if op is None:
        call.refuse("has a region that reads values from around it", "give them as operands")
    operands = [_lift(call, operand, values, shape) for operand in op.operands]
    name = StablehloOp.name_of(op)
    if name not in _elementwise():
        call.refuse(f"has a region with {name}", "regions can hold elementwise ops")
    values |= dict(zip(op.results, _convert(op, operands, shape), strict=True))
    return values[value]


def _convert(op: ir.Operation, operands: Sequence[ir.Value], shape: tuple[int, ...]) -> list[ir.Value]:
    """Convert an op of a region on tensors; one without operands is a scalar for all."""
    wide = shape if operands else (1,) * len(shape)
    results = [tensor_type(read_type(r.type).with_shape(wide)) for r in op.results]
    attributes = {name: op.attributes[name] for name in op.attributes}
    if op.name == "stablehlo.constant":
        attributes["value"] = _reshape(attributes["value"], wide)
    outside = ir.Operation.create(op.name, results=results, operands=list(operands), attributes=attributes)
    new = _elementwise()[StablehloOp.name_of(op)].apply(StablehloOp(outside, operands))
    outside.erase()
    return new


def _reshape(elements: ir.Attribute, shape: tuple[int, ...]) -> ir.Attribute:
    t = read_type(elements.type)
    return elements_attribute(read_elements(elements).reshape(shape), t.with_shape(shape))


def picks(block: ir.Block) -> str | None:
    """Return `max` or `min` if the region selects one of two values together with its index.

    For equal values it must select the lower index, and NaN counts as the best. The region may only compare and select,
    so that all orders of its arguments can be tested.
    """
    names = {op.operation.name for op in list(block.operations)[:-1]}
    if len(block.arguments) != 4 or not names <= _ORDERED:
        return None
    return next((which for which in ("max", "min") if _picks(block, which)), None)


def _picks(block: ir.Block, which: str) -> bool:
    types = [read_type(argument.type) for argument in block.arguments]
    numbers = (0, 1, np.nan) if types[0].dtype.is_float else (0, 1)
    for x, y, (m, n) in product(numbers, numbers, ((0, 1), (1, 0))):
        first = _is_better(x, y, which) or (x == y and m < n)
        if np.isnan(x) and np.isnan(y):
            continue  # either is right: the order in which elements are combined is open
        value, index = _evaluate(block, types, (x, m, y, n))
        want = (x, m) if first else (y, n)
        if index != want[1] or not (value == want[0] or (np.isnan(value) and np.isnan(want[0]))):
            return False
    return True


def _is_better(x: float, y: float, which: str) -> bool:
    return bool(np.isnan(x)) or (not np.isnan(y) and (x > y if which == "max" else x < y))


def _evaluate(block: ir.Block, types: Sequence[TensorType], given: Sequence[float]) -> list[float]:
    """Evaluate the region on numbers, by StableHLO's interpreter."""
    module = ir.Module.create()
    wanted = region_results(block)
    with ir.InsertionPoint(module.body):
        main = func.FuncOp("main", ([a.type for a in block.arguments], [v.type for v in wanted]))
    entry = main.add_entry_block()
    values: dict[ir.Value, ir.Value] = dict(zip(block.arguments, entry.arguments, strict=True))
    with ir.InsertionPoint(entry):
        clone_ops([op.operation for op in block.operations][:-1], values)
        func.ReturnOp([values[v] for v in wanted])
    arguments = [elements_attribute(np.array(x, t.dtype.numpy), t) for x, t in zip(given, types, strict=True)]
    return [read_elements(a).item() for a in stablehlo.eval_module(module, arguments)]


def counts(value: ir.Value, dim: int) -> bool:
    """Return True if elements equal their index along a dimension."""
    counter = defining_op(value, "ttir.arange")
    if counter is None:
        return False
    found = definition_of(counter).attributes()
    return (found["start"], found["step"], found["arange_dimension"]) == (0, 1, dim)
