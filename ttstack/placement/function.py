"""Placement of a whole function: formulate, solve, find addresses, and say what was decided."""

from collections.abc import Sequence

from ttstack.diagnostics import CapacityError, OverrideError, TTStackError
from ttstack.ops.types import DType, TensorType
from ttstack.placement.formulate import Fixed, Formulation, formulate
from ttstack.placement.graph import Graph, Node
from ttstack.placement.greedy import NoRoomError, greedy_choices
from ttstack.placement.homes import homes
from ttstack.placement.impossible import check_used
from ttstack.placement.optimum import Solution, optimum
from ttstack.placement.overrides import Overrides
from ttstack.placement.plan import Plan, Step
from ttstack.placement.pricing import Candidate, Pricing
from ttstack.placement.repair import Bank, with_addresses
from ttstack.program.device_op import DeviceOp
from ttstack.program.layout import Grid, Layout
from ttstack.system_desc import ChipDesc, SystemDesc

POLICIES = ("greedy", "optimal", "dram")
"""`dram` keeps every tensor in DRAM; `greedy` uses L1 where it fits and pays; `optimal` decides on all ops together."""

BUDGET_SECONDS = 60.0
"""Time after which `optimal` stops to look for better placements and better bounds."""


def place(
    graph: Graph,
    chip: ChipDesc,
    *,
    policy: str = "greedy",
    dtype: DType | None = None,
    weights_dtype: DType | None = None,
    budget: float = BUDGET_SECONDS,
    overrides: Overrides | None = None,
    system: SystemDesc | None = None,
) -> Plan:
    """Layouts, cores and program configurations for all ops.

    No core's L1 is exceeded at any point of the schedule, circular buffers of the running op included, and all
    buffers have addresses at which they never overlap.

    Raises:
        CapacityError: an op's smallest buffers exceed L1 even when no tensor lies there.
        OverrideError: overrides describe no op, or ask for what an op cannot have; one note each.
    """
    pricing, fixed = Pricing(chip, system), _fixed(graph, overrides or Overrides())
    formats = {v: of.dtype for i, of in fixed.items() if of.dtype for v in graph.nodes[i].results}
    where = homes(graph, dtype, weights_dtype or dtype, formats)
    formulation = formulate(graph, where, pricing, fixed, l1=policy != "dram", grids=policy == "optimal")
    try:
        solution = _solved(formulation, policy, budget, chip)
    except NoRoomError as error:
        raise _no_room(graph.nodes[formulation.node_at(error.step)], error, bool(fixed)) from error
    return _plan(graph, formulation, where, solution, pricing)


def _fixed(graph: Graph, overrides: Overrides) -> Fixed:
    nodes = [(i, node) for i, node in enumerate(graph.nodes) if not graph.is_view(node)]
    ops = [(node.op.mnemonic, node.location) for _, node in nodes]
    found, unused = overrides.matching(ops)
    check_used(unused, ops)
    return {i: of for (i, _), of in zip(nodes, found, strict=True) if of}


def _no_room(node: Node, error: NoRoomError, fixed: bool) -> TTStackError:
    message = f"'{node.op.mnemonic}' needs at least {error.need:,} bytes of L1 on each core, there are {error.have:,}"
    if fixed:
        hint = "ask for fewer tensors in L1"
        return OverrideError(f"{message}, with what the overrides keep there", loc=node.location, hint=hint)
    hint = "describe a device with more L1 per core, or use a smaller element format (--dtype)"
    return CapacityError(message, loc=node.location, hint=hint)


def _solved(formulation: Formulation, policy: str, budget: float, chip: ChipDesc) -> Solution:
    problem, bank = formulation.problem, Bank(chip.l1_base, chip.l1_end, chip.l1.alignment_bytes)
    if policy == "optimal":
        return optimum(problem, bank, budget)
    return Solution(with_addresses(problem, greedy_choices, bank))


def _plan(
    graph: Graph, formulation: Formulation, homes: Sequence[Layout], solution: Solution, pricing: Pricing
) -> Plan:
    problem, chosen = formulation.problem, solution.chosen
    options = problem.options(chosen)
    layouts = [formulation.options[owner][options[owner]] for owner in graph.owner]
    placed = {node: formulation.candidates[at][chosen[at]] for at, node in formulation.nodes.items()}
    steps: list[Step] = []
    for i, node in enumerate(graph.nodes):
        if i in placed:
            steps.append(_step(node, placed[i], [layouts[v] for v in node.operands], pricing))
        else:
            layout = layouts[node.operands[0]]
            steps.append(Step(DeviceOp(node.op, (layout,), (layout,), Grid(1, 1)), 0, view=True))
    moved = {v: _change(graph.values[v], layouts[v], homes[v], pricing) for v in formulation.outputs.values()}
    return Plan(
        layouts=tuple(layouts),
        steps=tuple(steps),
        predicted_ns=problem.total(chosen),
        bound_ns=solution.bound,
        outputs={v: step for v, step in moved.items() if step is not None},
    )


def _step(node: Node, candidate: Candidate, have: Sequence[Layout], pricing: Pricing) -> Step:
    wanted = zip(node.op.operands, have, candidate.device_op.operands, strict=True)
    changes = {i: _change(*of, pricing) for i, of in enumerate(wanted)}
    conversions = {i: step for i, step in changes.items() if step is not None}
    return Step(candidate.device_op, candidate.l1_bytes, conversions)


def _change(t: TensorType, source: Layout, target: Layout, pricing: Pricing) -> Step | None:
    """The change of layout; None where there is nothing to change."""
    change = None if source == target else pricing.convert(t, source, target)
    return change and Step(change.device_op, change.l1_bytes)
