"""All decisions of a placement: the candidates of every op, their prices, which one was taken, and why no other."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import isfinite
from typing import Any

from ttstack.device.program_config import config_fields
from ttstack.options.choices import Policy
from ttstack.placement.formulate import Formulation
from ttstack.placement.graph import Graph
from ttstack.placement.optimal import Solution
from ttstack.placement.pricing import Candidate
from ttstack.placement.reasons import UNSEEN, slower_part, without_room

FORMAT = 1
"""The version of the JSON text; it increases if a field changes its meaning or is removed."""

_PARAMETER = "a parameter that it reads cannot start in this layout"


@dataclass(frozen=True)
class WeighedCandidate:
    """One alternative of an op, with all other ops unchanged."""

    candidate: Candidate
    operand_changes_ns: float
    """Nanoseconds of changes of layout before it, with the uncertainty that is added."""
    reader_changes_ns: float
    """Nanoseconds of the changes of its results for their uses."""
    more_ns: float
    """Increase of the function's cost, uncertainty penalty included; infinite if impossible."""
    why: str
    """The reason for it or against it."""


@dataclass(frozen=True)
class PlacementDecision:
    """Placement decision of one op."""

    op: str
    location: str
    taken: int
    """Index of the chosen candidate."""
    candidates: tuple[WeighedCandidate, ...]


@dataclass(frozen=True)
class PlacementTrace:
    """Placement decisions of a function."""

    policy: Policy
    predicted_ns: float
    bound_ns: float | None
    l1_bytes: int
    """L1 of a core that is available to tensors and circular buffers."""
    decisions: tuple[PlacementDecision, ...]
    parameters: Mapping[str, tuple[str, ...]]
    """Parameters that could start in several layouts, by name: these layouts, the one that was taken first."""

    def to_dict(self) -> dict[str, Any]:
        """Return values that JSON can represent."""
        return {
            "policy": self.policy.value,
            "predicted_ns": self.predicted_ns,
            "bound_ns": self.bound_ns,
            "l1_bytes": self.l1_bytes,
            "parameters": {name: list(layouts) for name, layouts in self.parameters.items()},
            "decisions": [
                {"op": d.op, "location": d.location, "taken": d.taken, "candidates": [_values(c) for c in d.candidates]}
                for d in self.decisions
            ],
        }


def traces_dict(traces: Mapping[str, PlacementTrace]) -> dict[str, Any]:
    """Return the traces of functions by name, as values that JSON has."""
    return {"format": FORMAT, "functions": {name: trace.to_dict() for name, trace in traces.items()}}


def trace_placement(
    graph: Graph,
    formulation: Formulation,
    solution: Solution,
    policy: Policy,
    predicted_ns: float,
    bound_ns: float | None,
) -> PlacementTrace:
    """Return all decisions of a placement that was found."""
    problem, chosen = formulation.problem, solution.chosen
    options = problem.options(chosen)
    names = dict(zip(graph.arguments, graph.names, strict=False))
    layouts = {v: list(map(str, formulation.options[v])) for v in formulation.starts.values()}
    return PlacementTrace(
        policy=policy,
        predicted_ns=predicted_ns,
        bound_ns=bound_ns,
        l1_bytes=max(problem.capacity, default=0),
        decisions=tuple(_decisions(graph, formulation, chosen)),
        parameters={
            names.get(v, f"%{v}"): (
                layout_names[options[v]],
                *layout_names[: options[v]],
                *layout_names[options[v] + 1 :],
            )
            for v, layout_names in layouts.items()
        },
    )


def _decisions(graph: Graph, formulation: Formulation, chosen: Sequence[int]) -> Iterator[PlacementDecision]:
    for position, index in formulation.nodes.items():
        node = graph.nodes[index]
        weighed = tuple(
            _weigh(graph, formulation, chosen, position, i) for i in range(len(formulation.candidates[position]))
        )
        yield PlacementDecision(node.op.title, node.location, chosen[position], weighed)


def _weigh(
    graph: Graph, formulation: Formulation, chosen: Sequence[int], position: int, choice: int
) -> WeighedCandidate:
    problem, candidate = formulation.problem, formulation.candidates[position][choice]
    new = formulation.instead(chosen, position, choice) if choice != chosen[position] else list(chosen)
    before, after = problem.changes_around(new, position)
    more = problem.difference(chosen, new)
    why = "taken"
    if choice != chosen[position]:
        own = candidate.price_ns - formulation.candidates[position][chosen[position]].price_ns
        why = _why(graph, formulation, new, more, (own, before, after))
    return WeighedCandidate(candidate, before, after, more, why)


def _why(
    graph: Graph, formulation: Formulation, new: Sequence[int], more: float, costs: tuple[float, float, float]
) -> str:
    def place(step: int) -> str:
        node = graph.nodes[formulation.node_at(step)]
        return f"{node.op.title} {node.location}"

    if not isfinite(more):
        return _PARAMETER
    if more >= 0:
        return slower_part(*costs)
    return without_room(formulation.problem, new, place) or UNSEEN


def _values(weighed: WeighedCandidate) -> dict[str, Any]:
    candidate, op = weighed.candidate, weighed.candidate.device_op
    return {
        "operands": list(map(str, op.operands)),
        "results": list(map(str, op.results)),
        "grid": str(op.grid),
        "spread": op.spread.value,
        "fidelity": str(op.fidelity),
        "config": config_fields(op.config),
        "circular_buffer_bytes": candidate.circular_buffer_bytes,
        "elapsed_ns": candidate.ns,
        "doubt_ns": candidate.risk_ns,
        "operand_changes_ns": _finite(weighed.operand_changes_ns),
        "reader_changes_ns": _finite(weighed.reader_changes_ns),
        "more_ns": _finite(weighed.more_ns),
        "why": weighed.why,
    }


def _finite(ns: float) -> float | None:
    return ns if isfinite(ns) else None
