"""The graph that a compiled function was placed from: its ops without the changes of layout between them."""

from dataclasses import dataclass
from glob import escape

from ttstack.buffers.aliasing import buffer_owners
from ttstack.device.kernel_class import casts_reals
from ttstack.device.layout import Layout
from ttstack.device.program_config import RowwiseConfig
from ttstack.placement.graph import Graph, Node
from ttstack.placement.overrides import OpOverride, Overrides, export_overrides
from ttstack.program.buffers import UNPLACED
from ttstack.program.records import Function, Operation, TensorKind


@dataclass(frozen=True)
class ProgramGraph:
    """A graph, with the sources of its values and nodes."""

    graph: Graph
    homes: tuple[Layout, ...]
    """The layout of each value while nothing is in L1."""
    operations: tuple[int, ...]
    """For each node, the position of its operation in the function."""
    fixed: dict[int, OpOverride]
    """By node: the override that reproduces the program's choice."""
    starts: tuple[Layout, ...]
    """The layout that each argument has when the program starts."""


def recover_graph(function: Function) -> ProgramGraph:
    """Return the function as placement saw it."""
    source: dict[int, int] = {}
    values = list(function.inputs)
    kept: list[tuple[int, Operation]] = []
    for position, op in enumerate(function.operations):
        if op.name in UNPLACED:
            source |= dict.fromkeys(op.results, op.operands[0] or 0)
        else:
            kept.append((position, op))
            values += op.results
    numbers = {tensor: i for i, tensor in enumerate(values)}
    numbers |= {copy: numbers[origin] for copy, origin in buffer_owners(source).items()}
    graph = Graph(
        values=tuple(function.tensors[tensor].type for tensor in values),
        arguments=tuple(range(len(function.inputs))),
        nodes=tuple(_node(function, op, numbers) for _, op in kept),
        outputs=tuple(numbers[o.tensor] for o in function.outputs),
        parameters=tuple(i for i, t in enumerate(function.inputs) if function.tensors[t].kind is TensorKind.PARAMETER),
    )
    homes = tuple(_home(function.tensors[tensor].layout) for tensor in values)
    fixed = dict(zip(graph.placed, overrides_of(function).ops, strict=True))
    starts = tuple(function.tensors[tensor].layout for tensor in function.inputs)
    operations = tuple(position for position, _ in kept)
    return ProgramGraph(graph, tuple(homes[o] for o in graph.owner), operations, fixed, starts)


def overrides_of(function: Function) -> Overrides:
    """Return overrides that make placement repeat its choices for this function."""
    arguments = (function.tensors[i] for i in function.inputs)
    formats = {t.name: t.layout.dtype for t in arguments if t.type.dtype.is_float and t.kind is not TensorKind.CONSTANT}
    placed = [function.operations[position] for position in placed_positions(function)]
    return export_overrides([(op.location, function.device_op(op)) for op in placed], formats)


def place_of(function: Function, operation: int) -> OpOverride:
    """Return an override without requirements that matches only this operation, by its position.

    Raises:
        LookupError: the operation is none that was placed: a view, a change of layout, or the end of a buffer.
    """
    if operation not in (positions := placed_positions(function)):
        raise LookupError(operation)
    described = [(function.operations[place].name, function.operations[place].location) for place in positions]
    place = positions.index(operation)
    name, location = described[place]
    return OpOverride(location=escape(location), name=name, number=described[:place].count((name, location)))


def placed_positions(function: Function) -> list[int]:
    """Return positions of the operations with their own placement."""
    return [position for position, op in enumerate(function.operations) if _is_placed(function, op)]


def _is_placed(function: Function, op: Operation) -> bool:
    return op.name not in UNPLACED and not any(function.tensors[r].alias is not None for r in op.results)


def _node(function: Function, op: Operation, numbers: dict[int, int]) -> Node:
    operands = tuple(numbers[tensor] for tensor in op.operands if tensor is not None)
    op_definition = function.definition(op)
    recast = casts_reals(op_definition) and not _is_placed(function, op)
    sums = op.config.sums if isinstance(op.config, RowwiseConfig) else None
    results = tuple(numbers[r] for r in op.results)
    return Node(op_definition, operands, results, op.location, fidelity=op.fidelity, sums=sums, recast=recast)


def _home(layout: Layout) -> Layout:
    return layout if layout.on_host else Layout(layout.dtype, layout.tiled, filters=layout.filters)
