"""The whole problem as an integer program, for too many values for a table of combinations.

A binary for each choice of each step. For each read, one variable for each pair of what the value has and what the
reader asks for; its sums over either side equal the sums of the choices that make and that ask for it. That is the
formulation by local marginals: on problems without a capacity whose reads form a tree, its relaxation has whole
solutions. A row for each moment at which something runs keeps the bytes in use under the capacity.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from ttstack.placement.problem import Decision, Problem, Read
from ttstack.placement.solver import new_solver, run_solver

if TYPE_CHECKING:
    import highspy

_KIB = 1024
"""Bytes are counted in this, for numbers that a solver likes."""

_GAPS: Mapping[str, float] = {"mip_rel_gap": 0.0, "mip_abs_gap": 1e-6}


@dataclass(frozen=True)
class Proven:
    """A choice for each step, if one was found, and a proven lower bound of the total."""

    chosen: tuple[int, ...] | None
    bound: float


def solve_program(problem: Problem, start: Sequence[int], seconds: float, nodes: int | None = None) -> Proven:
    """Improve on `start` for at most some seconds and some nodes of the solver's tree of cases.

    Choices that cost infinitely much are never taken.
    """
    limits: dict[str, float | int] = {"time_limit": seconds}
    return _Program(problem).solve(start, limits if nodes is None else limits | {"mip_max_nodes": nodes})


@dataclass
class _SparseRows:
    """A sparse matrix row by row, with bounds."""

    lower: list[float] = field(default_factory=list[float])
    upper: list[float] = field(default_factory=list[float])
    starts: list[int] = field(default_factory=lambda: [0])
    columns: list[int] = field(default_factory=list[int])
    values: list[float] = field(default_factory=list[float])

    def add(self, entries: dict[int, float], lower: float, upper: float) -> None:
        self.columns += entries.keys()
        self.values += entries.values()
        self.starts.append(len(self.columns))
        self.lower.append(lower)
        self.upper.append(upper)


class _Program:
    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        self.rows = _SparseRows()
        self.costs: list[float] = []
        self.choices = [self._variables(step.cost) for step in problem.steps]
        self.whole = len(self.costs)
        """Variables before this index are integers; the others are integers whenever these are."""
        self.makes = {
            v: (i, position) for position, step in enumerate(problem.steps) for i, v in enumerate(step.writes)
        }
        for position, step in enumerate(problem.steps):
            self.rows.add(dict.fromkeys(self.choices[position], 1.0), 1, 1)
            self._capacity(position, [self._pairs(read, step, i, position) for i, read in enumerate(step.reads)])

    def _variables(self, costs: Any) -> list[int]:
        first = len(self.costs)
        self.costs += np.asarray(costs, dtype=float).tolist()
        return list(range(first, len(self.costs)))

    def _making(self, value: int) -> list[list[int]]:
        """For each option of a value, the choices that make it."""
        i, position = self.makes[value]
        variables: list[list[int]] = [[] for _ in self.problem.sizes[value]]
        options: list[int] = self.problem.steps[position].gives[:, i].tolist()
        for variable, option in zip(self.choices[position], options, strict=True):
            variables[option].append(variable)
        return variables

    def _pairs(
        self, read: Read, step: Decision, position: int, step_position: int
    ) -> dict[tuple[int, int], dict[int, float]]:
        """Return, as sums of variables, whether the value has an option and another is required."""
        asking: list[dict[int, float]] = [{} for _ in range(read.cost.shape[1])]
        for variable, need in zip(self.choices[step_position], step.needs[:, position].tolist(), strict=True):
            asking[need][variable] = 1.0
        if read.value not in self.makes:
            for variables, cost in zip(asking, read.cost[0], strict=True):
                for variable in variables:
                    self.costs[variable] += cost
            return {(0, need): variables for need, variables in enumerate(asking)}
        pairs = np.array(self._variables(read.cost.ravel())).reshape(read.cost.shape)
        for have, variables in enumerate(self._making(read.value)):
            self.rows.add({**dict.fromkeys(variables, 1.0), **dict.fromkeys(pairs[have].tolist(), -1.0)}, 0, 0)
        for need, variables in enumerate(asking):
            self.rows.add({**variables, **dict.fromkeys(pairs[:, need].tolist(), -1.0)}, 0, 0)
        return {(h, n): {int(pairs[h, n]): 1.0} for h, n in np.ndindex(*pairs.shape)}

    def _capacity(self, position: int, pairs: Sequence[dict[tuple[int, int], dict[int, float]]]) -> None:
        """One row for each change of layout before the step, and one for the step."""
        problem, step = self.problem, self.problem.steps[position]
        stored: dict[int, float] = {}
        always = 0
        for value in (v for v in problem.live[position] if v not in step.writes):
            always += self._hold(stored, value)
        for read, pair in zip(step.reads, pairs, strict=True):
            during = dict(stored)
            for (have, need), variables in pair.items():
                copied, scratch = int(read.copied[have, need]), int(read.scratch[have, need])
                for variable, times in variables.items():
                    stored[variable] = stored.get(variable, 0.0) + times * copied
                    during[variable] = during.get(variable, 0.0) + times * (copied + scratch)
            self._limit(during, problem.capacity[position] - always)
        for value in step.writes:
            always += self._hold(stored, value)
        for variable, scratch in zip(self.choices[position], step.scratch.tolist(), strict=True):
            stored[variable] = stored.get(variable, 0.0) + scratch
        self._limit(stored, problem.capacity[position] - always)

    def _hold(self, stored: dict[int, float], value: int) -> int:
        """Add the bytes of a value to a row; return the constant bytes of values with one option."""
        sizes = self.problem.sizes[value]
        if value not in self.makes:
            return sizes[0]
        for variables, nbytes in zip(self._making(value), sizes, strict=True):
            for variable in variables if nbytes else ():
                stored[variable] = stored.get(variable, 0.0) + nbytes
        return 0

    def _limit(self, stored: dict[int, float], most: int) -> None:
        if sum(stored.values()) > most:
            self.rows.add({v: b / _KIB for v, b in stored.items() if b}, -np.inf, most / _KIB)

    def solve(self, start: Sequence[int], limits: Mapping[str, float | int]) -> Proven:
        solver = new_solver({**_GAPS, **limits})
        solver.passModel(self._model())
        first_choices = np.array(
            [first[choice] for first, choice in zip(self.choices, start, strict=True)], dtype=np.int32
        )
        solver.setSolution(len(first_choices), first_choices, np.ones(len(first_choices)))
        run_solver(solver)
        alone = sum(float(step.cost.min()) for step in self.problem.steps)
        bound = max(float(solver.getInfo().mip_dual_bound), alone)  # minus infinity where time ended at once
        values = np.array(solver.getSolution().col_value)
        if len(values) != len(self.costs):
            return Proven(None, bound)
        chosen = tuple(int(values[variables[0] : variables[-1] + 1].argmax()) for variables in self.choices)
        return Proven(chosen if self.problem.fits(chosen) else None, bound)

    def _model(self) -> "highspy.HighsLp":
        import highspy

        costs, rows, model = np.array(self.costs), self.rows, highspy.HighsLp()
        possible = np.isfinite(costs)
        model.num_col_, model.num_row_ = len(costs), len(rows.lower)
        model.col_cost_ = np.where(possible, costs, 0.0)
        model.col_lower_, model.col_upper_ = np.zeros(len(costs)), possible.astype(float)
        model.row_lower_, model.row_upper_ = np.array(rows.lower), np.array(rows.upper)
        model.a_matrix_.format_ = highspy.MatrixFormat.kRowwise
        model.a_matrix_.start_ = np.array(rows.starts)
        model.a_matrix_.index_ = np.array(rows.columns)
        model.a_matrix_.value_ = np.array(rows.values)
        kinds = (highspy.HighsVarType.kInteger, highspy.HighsVarType.kContinuous)
        model.integrality_ = [kinds[i >= self.whole] for i in range(len(costs))]
        return model
