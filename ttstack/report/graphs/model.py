"""A graph in Model Explorer's format: nodes nested by module, edges from operands, and text for each."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ttstack.program.locations import parts

Texts = Mapping[str, str]


@dataclass(frozen=True)
class Source:
    """Source of an operand: a result of a node."""

    node: str
    result: int = 0


@dataclass(frozen=True)
class GraphNode:
    """An op, or a value that the function is given or gives."""

    id: str
    label: str
    layers: tuple[str, ...] = ()
    """The modules that contain it, outermost first."""
    attributes: Texts = field(default_factory=dict[str, str])
    operands: tuple[Source, ...] = ()
    results: tuple[Texts, ...] = ()
    """About each result; `shape` can be shown along its edges."""

    def values(self) -> dict[str, Any]:
        """Return the node as JSON has it."""
        edges = [
            {"sourceNodeId": of.node, "sourceNodeOutputId": str(of.result), "targetNodeInputId": str(place)}
            for place, of in enumerate(self.operands)
        ]
        return {
            "id": self.id,
            "label": self.label,
            "namespace": "/".join(layer.replace("/", "_") for layer in self.layers),
            "attrs": _pairs(self.attributes),
            "incomingEdges": edges,
            "outputsMetadata": [{"id": str(i), "attrs": _pairs(texts)} for i, texts in enumerate(self.results)],
        }


@dataclass(frozen=True)
class ModelGraph:
    """A function at one level of the compiler."""

    id: str
    nodes: tuple[GraphNode, ...]
    attributes: Texts = field(default_factory=dict[str, str])

    def values(self) -> dict[str, Any]:
        """Return the graph as JSON has it."""
        return {
            "id": self.id,
            "nodes": [node.values() for node in self.nodes],
            "groupNodeAttributes": {"": dict(self.attributes)},
        }


def collection(label: str, graphs: Sequence[ModelGraph]) -> dict[str, Any]:
    """Several graphs, as a file of Model Explorer has them."""
    return {"label": label, "graphs": [graph.values() for graph in graphs]}


def layers(location: str) -> tuple[str, ...]:
    """Return the modules in a location; none if the model did not name the op."""
    name, place = parts(location)
    named = name or ("" if "/" in place or ":" in place else place)
    return tuple(filter(None, named.split(".")))


def _pairs(texts: Texts) -> list[dict[str, str]]:
    return [{"key": key, "value": value} for key, value in texts.items()]
