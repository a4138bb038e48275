"""Steps of recurrences in reports: the numbers of their ops."""

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from ttstack.program.records import Function
from ttstack.program.repeated_steps import repeated_steps


@dataclass(frozen=True)
class StepReport:
    """A step that is called several times in a row."""

    first: int
    """Number of the first op of the first call."""
    ops: int
    """Number of ops of a call."""
    calls: int

    def numbers(self, at: int) -> range:
        """Return the numbers of an op of the time step in all calls, by its position in it."""
        return range(self.first + at, self.first + self.ops * self.calls, self.ops)


def step_reports(function: Function, launched: Sequence[int]) -> Iterator[StepReport]:
    """Return the steps of which each call launches the same ops, by the positions of those that launch something."""
    for step in repeated_steps(function):
        bounds = pairwise(bisect_left(launched, at) for at in (*step.starts, step.stop))
        calls = [
            [at - start for at in launched[first:last]]
            for start, (first, last) in zip(step.starts, bounds, strict=True)
        ]
        if calls[0] and all(places == calls[0] for places in calls):
            yield StepReport(bisect_left(launched, step.start), len(calls[0]), step.count)
