"""Integer program that selects the stored results of a forward pass and the recomputed ops."""

from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ttstack.placement.solver import new_solver, run_solver

if TYPE_CHECKING:
    import highspy

_MIB = 2.0**20
"""Bytes are counted in this, for numbers that a solver likes."""
_LIMITS: Mapping[str, float] = {"mip_rel_gap": 0.01, "time_limit": 20.0}


@dataclass(frozen=True)
class Stretch:
    """A part of a forward pass: its ops by position, values by number."""

    makes: Mapping[int, Sequence[int]]
    """Results of each op."""
    reads: Mapping[int, Sequence[int]]
    """Operands of each op that the forward pass computes."""
    ns: Mapping[int, float]
    """Times of the ops that may be recomputed."""
    nbytes: Mapping[int, int]
    """Bytes of each value that is made."""
    needed: AbstractSet[int]
    """Values that are read after the forward pass."""
    base: int
    """Bytes of all other values during the backward pass of the stretch."""


@dataclass(frozen=True)
class RecomputeSolution:
    """The recomputed ops, and a lower bound of nanoseconds, or of bytes if these are minimized."""

    again: AbstractSet[int]
    bound: float


def solve(stretches: Sequence[Stretch], capacity: float | None) -> RecomputeSolution | None:
    """Return the least time within the capacity, or the fewest peak bytes; None if nothing fits or is found.

    While the backward pass goes through a stretch, there are what is kept of it and of those before, and all of it that
    is made again.
    """
    import highspy

    solver = new_solver(_LIMITS)
    makers = {v: i for s in stretches for i, values in s.makes.items() for v in values}
    keep = {v: solver.addBinary() for v in makers}
    again = {i: solver.addBinary() for s in stretches for i in s.ns}
    for stretch in stretches:
        for value in stretch.needed:
            solver.addConstr(keep[value] + again.get(makers[value], 0) >= 1)
        for node in stretch.ns:
            for value in stretch.reads[node]:
                here = again.get(makers[value], 0) if makers[value] in stretch.makes else 0
                solver.addConstr(keep[value] + here >= again[node])
    most = solver.addVariable(lb=0)
    _limit(solver, stretches, keep, again, most)
    if capacity is not None:
        solver.addConstr(most <= capacity / _MIB)
    cost = {i: ns / 1000 for s in stretches for i, ns in s.ns.items()}
    total = solver.qsum(again[i] * us for i, us in cost.items())
    solver.setObjective(total if capacity is not None else most + total * 1e-6, highspy.ObjSense.kMinimize)
    run_solver(solver)
    info = solver.getInfo()
    if info.primal_solution_status != highspy.SolutionStatus.kSolutionStatusFeasible:
        return None
    chosen = frozenset(i for i, variable in again.items() if solver.val(variable) > 0.5)
    return RecomputeSolution(chosen, max(0.0, float(info.mip_dual_bound)) * (1000 if capacity is not None else _MIB))


def _limit(
    solver: "highspy.Highs",
    stretches: Sequence[Stretch],
    keep: Mapping[int, "highspy.highs.highs_var"],
    again: Mapping[int, "highspy.highs.highs_var"],
    most: "highspy.highs.highs_var",
) -> None:
    """Add constraints on the bytes of each stretch and the earlier ones, as differences, so that rows are short."""
    before = solver.addVariable(lb=0, ub=0)
    for stretch in stretches:
        mib = {v: nbytes / _MIB for v, nbytes in stretch.nbytes.items()}
        kept = solver.addVariable(lb=0)
        solver.addConstr(kept == before + solver.qsum(keep[v] * size for v, size in mib.items() if v in keep))
        remade = {i: sum(mib[v] for v in stretch.makes[i]) for i in stretch.ns}
        solver.addConstr(
            most >= kept + stretch.base / _MIB + solver.qsum(again[i] * size for i, size in remade.items())
        )
        before = kept
