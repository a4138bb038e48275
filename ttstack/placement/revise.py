"""Choices taken anew, one step at a time, now that all that make and read the same values are known."""

from collections.abc import Sequence

import numpy as np

from ttstack.placement.problem import Decision, Numbers, Problem

_SWEEPS = 4
"""Times that all steps are looked at."""

_LEAST = 1e-3
"""Nanoseconds that a change must save, so that none is undone by the next."""


def revise(problem: Problem, chosen: Sequence[int]) -> list[int]:
    """Choices that fit if these do; the total is less where changing one at a time, in a few sweeps, makes it less."""
    revision = _Revision(problem, chosen)
    for _ in range(_SWEEPS):
        if not sum(revision.improve(at) for at in range(len(problem.steps))):
            break
    return revision.chosen


class _Revision:
    def __init__(self, problem: Problem, chosen: Sequence[int]) -> None:
        self.problem, self.chosen = problem, list(chosen)
        self.options = problem.options(chosen)
        self.spans: dict[int, list[int]] = {}
        """For each value that can be in L1, the steps at which it is there."""
        for at, values in enumerate(problem.live):
            for value in values:
                self.spans.setdefault(value, []).append(at)

    def improve(self, at: int) -> bool:
        """Whether another choice of a step costs less, and fits; it is taken."""
        step, now = self.problem.steps[at], self.chosen[at]
        costs = self._costs(step)
        for choice in np.argsort(costs, kind="stable").tolist():
            if not costs[choice] < costs[now] - _LEAST:
                return False
            self._take(at, choice)
            if self._fits(at):
                return True
            self._take(at, now)
        return False

    def _costs(self, step: Decision) -> Numbers:
        """What each choice costs, with the changes of layout before it and of what it makes for others."""
        costs = step.cost.copy()
        for i, read in enumerate(step.reads):
            costs += read.cost[self.options[read.value], step.needs[:, i]]
        for i, value in enumerate(step.writes):
            costs += self._read(value)[step.gives[:, i]]
        return costs

    def _read(self, value: int) -> Numbers:
        """For each option of a value, the changes that those that read it ask for."""
        found = np.zeros(len(self.problem.sizes[value]))
        for at in self.problem.readers[value]:
            step = self.problem.steps[at]
            for read, need in zip(step.reads, step.needs[self.chosen[at]], strict=True):
                if read.value == value:
                    found += read.cost[:, need]
        return found

    def _take(self, at: int, choice: int) -> None:
        step = self.problem.steps[at]
        self.chosen[at] = choice
        for value, option in zip(step.writes, step.gives[choice].tolist(), strict=True):
            self.options[value] = option

    def _fits(self, at: int) -> bool:
        """Whether each step has room at which the one, or something that it makes, is there."""
        concerned = {at, *(i for value in self.problem.steps[at].writes for i in self.spans.get(value, ()))}
        peaks = ((i, self.problem.peak(i, self.chosen[i], self.options)) for i in sorted(concerned))
        return all(peak <= self.problem.capacity[i] for i, peak in peaks)
