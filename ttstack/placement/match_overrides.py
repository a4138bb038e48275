"""Match of overrides with the ops and arguments of one function."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase

from ttstack.ops.types import DType
from ttstack.placement.graph import Graph
from ttstack.placement.overrides import ArgumentOverride, OpOverride, Overrides
from ttstack.support.suggestion import closest


@dataclass(frozen=True)
class Asked:
    """Overrides by number of nodes and values, and those that match nothing in the function."""

    ops: Mapping[int, OpOverride]
    formats: Mapping[int, DType]
    """Formats of arguments, and of the results of ops."""
    faults: tuple[str, ...]


def match_overrides(graph: Graph, overrides: Overrides) -> Asked:
    """Return the overrides of each node and argument; later ones take precedence."""
    matched, unused = overrides.match([(graph.nodes[i].op.title, graph.nodes[i].location) for i in graph.placed])
    ops = {i: override for i, override in zip(graph.placed, matched, strict=True) if override}
    results = {v: override.dtype for i, override in ops.items() if override.dtype for v in graph.nodes[i].results}
    described = [(override, _describe(graph, override)) for override in overrides.arguments]
    faults = (
        *(f"no op is {override}" for override in unused),
        *(why for override in described for why in _why_not(graph, *override)),
    )
    return Asked(ops, argument_formats(graph, overrides) | results, faults)


def argument_formats(graph: Graph, overrides: Overrides) -> dict[int, DType]:
    """Return the formats that overrides ask of arguments, by their values."""
    return {v: override.dtype for override in overrides.arguments for v in _describe(graph, override)}


def _describe(graph: Graph, override: ArgumentOverride) -> list[int]:
    return [v for v, name in zip(graph.arguments, graph.names, strict=False) if fnmatchcase(name, override.name)]


def _why_not(graph: Graph, override: ArgumentOverride, described: Sequence[int]) -> Iterator[str]:
    if not described:
        made_of_it = [name for name in graph.names if name.startswith(f"{override.name}.")]
        close = made_of_it[0] if made_of_it else closest(override.name, graph.names)
        yield f"no argument is named {override.name}" + (f"; did you mean {close}?" if close else "")
    elif not any(graph.values[v].dtype.is_float for v in described):
        yield f"argument {override.name} holds no real numbers, which alone have a format to choose"
