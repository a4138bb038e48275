"""Conversion of a solution without addresses to one whose buffers have addresses."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

from ttstack.buffers.packing import allocate, spans
from ttstack.placement.problem import Problem
from ttstack.placement.revise import make_room

_ATTEMPTS = 30
"""Solutions without addresses that are given up before all values get their smallest option."""


@dataclass(frozen=True)
class Bank:
    """The L1 of one core that programs may use."""

    base: int
    end: int
    alignment: int


def with_addresses(problem: Problem, solve: Callable[[Problem], Sequence[int]], bank: Bank) -> tuple[int, ...]:
    """Return choices from `solve` whose buffers all fit with the addresses of the library's allocator.

    Room between buffers is lost without counting: where one finds no place, the step that needs what it lacks may
    hold so much less than it did, and `solve` is asked again. That holds for all choices of the step: those that are
    better, and have room after all once others give way, are taken in the end.
    """
    tightened = problem
    for _ in range(_ATTEMPTS):
        chosen = tuple(solve(tightened))
        lacking = _lacking(problem, chosen, bank)
        if not lacking:
            return tuple(make_room(problem, chosen, partial(_has_addresses, problem, bank)))
        options = tightened.options(chosen)
        for position, nbytes in lacking.items():
            tightened = tightened.tighter(position, problem.peak(position, chosen[position], options) - nbytes)
    return tuple(solve(problem.fix(dict(enumerate(problem.smallest)))))


def _has_addresses(problem: Problem, bank: Bank, chosen: Sequence[int]) -> bool:
    return not _lacking(problem, chosen, bank)


def _lacking(problem: Problem, chosen: Sequence[int], bank: Bank) -> dict[int, int]:
    """Return the steps whose circular buffers reach into a tensor, and by how many bytes at most."""
    buffers, scratch, steps = timeline(problem, chosen)
    lacking: dict[int, int] = {}
    for i, nbytes in allocate(spans(buffers, scratch, bank.base), bank.end, bank.alignment).short.items():
        _, first, last = buffers[i]
        position = steps[max(range(first, last + 1), key=scratch.__getitem__)]
        lacking[position] = max(lacking.get(position, 0), nbytes)
    return lacking


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
    for position, (step, choice) in enumerate(zip(problem.steps, chosen, strict=True)):
        needs = step.needs[choice].tolist()
        reads = [(read, options[read.value], need) for read, need in zip(step.reads, needs, strict=True)]
        now = len(scratch) + sum(bool(read.changes[have, need]) for read, have, need in reads)
        ends = dict.fromkeys(step.writes, now)
        for read, have, need in reads:
            here = len(scratch) if read.changes[have, need] else now
            ends[read.value] = max(ends.get(read.value, here), here)
            if here < now:
                lives.append((here, 0, now, int(read.copied[have, need])))
                scratch.append(int(read.scratch[have, need]))
        scratch.append(int(step.scratch[choice]))
        steps += [position] * (len(scratch) - len(steps))
        born |= dict.fromkeys(step.writes, now)
        dead = [v for v in step.dies if v in born]
        lives += [(born[v], v, ends.get(v, now), problem.sizes[v][options[v]]) for v in dead]
    left = born.keys() - {v for step in problem.steps for v in step.dies}
    lives += [(born[v], v, len(scratch) - 1, problem.sizes[v][options[v]]) for v in left]
    return [(nbytes, first, last) for first, _, last, nbytes in sorted(lives) if nbytes], scratch, steps
