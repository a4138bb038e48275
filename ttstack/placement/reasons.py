"""What speaks against a way to place an op, in words."""

from collections.abc import Callable, Sequence

from ttstack.placement.problem import Problem

UNSEEN = "faster, but the policy that placed the op did not see it"


def without_room(problem: Problem, chosen: Sequence[int], place: Callable[[int], str]) -> str | None:
    """Where these choices need more L1 than there is; None where they fit. `place` says what runs at a step."""
    options = problem.options(chosen)
    for i, choice in enumerate(chosen):
        if (peak := problem.peak(i, choice, options)) > problem.capacity[i]:
            return f"needs {peak:,} bytes of L1 at {place(i)}, there are {problem.capacity[i]:,}"
    return None


def slower_part(itself: float, operands: float, readers: float) -> str:
    """Which of three costs is the largest."""
    reasons = {
        "the op itself is slower": itself,
        "its operands have other layouts": operands,
        "those that read its result ask for other layouts": readers,
    }
    return max(reasons, key=reasons.__getitem__)
