"""Recomputation in a training step, so that results of the forward pass need not be stored.

An integer program decides for each result of the forward pass whether it is kept, and for each op whether it runs
again. The forward pass is divided into stretches where few bytes cross; what runs again stays within its stretch, which
bounds what is there while the backward pass goes through it. Solutions are checked on the step as it would run.
"""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from functools import cached_property

from ttstack.buffers.lifetimes import BufferAccesses, Lifetime, live_bytes
from ttstack.placement.graph import Graph
from ttstack.placement.recompute_program import RecomputeSolution, Stretch, solve
from ttstack.program.step_parts import BEFORE_BACKWARD, StepPart

_STRETCHES = 40
"""Stretches at most."""
_TRIES = 10
"""Times that the bytes that are counted are halved between too few and too many."""


@dataclass(frozen=True)
class WeighedStep:
    """A step of training: its ops, and the bytes and the times that decide."""

    graph: Graph
    parts: Sequence[str]
    """The part of the step that each op belongs to."""
    nbytes: Sequence[int]
    """Bytes of each value."""
    ns: Callable[[int], float]
    """Nanoseconds of an op by its position."""

    @cached_property
    def rounds(self) -> list[tuple[range, range]]:
        """Return the positions of forward passes and of the ops after each, one pair per micro-batch."""
        early = [part in BEFORE_BACKWARD for part in self.parts]
        begins = [i for i, is_early in enumerate(early) if is_early and (i == 0 or not early[i - 1])]
        ranges = list[tuple[range, range]]()
        for first, end in zip(begins, [*begins[1:], len(self.parts)], strict=True):
            late = next((i for i in range(first, end) if self.parts[i] == StepPart.BACKWARD), None)
            if late is not None:
                ranges.append((range(first, late), range(late, end)))
        return ranges


@dataclass(frozen=True)
class Recomputed:
    """Recomputed ops, and their properties."""

    before: Mapping[int, Sequence[int]]
    """Positions of recomputed ops, in order, by the position of the op that they run before."""
    ns: float
    """Their predicted time."""
    peak: int
    """Bytes in use at most, all tensors in DRAM."""
    bound_ns: float | None = None
    """Proven lower bound of the time within the counted bytes; None if bytes are minimized."""


def choose(step: WeighedStep, capacity: int) -> Recomputed:
    """Return the fastest known choice that fits; otherwise the choice with the fewest bytes.

    The integer program counts all of a stretch at once: the bytes that it may count are sought by halves, so that the
    step as it would run just fits.
    """
    kept = _run_again(step, frozenset())
    if kept.peak <= capacity:
        return kept
    stretches = list(_all_stretches(step))
    best = _least(step, stretches, kept)
    low, high = 0.0, 2.0 * kept.peak
    for _ in range(_TRIES):
        allowed = (low + high) / 2
        solutions = [solve(stretch, allowed) for stretch in stretches]
        recomputed = _recomputed(step, solutions)
        if None in solutions:
            low = allowed
        elif recomputed.peak > capacity:
            high = allowed
        else:
            low = allowed
            if best.peak > capacity or recomputed.ns < best.ns:
                proven = sum(solution.bound for solution in solutions if solution)
                best = replace(recomputed, bound_ns=min(proven, recomputed.ns))  # sums of the solver round otherwise
    return best


def least(step: WeighedStep) -> Recomputed:
    """Return the known choice with the fewest bytes."""
    return _least(step, list(_all_stretches(step)), _run_again(step, frozenset()))


def _least(step: WeighedStep, stretches: Sequence[Sequence[Stretch]], kept: Recomputed) -> Recomputed:
    return min(
        kept, _recomputed(step, [solve(stretch, None) for stretch in stretches]), key=lambda stretch: stretch.peak
    )


def _recomputed(step: WeighedStep, solutions: Sequence[RecomputeSolution | None]) -> Recomputed:
    """Return the step as solutions have it, one for each forward pass."""
    return _run_again(step, frozenset(node for solution in solutions if solution for node in solution.again))


def _all_stretches(step: WeighedStep) -> Iterator[list[Stretch]]:
    """Yield the stretches of each forward pass."""
    graph = step.graph
    last = _last_reads(graph)
    for early, late in step.rounds:
        makers = {v: i for i in early for v in graph.nodes[i].results if graph.owner[v] == v}
        ends = _cuts(step, early, makers)
        number = {i: sum(end <= i for end in ends) for i in early}
        reads = dict[int, int]()
        stretch = len(ends)
        for i in late:
            used = [number[makers[o]] for o in _owners(graph, graph.nodes[i].operands) if o in makers]
            stretch = max(used, default=stretch)
            reads[i] = stretch
        others = _others(step, makers, late)
        base = [max((others[i] for i in late if reads[i] == s), default=0) for s in range(len(ends) + 1)]
        needed = {o for o in makers if last.get(o, -1) >= late.start}
        yield [_stretch(step, s, number, makers, needed, base[s]) for s in range(len(ends) + 1)]


def _stretch(
    step: WeighedStep,
    position: int,
    number: Mapping[int, int],
    makers: Mapping[int, int],
    needed: AbstractSet[int],
    base: int,
) -> Stretch:
    graph = step.graph
    nodes = [i for i, s in number.items() if s == position and not graph.is_view(graph.nodes[i])]
    reads = {i: [o for o in _owners(graph, graph.nodes[i].operands) if o in makers] for i in nodes}
    return Stretch(
        makes={i: [v for v in graph.nodes[i].results if v in makers] for i in nodes},
        reads=reads,
        ns={i: step.ns(i) for i in nodes if _may_run_again(graph, i)},
        nbytes={v: step.nbytes[v] for i in nodes for v in graph.nodes[i].results},
        needed=frozenset(v for i in nodes for v in graph.nodes[i].results if v in needed),
        base=base,
    )


def _may_run_again(graph: Graph, node: int) -> bool:
    op = graph.nodes[node].op
    return op.pure and not op.mutated_operands


def _owners(graph: Graph, values: Sequence[int]) -> set[int]:
    return {graph.owner[v] for v in values}


def _last_reads(graph: Graph) -> dict[int, int]:
    return {
        o: position
        for position, node in enumerate(graph.nodes)
        if not graph.is_view(node)
        for o in _owners(graph, node.operands)
    }


def _cuts(step: WeighedStep, early: range, makers: Mapping[int, int]) -> list[int]:
    """Return the starts of stretches after the first: the points with the fewest live bytes, in equal parts."""
    graph, last = step.graph, dict[int, int]()
    for i in early:
        last |= dict.fromkeys(_owners(graph, graph.nodes[i].operands) & makers.keys(), i)
    lives = [(Lifetime(makers[o] - early.start, read - early.start), step.nbytes[o]) for o, read in last.items()]
    crossing = live_bytes(lives, len(early))
    count = min(_STRETCHES, max(1, round(math.sqrt(len(early)))))
    width, ends = len(early) / count, list[int]()
    for part in range(1, count):
        near = range(int((part - 0.5) * width), int((part + 0.5) * width))
        ends.append(early.start + min(near, key=lambda i: crossing[i]) + 1)
    return sorted({*ends} - {early.start})


def _others(step: WeighedStep, makers: Mapping[int, int], late: range) -> dict[int, int]:
    """Return the bytes of all but the results of the forward pass, at each op of the backward pass."""
    accesses = [BufferAccesses(node.operands, node.results) for node in step.graph.nodes]
    live = _live(step, accesses, makers)
    return {i: live[i] for i in late}


def _live(step: WeighedStep, accesses: Sequence[BufferAccesses[int]], without: Mapping[int, int]) -> list[int]:
    """Return the live bytes at each op with all tensors in DRAM.

    Larger numbers than those of values are recomputed values.
    """
    graph, count = step.graph, len(step.graph.values)

    def buffer(value: int) -> int:
        return graph.owner[value % count] + value // count * count

    first, last = dict.fromkeys((graph.owner[v] for v in graph.arguments), 0), dict[int, int]()
    for position, access in enumerate(accesses):
        for value in (*access.reads, *access.makes):
            first.setdefault(buffer(value), position)
            last[buffer(value)] = position
    end = len(accesses) - 1
    last |= dict.fromkeys([graph.owner[v] for v in (*graph.arguments, *graph.outputs)], end)
    lives = [(Lifetime(position, last[v]), step.nbytes[v % count]) for v, position in first.items() if v not in without]
    return live_bytes(lives, len(accesses))


def _run_again(step: WeighedStep, again: AbstractSet[int]) -> Recomputed:
    """Return the step with these ops recomputed, each before its first use."""
    graph, count = step.graph, len(step.graph.values)
    accesses, before = list[BufferAccesses[int]](), dict[int, list[int]]()
    late = {i: n for n, (_, behind) in enumerate(step.rounds) for i in behind}
    early = {i: n for n, (ahead, _) in enumerate(step.rounds) for i in ahead}
    ran = set[int]()

    def maker(value: int, number: int | None) -> int | None:
        """Return the op of this round that recomputes a value, or makes a view of a recomputed one."""
        position, owner = graph.makers.get(value), graph.makers.get(graph.owner[value])
        return position if position is not None and owner in again and early.get(position) == number else None

    def read(value: int, number: int | None) -> int:
        return value + count if number is not None and maker(value, number) is not None else value

    def run(position: int, number: int | None, user: int) -> None:
        for value in graph.nodes[position].operands:
            made_by = maker(value, number) if number is not None else None
            if made_by is not None and made_by not in ran:
                ran.add(made_by)
                run(made_by, number, user)
                before.setdefault(user, []).append(made_by)
                node = graph.nodes[made_by]
                reads = [read(v, number) for v in node.operands]
                accesses.append(BufferAccesses(reads, [v + count for v in node.results]))

    for position, node in enumerate(graph.nodes):
        run(position, late.get(position), position)
        accesses.append(BufferAccesses([read(v, late.get(position)) for v in node.operands], node.results))
    ns = sum(step.ns(i) for nodes in before.values() for i in nodes if not graph.is_view(graph.nodes[i]))
    return Recomputed(before, ns, max(_live(step, accesses, {}), default=0))
