"""From a solution of the numbers to one whose buffers have addresses."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from ttstack.buffers.packing import allocate, spans
from ttstack.placement.problem import Problem

_ATTEMPTS = 30
"""Solutions without addresses that are given up before all values get their smallest option."""


@dataclass(frozen=True)
class Bank:
    """The L1 of one core that programs may use."""

    base: int
    end: int
    alignment: int


def with_addresses(problem: Problem, solve: Callable[[Problem], Sequence[int]], bank: Bank) -> tuple[int, ...]:
    """Choices from `solve` for which every buffer has room where the library's allocator puts it.

    Room between buffers is lost without counting: where one finds no place, the step that needs what it lacks may
    hold so much less than it did, and `solve` is asked again.
    """
    tightened = problem
    for _ in range(_ATTEMPTS):
        chosen = tuple(solve(tightened))
        lacking = _lacking(problem, chosen, bank)
        if not lacking:
            return chosen
        options = tightened.options(chosen)
        for at, nbytes in lacking.items():
            tightened = tightened.tighter(at, problem.peak(at, chosen[at], options) - nbytes)
    return tuple(solve(problem.fix(dict(enumerate(problem.smallest)))))


def _lacking(problem: Problem, chosen: Sequence[int], bank: Bank) -> dict[int, int]:
    """The steps whose circular buffers reach into a tensor, and by how many bytes at most."""
    buffers, scratch, steps = timeline(problem, chosen)
    found: dict[int, int] = {}
    for i, nbytes in allocate(spans(buffers, scratch, bank.base), bank.end, bank.alignment).short.items():
        _, first, last = buffers[i]
        at = steps[max(range(first, last + 1), key=scratch.__getitem__)]
        found[at] = max(found.get(at, 0), nbytes)
    return found


def timeline(problem: Problem, chosen: Sequence[int]) -> tuple[list[tuple[int, int, int]], list[int], list[int]]:
    """Buffers (bytes, first and last moment), bytes of circular buffers of each moment, and the step of each moment.

    A change of layout is a moment of its own, before that of the step that asks for it; what the step reads of a value
    in changed copies alone ends with the last of them. Buffers stand in the order in which they come to life, those of
    one step in the order of its results.
    """
    options = problem.options(chosen)
    lives: list[tuple[int, int, int, int]] = []  # first moment, number of the value, last moment, bytes
    scratch: list[int] = []
    steps: list[int] = []
    born: dict[int, int] = {}
    for at, (step, choice) in enumerate(zip(problem.steps, chosen, strict=True)):
        copies: list[tuple[int, int]] = []
        changed: dict[int, int] = {}
        as_it_is = {*step.writes}
        for read, need in zip(step.reads, step.needs[choice].tolist(), strict=True):
            have = options[read.value]
            if not read.changes[have, need]:
                as_it_is.add(read.value)
            else:
                changed[read.value] = len(scratch)
                copies.append((int(read.copied[have, need]), len(scratch)))
                scratch.append(int(read.scratch[have, need]))
                steps.append(at)
        now = len(scratch)
        scratch.append(int(step.scratch[choice]))
        steps.append(at)
        lives += [(first, 0, now, nbytes) for nbytes, first in copies if nbytes]
        born |= dict.fromkeys(step.writes, now)
        for value in (v for v in step.dies if v in born):
            if nbytes := problem.sizes[value][options[value]]:
                last = now if value in as_it_is else changed.get(value, now)
                lives.append((born[value], value, last, nbytes))
    for value in sorted(born.keys() - {v for step in problem.steps for v in step.dies}):
        if nbytes := problem.sizes[value][options[value]]:
            lives.append((born[value], value, len(scratch) - 1, nbytes))
    return [(nbytes, first, last) for first, _, last, nbytes in sorted(lives)], scratch, steps
