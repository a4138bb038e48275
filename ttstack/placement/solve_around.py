"""Cost of a function with fixed layouts of one op, and all other ops placed anew."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from ttstack.device.device_op import DeviceOp
from ttstack.placement.formulate import formulate
from ttstack.placement.graph_from_program import ProgramGraph
from ttstack.placement.optimal import solve_optimal
from ttstack.placement.pricing import Pricing
from ttstack.placement.solve_with_addresses import Bank


def solve_around(
    program: ProgramGraph, node: int, placements: Sequence[DeviceOp], pricing: Pricing, seconds: float
) -> Iterator[float]:
    """For each way to place the node, the nanoseconds of the best function that has these layouts there.

    Each is searched for at most some seconds.
    """
    free = formulate(program.graph, program.homes, pricing, {}, l1=True, grids=True)
    position = next(step for step, index in free.nodes.items() if index == node)
    problem, chip = free.problem, pricing.chip
    bank = Bank(chip.l1_base, chip.l1_end, chip.l1.alignment_bytes)
    for placement in placements:
        alike = [i for i, c in enumerate(free.candidates[position]) if _layouts(c.device_op) == _layouts(placement)]
        step = problem.steps[position].keep(alike)
        fixed = replace(problem, steps=(*problem.steps[:position], step, *problem.steps[position + 1 :]))
        yield fixed.total(solve_optimal(fixed, bank, seconds).chosen)


def _layouts(op: DeviceOp) -> object:
    return op.operands, op.results
