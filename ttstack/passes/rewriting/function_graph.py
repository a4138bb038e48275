"""Conversion of a dispatched function to the graph that placement uses."""

from dataclasses import dataclass

from ttstack.diagnostics import UnsupportedOpError
from ttstack.dialects.base import definition, definition_of
from ttstack.dialects.elements import read_elements
from ttstack.dialects.equal_ops import ask_once
from ttstack.dialects.location import read_location
from ttstack.dialects.placement_attrs import read_grids
from ttstack.dialects.signature import IN_LOOP, read_arguments
from ttstack.dialects.ttir import read_nest, read_source
from ttstack.dialects.types import read_type
from ttstack.mlir import func, ir
from ttstack.ops.base import Op
from ttstack.ops.generic import Generic
from ttstack.passes.functions import body
from ttstack.placement import Graph, Node
from ttstack.placement.element_values import ElementValues, contents_of
from ttstack.program.records import TensorKind

_MAX_ELEMENTS = 2**24
"""Maximum size of constants whose values are read."""


@dataclass(frozen=True)
class FunctionGraph:
    """The graph, and the MLIR values and operations of its numbers."""

    graph: Graph
    values: tuple[ir.Value, ...]
    operations: tuple[ir.Operation, ...]


def function_graph(function: func.FuncOp) -> FunctionGraph:
    """Return the graph; arguments and constants are its arguments, and destinations of dispatches are left out."""
    *ops, last = body(function)
    constants = [op.results[0] for op in ops if op.name == "ttir.constant"]
    values: list[ir.Value] = [*function.regions[0].blocks[0].arguments, *constants]
    numbers = {v: i for i, v in enumerate(values)}
    nodes: list[Node] = []
    operations: list[ir.Operation] = []
    equal: dict[Op, Op] = {}  # repeated layers share their ops, and what is worked out about them
    for op in ops:
        if op.name == "ttir.constant" or _only_destination(op):
            continue
        inputs = inputs_of(op)
        results = range(len(values), len(values) + len(op.results))
        values += op.results
        numbers |= dict(zip(op.results, results, strict=True))
        found = op_of(op)
        nodes.append(
            Node(
                equal.setdefault(found, found),
                tuple(numbers[v] for v in inputs),
                tuple(results),
                read_location(op.location),
                read_grids(op),
            )
        )
        operations.append(op)
    signature = read_arguments(function)
    kinds = [argument.kind for argument in signature] + [TensorKind.PARAMETER] * len(constants)
    graph = Graph(
        values=tuple(read_type(v.type) for v in values),
        arguments=tuple(range(len(values) - sum(len(n.results) for n in nodes))),
        nodes=tuple(nodes),
        outputs=tuple(numbers[v] for v in last.operands),
        parameters=tuple(i for i, kind in enumerate(kinds) if kind is TensorKind.PARAMETER),
        names=tuple(argument.name for argument in signature),
        in_loop=IN_LOOP in function.attributes,
        known={numbers[v]: contents for v in constants if (contents := _known(v)) is not None},
    )
    return FunctionGraph(graph, tuple(values), tuple(operations))


def _known(constant: ir.OpResult) -> ElementValues | None:
    value = constant.owner.attributes["value"]
    readable = isinstance(value, ir.DenseElementsAttr) and read_type(constant.type).size <= _MAX_ELEMENTS
    return contents_of(read_elements(value)) if readable else None


def inputs_of(op: ir.Operation) -> list[ir.Value]:
    """Return the operands without the destination of a dispatch."""
    operands = list(op.operands)
    return operands[:-1] if op.name in ("ttir.generic", "ttir.to_layout") else operands


def op_of(op: ir.Operation) -> Op:
    """Return the op definition of an operation, by its name or by its maps and region."""
    if op.name == "ttir.generic":
        return ask_once(_generic, op, op)
    if definition(op) is None:
        raise UnsupportedOpError(f"'{op.name}' is not an op of the device", loc=read_location(op.location))
    return definition_of(op)


def _generic(op: ir.Operation) -> Generic:
    operands = tuple(read_type(v.type) for v in inputs_of(op))
    found = Generic(
        inputs=operands, program=read_nest(op), type=read_type(op.results[0].type), source=read_source(op).name
    )
    try:
        found.chain  # noqa: B018 is worked out here, where the location is known
    except ValueError as e:
        what = "'ttir.generic' picks slices by an index, and is not a lookup that the device has"
        hint = "'ttstack opt -p dispatch' shows what lookups are"
        raise UnsupportedOpError(what, loc=read_location(op.location), notes=(str(e),), hint=hint) from e
    return found


def _only_destination(op: ir.Operation) -> bool:
    if op.name != "ttir.empty":
        return False
    owners = [(use.owner.operation, use.operand_number) for use in op.results[0].uses]
    return all(o.name in ("ttir.generic", "ttir.to_layout") and n == len(o.operands) - 1 for o, n in owners)
