"""The steps of a placement problem in order: ops, and copies of function results to DRAM."""

from collections.abc import Collection, Iterator
from dataclasses import dataclass

from ttstack.placement.graph import Graph


@dataclass(frozen=True)
class ScheduleSlot:
    """An op, or a copy of an output to DRAM directly after its computation, if it is not in DRAM."""

    node: int
    output: int | None
    """The value that is copied to DRAM; None if the slot is an op."""
    dies: tuple[int, ...]
    """Buffers that nothing needs afterwards."""


def schedule(graph: Graph, movable: Collection[int]) -> list[ScheduleSlot]:
    """Return all moments of a function; `movable` are the buffers that can be elsewhere than in DRAM."""
    order = list(_order(graph, movable))
    dies: list[list[int]] = [[] for _ in order]
    ends = {graph.owner[output]: moment for moment, (_, output) in enumerate(order) if output is not None}
    ran = _ran(order, len(graph.nodes))
    for buffer, last in graph.last_use.items():
        if last < len(graph.nodes) and (moment := max(ran[last], ends.get(buffer, -1))) >= 0:
            dies[moment].append(buffer)
    return [ScheduleSlot(node, output, tuple(buffers)) for (node, output), buffers in zip(order, dies, strict=True)]


def _order(graph: Graph, movable: Collection[int]) -> Iterator[tuple[int, int | None]]:
    for i, node in enumerate(graph.nodes):
        if not graph.is_view(node):
            yield i, None
        for output in graph.leaving.get(i, ()):
            if graph.owner[output] in movable:
                yield i, output


def _ran(order: list[tuple[int, int | None]], nodes: int) -> list[int]:
    """Return for each node the last slot of it or of an earlier op; -1 if none."""
    moments = {node: moment for moment, (node, output) in enumerate(order) if output is None}
    last_moments: list[int] = []
    for node in range(nodes):
        last_moments.append(moments.get(node, last_moments[-1] if last_moments else -1))
    return last_moments
