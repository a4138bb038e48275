"""Import of graphs with loops: each graph that a loop runs becomes a function of the module."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, cast

from torch import fx

from ttstack.dialects.signature import IN_LOOP, ArgumentSignature, write_signature
from ttstack.frontends.torch.control_flow import SCANNED, graph_of
from ttstack.frontends.torch.locations import LocatedTypes
from ttstack.frontends.torch.signature import Signature
from ttstack.frontends.torch_to_ttir.loops import WHILE
from ttstack.mlir import func, fx_importer, ir
from ttstack.program.records import TensorKind

Fill = Callable[["LoopImporter", fx.Graph], list[fx.Node]]
"""Imports the nodes of a graph, and returns its results."""


@dataclass(frozen=True)
class _LoopValues:
    """A `while_loop` node: what its functions take."""

    carried: tuple[fx.Node, ...]
    scanned: tuple[fx.Node, ...]
    """Tensors of which each iteration takes a slice."""
    fixed: tuple[fx.Node, ...]
    """Values that no iteration changes."""

    @staticmethod
    def of(node: fx.Node) -> "_LoopValues":
        carried, others = (tuple(cast(Any, node.args[i])) for i in (2, 3))
        scanned = node.meta.get(SCANNED, 0)
        return _LoopValues(carried, others[:scanned], others[scanned:])


class LoopImporter(fx_importer.GraphNodeImporter):
    """Imports the nodes of a graph; what a loop runs becomes functions before that of the graph.

    Parameters are arguments of these functions by name, and constants are written in them.
    """

    __slots__ = ("block", "fill", "known", "types")

    def __init__(
        self,
        importer: "fx_importer.FxImporter",
        types: LocatedTypes,
        block: ir.Block,
        known: dict[fx.Node, object],
        fill: Fill,
    ) -> None:
        super().__init__(importer, importer.module.context, types, block)
        self.types, self.block, self.fill = types, block, fill
        self.known = known
        """Names of parameters and values of constants, by the node of this graph."""

    def _import_hop_while_loop(self, loc: ir.Location, node: fx.Node, hop: object) -> None:  # noqa: ARG002
        loop = _LoopValues.of(node)
        given = (*loop.carried, *loop.scanned, *(n for n in loop.fixed if n not in self.known))
        inputs = [self.resolve_node_value(n) for n in given]
        others = [op for op in self.fx_importer.module.body.operations if IN_LOOP in op.operation.attributes]
        name = f"forward.while_{len(others)}"
        attributes: dict[str, ir.Attribute] = {"name": ir.StringAttr.get(WHILE)}
        i64 = ir.IntegerType.get_signless(64)
        for role, called in zip(("condition", "body"), node.args[:2], strict=True):
            if called is not None:
                attributes[role] = ir.StringAttr.get(f"{name}.{role}")
                self._function(f"{name}.{role}", graph_of(called), loop)
        types = [self._cc.value_info_to_type(value) for value in node.meta["val"]]
        counts = {"carried": len(loop.carried)}
        if loop.scanned:
            extent = loop.scanned[0].meta["val"].shape[0]
            counts |= {"scanned": len(loop.scanned), "stacked": len(types) - len(loop.carried), "trip_count": extent}
        attributes |= {key: ir.IntegerAttr.get(i64, count) for key, count in counts.items()}
        made = ir.Operation.create("torch.operator", results=types, operands=inputs, attributes=attributes, loc=loc)
        self._multi_result_nodes.add(node)
        for i, value in enumerate(made.results):
            self.bind_node_value(node, value, i)

    def _function(self, name: str, graph: fx.Graph, loop: _LoopValues) -> None:
        """Write a graph as a function on the values of a loop."""
        places = graph.find_nodes(op="placeholder")
        fixed = zip(places[len(loop.carried) + len(loop.scanned) :], loop.fixed, strict=True)
        known = {place: self.known[n] for place, n in fixed if n in self.known}
        given = [place for place in places if place not in known]
        weights = [place for place, what in known.items() if isinstance(what, ParameterName) and place.users]
        types = [self.types.node_val_to_type(place) for place in (*given, *weights)]
        (results,) = graph.output_node().args
        returned = [results] if isinstance(results, fx.Node) else list(cast(Any, results))
        with ir.Location.unknown():
            result_types = [self.types.node_val_to_type(node) for node in returned]
            made = func.FuncOp(
                name, (types, result_types), ip=ir.InsertionPoint.at_block_begin(self.fx_importer.module.body)
            )
            block = ir.Block.create_at_start(made.body, types, [ir.Location.unknown()] * len(types))
            inner = LoopImporter(self.fx_importer, self.types, block, known, self.fill)
            for place, value in zip((*given, *weights), block.arguments, strict=True):
                inner.bind_node_value(place, value)
            inner.return_node_values(ir.Location.unknown(), self.fill(inner, graph), {})
            made.attributes[IN_LOOP] = ir.UnitAttr.get()
            signed = [ArgumentSignature(f"value.{i}", TensorKind.INPUT) for i in range(len(given))]
            signed += [ArgumentSignature(str(known[place]), TensorKind.PARAMETER) for place in weights]
            write_signature(made, signed, [f"next.{i}" for i in range(len(returned))])


class ParameterName(str):
    """The name of a parameter, in contrast to the value of a constant that is text."""

    __slots__ = ()


def known_nodes(signature: Signature) -> dict[fx.Node, object]:
    """Return the names of parameters and the values of constants, by the node of the graph."""
    named = {n: ParameterName(a.name) for n, a in signature.arguments.items() if a.kind != "input"}
    return {**named, **signature.literals}
