"""What overrides ask of the ops and arguments of one function."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase

from ttstack.ops.types import DType
from ttstack.placement.graph import Graph
from ttstack.placement.overrides import ArgumentOverride, OpOverride, Overrides
from ttstack.support.suggestion import closest


@dataclass(frozen=True)
class Asked:
    """By numbers of nodes and values; and what cannot be, because it is about nothing in the function."""

    ops: Mapping[int, OpOverride]
    formats: Mapping[int, DType]
    """Formats of arguments, and of the results of ops."""
    faults: tuple[str, ...]


def match_overrides(graph: Graph, overrides: Overrides) -> Asked:
    """The overrides that each node and each argument must follow; later ones count where several describe one."""
    found, unused = overrides.match([(graph.nodes[i].op.title, graph.nodes[i].location) for i in graph.placed])
    ops = {i: of for i, of in zip(graph.placed, found, strict=True) if of}
    results = {v: of.dtype for i, of in ops.items() if of.dtype for v in graph.nodes[i].results}
    described = [(of, _describe(graph, of)) for of in overrides.arguments]
    faults = (*(f"no op is {of}" for of in unused), *(why for of in described for why in _why_not(graph, *of)))
    return Asked(ops, argument_formats(graph, overrides) | results, faults)


def argument_formats(graph: Graph, overrides: Overrides) -> dict[int, DType]:
    """The formats that overrides ask of arguments, by their values."""
    return {v: of.dtype for of in overrides.arguments for v in _describe(graph, of)}


def _describe(graph: Graph, override: ArgumentOverride) -> list[int]:
    return [v for v, name in zip(graph.arguments, graph.names, strict=False) if fnmatchcase(name, override.name)]


def _why_not(graph: Graph, override: ArgumentOverride, described: Sequence[int]) -> Iterator[str]:
    if not described:
        made_of_it = [name for name in graph.names if name.startswith(f"{override.name}.")]
        close = made_of_it[0] if made_of_it else closest(override.name, graph.names)
        yield f"no argument is named {override.name}" + (f"; did you mean {close}?" if close else "")
    elif not any(graph.values[v].dtype.is_float for v in described):
        yield f"argument {override.name} holds no real numbers, which alone have a format to choose"
