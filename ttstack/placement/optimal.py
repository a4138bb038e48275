"""The best placement that is found within a budget, and how much better another can be at most."""

import time
from collections.abc import Sequence
from dataclasses import dataclass

from ttstack.placement.greedy import cautious_choices
from ttstack.placement.integer_program import solve_program
from ttstack.placement.problem import Problem
from ttstack.placement.solve_with_addresses import Bank, with_addresses


@dataclass(frozen=True)
class Solution:
    """A choice for each step, and a proven lower bound of the total; None without a proof."""

    chosen: tuple[int, ...]
    bound: float | None = None
    greedy: tuple[int, ...] | None = None
    """The choices that the search began with."""


def solve_optimal(problem: Problem, bank: Bank, seconds: float, nodes: int | None = None) -> Solution:
    """Return the optimum if it is found within seconds and nodes, otherwise the best known solution.

    The bound is that of the whole problem, whatever room is lost between buffers: it holds for every placement.
    """
    end = time.monotonic() + seconds
    start = with_addresses(problem, cautious_choices, bank)
    whole = solve_program(problem, start, seconds, nodes)

    def solve(tightened: Problem) -> Sequence[int]:
        if tightened is problem:
            return whole.chosen or start
        left = max(end - time.monotonic(), 0.0)
        return solve_program(tightened, start, left, nodes).chosen or cautious_choices(tightened)

    placed = with_addresses(problem, solve, bank)
    return Solution(min(placed, start, key=problem.total), whole.bound, start)
