"""Reasons against an alternative of an op, in words."""

from collections.abc import Callable, Sequence

from ttstack.placement.problem import Problem

UNSEEN = "faster, but the policy that placed the op did not see it"


def without_room(problem: Problem, chosen: Sequence[int], place: Callable[[int], str]) -> str | None:
    """Return where these choices exceed L1; None if they fit. `place` returns the name of the op at a step."""
    options = problem.options(chosen)
    for i, choice in enumerate(chosen):
        if (peak := problem.peak(i, choice, options)) > problem.capacity[i]:
            return f"needs {peak:,} bytes of L1 at {place(i)}, there are {problem.capacity[i]:,}"
    return None


def slower_part(itself: float, operands: float, readers: float) -> str:
    """Return the name of the largest of three costs."""
    reasons = {
        "the op itself is slower": itself,
        "its operands have other layouts": operands,
        "ops that read its result need other layouts": readers,
    }
    return max(reasons, key=reasons.__getitem__)
