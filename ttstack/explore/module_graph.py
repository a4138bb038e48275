"""A function of a module as a graph, before compilation to a program."""

from collections.abc import Iterator
from functools import cached_property

from ttstack.dialects.location import read_location
from ttstack.dialects.signature import read_arguments, read_results
from ttstack.dialects.types import read_type
from ttstack.mlir import func, ir
from ttstack.passes.functions import body, functions
from ttstack.program.records import TensorKind
from ttstack.report.formatting import count
from ttstack.report.graphs.model import GraphNode, ModelGraph, Source, layers

_MOST_CHARACTERS = 400
"""Maximum number of shown characters of an attribute: constants have thousands."""
_HIDDEN = ("operandSegmentSizes", "resultSegmentSizes", "tt.grids")
_NAMED_BY = "source"
"""The attribute of a dispatch with the op that it was created from."""


def module_graphs(module: ir.Module, level: str) -> list[ModelGraph]:
    """Return a graph for each program function; ids are `level`, with the function's name if there are several."""
    found = list(functions(module))
    names = [level if len(found) == 1 else f"{level} {function.name.value}" for function in found]
    return [_ModuleDrawing(function).graph(name) for function, name in zip(found, names, strict=True)]


class _ModuleDrawing:
    def __init__(self, function: func.FuncOp) -> None:
        self.function = function
        *self.ops, self.last = body(function)

    def graph(self, name: str) -> ModelGraph:
        """Return the nodes: arguments, ops in order, results."""
        nodes = (*self._arguments(), *map(self._node, self.ops), *self._outputs())
        return ModelGraph(name, nodes, {"function": self.function.name.value, "ops": count(len(self.ops), "op")})

    def _arguments(self) -> Iterator[GraphNode]:
        signatures = read_arguments(self.function)
        for signature, value in zip(signatures, self.function.regions[0].blocks[0].arguments, strict=True):
            owned = signature.kind is TensorKind.PARAMETER
            *modules, last = signature.name.split(".") if owned else (signature.name,)
            about = {"kind": str(signature.kind), "name": signature.name}
            yield GraphNode(self._sources[value].node, last, tuple(modules), about, results=(_shape(value),))

    def _node(self, op: ir.Operation) -> GraphNode:
        location = read_location(op.location)
        return GraphNode(
            id=self._id(op),
            label=_label(op),
            layers=layers(location),
            attributes={"op": op.name, "location": location or "unknown", **dict(_attributes(op))},
            operands=tuple(self._sources[value] for value in op.operands),
            results=tuple(map(_shape, op.results)),
        )

    def _outputs(self) -> Iterator[GraphNode]:
        names = read_results(self.function, len(self.last.operands))
        for name, value in zip(names, self.last.operands, strict=True):
            yield GraphNode(f"output {name}", name, operands=(self._sources[value],))

    def _id(self, op: ir.Operation) -> str:
        return f"op {self._places[op]}"

    @cached_property
    def _places(self) -> dict[ir.Operation, int]:
        return {op: place for place, op in enumerate(self.ops)}

    @cached_property
    def _sources(self) -> dict[ir.Value, Source]:
        arguments = enumerate(self.function.regions[0].blocks[0].arguments)
        given: dict[ir.Value, Source] = {value: Source(f"argument {i}") for i, value in arguments}
        return given | {value: Source(self._id(op), i) for op in self.ops for i, value in enumerate(op.results)}


def _label(op: ir.Operation) -> str:
    """Return the label of an op; for a dispatch, the op that it was created from."""
    if _NAMED_BY in op.attributes and op.name == "ttir.generic":
        return ir.StringAttr(op.attributes[_NAMED_BY]).value
    return op.name.partition(".")[2] or op.name


def _shape(value: ir.Value) -> dict[str, str]:
    found = read_type(value.type)
    shape = "x".join(map(str, found.shape)) or "scalar"
    return {"shape": f"{shape} {found.dtype}", "type": str(found)}


def _attributes(op: ir.Operation) -> Iterator[tuple[str, str]]:
    for name in op.attributes:
        if name in _HIDDEN:
            continue
        try:
            text = str(op.attributes[name])
        except TypeError:  # the bindings know no arrays of numbers with a sign, or without
            continue
        yield name, text if len(text) <= _MOST_CHARACTERS else f"{text[:_MOST_CHARACTERS]}…"
