"""The reasons for an op's placement: its alternatives, their costs, and the arguments against them."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from math import isfinite

from ttstack.device.device_op import DeviceOp
from ttstack.device.library_default import DEFAULT_NAME, library_default
from ttstack.diagnostics import TTStackError
from ttstack.placement.formulate import Formulation, formulate
from ttstack.placement.graph_from_program import ProgramGraph, placed_positions, recover_graph
from ttstack.placement.options import PlacementOptions
from ttstack.placement.pricing import Candidate, Pricing
from ttstack.placement.problem import Problem
from ttstack.placement.reasons import UNSEEN, slower_part, without_room
from ttstack.placement.solve_around import solve_around
from ttstack.program.launched import launched_positions
from ttstack.program.records import Function
from ttstack.system_desc import ChipDesc, SystemDesc


@dataclass(frozen=True)
class Alternative:
    """One placement of the op, with all other ops unchanged."""

    device_op: DeviceOp
    ns: float
    """Nanoseconds of the op itself."""
    changes_ns: float
    """Nanoseconds of changes of layout of its operands, and of its results for those that read them."""
    more_ns: float
    """Nanoseconds of the whole function, compared with the program."""
    why: str
    """The reason against it; the reason for it if it was chosen."""
    doubt_ns: float = 0.0
    """Nanoseconds that placement adds to those of the op because they may be wrong."""
    chosen: bool = False
    name: str | None = None
    """Name of the alternative if it is the library's default; None for all others."""
    anew_ns: float | None = None
    """`more_ns` with all other ops placed anew; None if not requested."""


def explain(
    function: Function,
    operation: int,
    chip: ChipDesc,
    system: SystemDesc,
    *,
    most: int | None = None,
    anew_seconds: float = 0.0,
) -> list[Alternative]:
    """The alternatives of one operation, by its position in the function: the fastest for each set of layouts.

    The first is the one that the program has; all others, or `most` of them, follow by what they would cost the whole
    function while all other ops stay as they are; what `ttnn` does by itself is among them, by name. With
    `anew_seconds`, each is also placed with all others around it, in at most that time.

    Raises:
        LookupError: the operation is none that was placed: a view, a change of layout, or the end of a buffer.
    """
    return Explainer.of(function, chip, system).explain(operation, most=most, anew_seconds=anew_seconds)


def explain_longest(
    function: Function, chip: ChipDesc, system: SystemDesc, *, kinds: int, most: int
) -> dict[int, tuple[int, list[Alternative]]]:
    """Return alternatives by op number: the number of an equal op, and its alternatives, at most `most`.

    Those alike are one op on tensors of the same layouts. Explained are the `kinds` that together take the most time;
    none of a function that today's rules of the device forbid, which an older ttstack placed.
    """
    launched, placed = launched_positions(function), set(placed_positions(function))
    alike: dict[DeviceOp, list[int]] = {}
    for number, operation in enumerate(launched):
        if operation in placed:
            alike.setdefault(function.device_op(function.operations[operation]), []).append(number)
    try:
        explainer = Explainer.of(function, chip, system)
    except TTStackError:
        return {}
    longest = sorted(alike, key=lambda op: -len(alike[op]) * explainer.pricing.price(op).ns)[:kinds]
    alternatives: dict[int, tuple[int, list[Alternative]]] = {}
    for numbers in map(alike.__getitem__, longest):
        explained = explainer.explain(launched[numbers[0]], most=most)
        alternatives |= dict.fromkeys(numbers, (numbers[0], explained))
    return alternatives


@dataclass(frozen=True)
class Explainer:
    """State that the explanations of a function's operations share."""

    program: ProgramGraph
    as_it_is: Formulation
    pricing: Pricing
    cautious: Pricing
    """Prices including uncertainty."""

    @staticmethod
    def of(function: Function, chip: ChipDesc, system: SystemDesc) -> "Explainer":
        """Create an explainer; raise `TTStackError` if the function violates rules of the device."""
        program, pricing = recover_graph(function), Pricing.of(chip, system)
        as_it_is = formulate(program.graph, program.homes, pricing, program.fixed, l1=True, grids=True)
        return Explainer(program, as_it_is, pricing, Pricing.of(chip, system, PlacementOptions().placement_caution))

    def explain(self, operation: int, *, most: int | None = None, anew_seconds: float = 0.0) -> list[Alternative]:
        """Explain one operation, like the function `explain`."""
        program, pricing = self.program, self.pricing
        node = program.operations.index(operation) if operation in program.operations else None
        if node is None or node not in program.fixed:
            raise LookupError(operation)
        others = {i: override for i, override in program.fixed.items() if i != node}
        free = formulate(program.graph, program.homes, pricing, others, l1=True, grids=True)
        comparison = _Comparison(program, self.as_it_is, free, node, pricing.chip, self.cautious)
        alternatives = _best(comparison.run(), most)
        if not anew_seconds:
            return alternatives
        total = self.as_it_is.problem.total(_choices(program, self.as_it_is))
        totals = solve_around(program, node, [a.device_op for a in alternatives], pricing, anew_seconds)
        return [replace(a, anew_ns=ns - total) for a, ns in zip(alternatives, totals, strict=True)]


def _best(alternatives: list[Alternative], most: int | None) -> list[Alternative]:
    """Return the first alternatives; a named one replaces the last."""
    if most is None or len(alternatives) <= most + 1:
        return alternatives
    return [
        *alternatives[:most],
        next((alternative for alternative in alternatives[most:] if alternative.name), alternatives[most]),
    ]


def _choices(program: ProgramGraph, formulation: Formulation) -> list[int]:
    """Return the only choice of every step; parameters start in the program's layouts."""
    chosen = [0] * len(formulation.problem.steps)
    for position, value in formulation.starts.items():
        chosen[position] = formulation.options[value].index(program.starts[value])
    return chosen


@dataclass(frozen=True)
class _Comparison:
    program: ProgramGraph
    as_it_is: Formulation
    free: Formulation
    node: int
    chip: ChipDesc
    cautious: Pricing
    """Prices including uncertainty."""

    def run(self) -> list[Alternative]:
        problem, now, position = self.as_it_is.problem, _choices(self.program, self.as_it_is), self._step(self.as_it_is)
        chosen = self.as_it_is.candidates[position][0]
        total = problem.total(now)
        first = self._alternative(problem, now, position, chosen, total, None)
        problem, now, position = self.free.problem, _choices(self.program, self.free), self._step(self.free)
        rest = [
            self._alternative(problem, self.free.instead(now, position, i), position, candidate, total, first)
            for i, candidate in self._fastest(position)
            if _layouts(candidate) != _layouts(chosen)
        ]
        rest += list(self._defaults([first, *rest]))
        possible = [a for a in rest if isfinite(a.more_ns)]  # others may read a parameter in the layout that it has
        others = sorted(possible, key=lambda a: a.more_ns)
        return [replace(first, why=_why_chosen(others)), *others]

    def _defaults(self, alternatives: list[Alternative]) -> Iterator[Alternative]:
        """Yield the library's own placement, with the layouts of the alternative that has all tensors in DRAM."""
        for alternative in alternatives:
            if op := library_default(alternative.device_op, self.chip):
                priced = self.cautious.price(op)
                more = alternative.more_ns + priced.ns - alternative.ns
                why = "what ttnn chooses if the program sets nothing"
                uncertainty, name = priced.risk_ns, DEFAULT_NAME
                yield replace(
                    alternative,
                    device_op=op,
                    ns=priced.ns,
                    more_ns=more,
                    why=why,
                    doubt_ns=uncertainty,
                    chosen=False,
                    name=name,
                )

    def _step(self, formulation: Formulation) -> int:
        return next(step for step, node in formulation.nodes.items() if node == self.node)

    def _fastest(self, position: int) -> Iterator[tuple[int, Candidate]]:
        """For each set of layouts, the fastest choice."""
        best: dict[object, tuple[int, Candidate]] = {}
        for i, candidate in sorted(enumerate(self.free.candidates[position]), key=lambda numbered: numbered[1].ns):
            best.setdefault(_layouts(candidate), (i, candidate))
        return iter(best.values())

    def _alternative(
        self,
        problem: Problem,
        chosen: list[int],
        position: int,
        candidate: Candidate,
        total: float,
        first: Alternative | None,
    ) -> Alternative:
        before, after = problem.changes_around(chosen, position)
        more = problem.total(chosen) - total
        why = "" if first is None else self._why(problem, chosen, candidate, (before, after, more), first)
        uncertainty = self._risk_ns(candidate.device_op)
        return Alternative(candidate.device_op, candidate.ns, before + after, more, why, uncertainty, first is None)

    def _why(
        self,
        problem: Problem,
        chosen: list[int],
        candidate: Candidate,
        costs: tuple[float, float, float],
        first: Alternative,
    ) -> str:
        before, after, more = costs
        if missing := without_room(problem, chosen, self._place):
            return missing
        if more < 0 and self._risk_ns(candidate.device_op) - self._risk_ns(first.device_op) > -more:
            return "its gain is smaller than the uncertainty of its time"
        if more < 0:
            return UNSEEN
        return slower_part(candidate.ns - first.ns, before, after)

    def _risk_ns(self, device_op: DeviceOp) -> float:
        return self.cautious.price(device_op).risk_ns

    def _place(self, step: int) -> str:
        node = self.program.graph.nodes[self.free.node_at(step)]
        return f"{node.op.title} {node.location}"


def _layouts(candidate: Candidate) -> object:
    return candidate.device_op.operands, candidate.device_op.results


def _why_chosen(others: list[Alternative]) -> str:
    """Return the reason for the chosen placement: its difference to the best alternative."""
    if not others:
        return "no other placement fits"
    best = others[0]
    if abs(best.more_ns) < _LEAST_DIFFERENCE_NS:
        return "no alternative is faster; the best one takes the same time"
    microseconds = f"{abs(best.more_ns) / 1000:.2f} µs"
    if best.more_ns > 0:
        return f"the fastest: the best alternative adds {microseconds}"
    return f"the best alternative saves {microseconds}: {best.why}"


_LEAST_DIFFERENCE_NS = 5.0
"""Minimum difference of times that are distinguishable when printed."""
