"""Choices taken anew, one step at a time, now that all that make and read the same values are known."""

from collections.abc import Callable, Sequence
from functools import partial

import numpy as np

from ttstack.placement.problem import Decision, Numbers, Problem

Stands = Callable[[Sequence[int]], bool]
"""Predicate: feasible choices also have addresses."""

_SWEEPS = 4
"""Times that all steps are looked at."""

_LEAST = 1e-3
"""Nanoseconds that a change must save, so that none is undone by the next."""

_WORTH = 1e-3
"""The share of the total that making room for a choice must save, as all addresses are worked out for each."""


def revise(problem: Problem, chosen: Sequence[int]) -> list[int]:
    """Return choices with a lower total that fit if these do, after a few sweeps of single changes."""
    revision = _Revision(problem, chosen)
    return revision.sweep(revision.improve)


def make_room(problem: Problem, chosen: Sequence[int], stands: Stands) -> list[int]:
    """Return valid choices with a lower total, by making space for one choice and changing others."""
    revision, worth = _Revision(problem, chosen), max(_WORTH * problem.total(chosen), _LEAST)
    return revision.sweep(partial(revision.make_room, stands=stands, worth=worth))


class _Revision:
    def __init__(self, problem: Problem, chosen: Sequence[int]) -> None:
        self.problem, self.chosen = problem, list(chosen)
        self.options = problem.options(chosen)
        self.makers = {value: position for position, step in enumerate(problem.steps) for value in step.writes}
        self.spans: dict[int, list[int]] = {}
        """For each value that can be in L1, the steps at which it is there."""
        for position, values in enumerate(problem.live):
            for value in values:
                self.spans.setdefault(value, []).append(position)

    def sweep(self, change: Callable[[int], bool]) -> list[int]:
        """Return the choices after a change at each step, a few times or until none is made."""
        for _ in range(_SWEEPS):
            if not sum(map(change, range(len(self.problem.steps)))):
                break
        return self.chosen

    def improve(self, position: int, stands: Stands | None = None) -> bool:
        """Change a step to a cheaper choice that fits and has addresses; return False if there is none."""
        step, now = self.problem.steps[position], self.chosen[position]
        costs = self._costs(step)
        for choice in np.argsort(costs, kind="stable").tolist():
            if not costs[choice] < costs[now] - _LEAST:
                return False
            self._take(position, choice)
            if self._fits(position) and (stands is None or stands(self.chosen)):
                return True
            self._take(position, now)
        return False

    def make_room(self, position: int, stands: Stands, worth: float) -> bool:
        """Select the choice that a step would have with more space; return False if that saves less than `worth`.

        What lies in L1 beside it goes to its smallest place, the largest first, until it fits; then those that made or
        read it choose anew.
        """
        before, costs = list(self.chosen), self._costs(self.problem.steps[position])
        choice = int(costs.argmin())
        if costs[before[position]] - costs[choice] < worth:
            return False
        self._take(position, choice)
        if (moved := self._move_others(position)) is not None:
            beside = {i for value in moved for i in (self.makers[value], *self.problem.readers[value])}
            for near in sorted(beside - {position}):
                self.improve(near, stands)
            if self.problem.difference(before, self.chosen) < -worth and stands(self.chosen):
                return True
        for i, kept in enumerate(before):
            self._take(i, kept)
        return False

    def _move_others(self, position: int) -> list[int] | None:
        """Return the values that moved to their smallest location for a step; None if that is not enough."""
        sizes, moved = self.problem.sizes, list[int]()
        for value in sorted(self.problem.live[position], key=lambda v: -sizes[v][self.options[v]]):
            maker = self.makers.get(value, position)
            if maker == position or sizes[value][self.options[value]] == min(sizes[value]):
                continue
            if self._fits(position):
                break
            step = self.problem.steps[maker]
            option_sizes = np.asarray(sizes[value])[step.gives[:, step.writes.index(value)]]
            costs = np.where(option_sizes == min(sizes[value]), self._costs(step), np.inf)
            if np.isfinite(costs.min()):
                self._take(maker, int(costs.argmin()))
                moved.append(value)
        fit = self._fits(position) and all(self._fits(self.makers[value]) for value in moved)
        return moved if fit else None

    def _costs(self, step: Decision) -> Numbers:
        """Return the cost of each choice, with the changes of layout before it and of its results for others."""
        costs = step.cost.copy()
        for i, read in enumerate(step.reads):
            costs += read.cost[self.options[read.value], step.needs[:, i]]
        for i, value in enumerate(step.writes):
            costs += self._read(value)[step.gives[:, i]]
        return costs

    def _read(self, value: int) -> Numbers:
        """For each option of a value, the changes that those that read it ask for."""
        changes = np.zeros(len(self.problem.sizes[value]))
        for position in self.problem.readers[value]:
            step = self.problem.steps[position]
            for read, need in zip(step.reads, step.needs[self.chosen[position]], strict=True):
                if read.value == value:
                    changes += read.cost[:, need]
        return changes

    def _take(self, position: int, choice: int) -> None:
        step = self.problem.steps[position]
        self.chosen[position] = choice
        for value, option in zip(step.writes, step.gives[choice].tolist(), strict=True):
            self.options[value] = option

    def _fits(self, position: int) -> bool:
        """Return True if every step with this one or one of its results in L1 has room."""
        concerned = {position, *(i for value in self.problem.steps[position].writes for i in self.spans.get(value, ()))}
        peaks = ((i, self.problem.peak(i, self.chosen[i], self.options)) for i in sorted(concerned))
        return all(peak <= self.problem.capacity[i] for i, peak in peaks)
