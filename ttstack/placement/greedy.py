"""Steps in order, each with the best choice for itself and for the next uses of its results."""

import numpy as np

from ttstack.placement.problem import Decision, Numbers, Problem, Read
from ttstack.placement.revise import revise

_USERS_SEEN = 2
"""Users of a value that a choice looks ahead to."""


class NoRoomError(Exception):
    """A step has no choice that fits."""

    def __init__(self, step: int, need: int, have: int) -> None:
        super().__init__(step, need, have)
        self.step, self.need, self.have = step, need, have


def cautious_choices(problem: Problem) -> list[int]:
    """Greedy choices, and those with every value in its smallest place, taken anew: which of them has the lower price.

    What looks best step by step can be dearer than what the library does by default, which is free of uncertainty.

    Raises:
        NoRoomError: as `greedy_choices`.
    """
    greedy = revise(problem, greedy_choices(problem))
    try:
        default = greedy_choices(problem.fix(dict(enumerate(problem.smallest))))
    except NoRoomError:
        return greedy
    return min(greedy, revise(problem, default), key=problem.total)


def greedy_choices(problem: Problem) -> list[int]:
    """A choice for each step; a choice is never revisited.

    Where no choice of a step fits beside what is live, those values get their smallest option and all starts again.

    Raises:
        NoRoomError: no choice of a step fits when all that is live has its smallest option.
    """
    small: dict[int, int] = {}
    while isinstance(choices := _Sweep(problem.fix(small)).run(), int):
        near = {*problem.live[choices], *(read.value for read in problem.steps[choices].reads)}
        if small.keys() >= near:
            raise _no_room(problem, choices)
        small |= {v: problem.smallest[v] for v in near}
    return choices


def _no_room(problem: Problem, position: int) -> NoRoomError:
    needs = [problem.peak(position, choice, problem.smallest) for choice in range(problem.steps[position].choices)]
    return NoRoomError(position, min(needs), problem.capacity[position])


class _Sweep:
    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        self.options = list(problem.smallest)
        """Assumed options of values that are not computed yet."""
        self.open = {v for step in problem.steps if _is_free(step) for v in step.writes}
        """Values whose location is selected later, by their uses."""
        self.users: dict[int, list[Decision]] = {v: [] for v in range(len(problem.sizes))}
        for step in problem.steps:
            for value in dict.fromkeys(read.value for read in step.reads):
                self.users[value].append(step)

    def run(self) -> list[int] | int:
        """Return the choices; if no choice of a step fits, the number of that step."""
        chosen: list[int] = []
        for position, step in enumerate(self.problem.steps):
            choice = self._best(position, step)
            if choice is None:
                return position
            chosen.append(choice)
            self._take(step, choice)
        return chosen

    def _best(self, position: int, step: Decision) -> int | None:
        costs = self._costs(step)
        ahead: dict[tuple[int, ...], float] = {}
        best, least = None, np.inf
        for choice in np.argsort(costs, kind="stable").tolist():
            if costs[choice] >= least:
                break
            self._take(step, choice)
            gives = tuple(step.gives[choice].tolist())
            if gives not in ahead:
                ahead[gives] = sum(self._costs(u).min() for v in step.writes for u in self.users[v][:_USERS_SEEN])
            total = costs[choice] + ahead[gives]
            if total < least and self.problem.peak(position, choice, self.options) <= self.problem.capacity[position]:
                best, least = choice, total
        return best

    def _costs(self, step: Decision) -> Numbers:
        """Return the cost of each choice, with the changes of layout that it asks for."""
        changes = (self._changes(r)[step.needs[:, i]] for i, r in enumerate(step.reads))
        return sum(changes, step.cost)

    def _changes(self, read: Read) -> Numbers:
        return read.cost.min(axis=0) if read.value in self.open else read.cost[self.options[read.value]]

    def _take(self, step: Decision, choice: int) -> None:
        for value, option in zip(step.writes, step.gives[choice].tolist(), strict=True):
            self.options[value] = option
            self.open.discard(value)


def _is_free(step: Decision) -> bool:
    """Return True if the step only selects the location of a value."""
    return not step.reads and not step.cost.any()
