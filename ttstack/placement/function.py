"""Placement of a function: formulate, solve, assign addresses, and record the decisions."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from ttstack.device.device_op import DeviceOp
from ttstack.device.layout import Grid, Layout
from ttstack.ops.types import TensorType
from ttstack.options.choices import Policy
from ttstack.placement.default_layouts import default_layouts, with_recasts
from ttstack.placement.formulate import Formulation, formulate
from ttstack.placement.graph import Graph, Node
from ttstack.placement.greedy import NoRoomError, cautious_choices, greedy_choices
from ttstack.placement.match_overrides import argument_formats, match_overrides
from ttstack.placement.no_room import step_without_room
from ttstack.placement.optimal import Solution, solve_optimal
from ttstack.placement.options import PlacementOptions
from ttstack.placement.overrides import Overrides
from ttstack.placement.plan import PlacedNode, Plan
from ttstack.placement.precision import Exactness
from ttstack.placement.pricing import Candidate, Pricing
from ttstack.placement.solve_with_addresses import Bank, with_addresses
from ttstack.placement.trace import trace_placement
from ttstack.system_desc import ChipDesc, SystemDesc

_NO_OPTIONS = PlacementOptions()


def place(
    graph: Graph,
    chip: ChipDesc,
    options: PlacementOptions = _NO_OPTIONS,
    *,
    system: SystemDesc | None = None,
    traced: bool = False,
) -> Plan:
    """Layouts, cores and program configurations for all ops.

    No core's L1 is exceeded at any point of the schedule, circular buffers of the running op included, and all
    buffers have addresses at which they never overlap. What the library would not do by itself must be faster by more
    than `placement_caution` times what its prediction may be wrong by. `traced` keeps what else each op could have had.

    Raises:
        CapacityError: an op's smallest buffers exceed L1 even when no tensor lies there.
        OverrideError: overrides describe no op, or ask for what an op cannot have; one note each.
    """
    pricing = Pricing.of(chip, system, options.placement_caution)
    overrides = options.overrides or Overrides()
    exactness = Exactness(graph, options.dtype, options.weights_dtype, options.half_dtype, options.precision)
    formats = exactness.formats()
    graph = with_recasts(exactness.with_fidelities(), formats, argument_formats(graph, overrides))
    wanted = match_overrides(graph, overrides)
    where = default_layouts(graph, formats, wanted.formats)
    l1, every = options.placement is not Policy.DRAM, options.placement is Policy.OPTIMAL
    formulation = formulate(graph, where, pricing, wanted.ops, l1=l1, grids=every, faults=wanted.faults)
    try:
        solution = _solve(formulation, chip, options)
    except NoRoomError as error:
        node = graph.nodes[formulation.node_at(error.step)]
        raise step_without_room(graph, node, formulation.problem, error, asked=bool(wanted.ops)) from error
    plan = _plan(graph, formulation, where, solution, pricing)
    if not traced:
        return plan
    trace = trace_placement(graph, formulation, solution, options.placement, plan.predicted_ns, plan.bound_ns)
    return replace(plan, trace=trace)


def _solve(formulation: Formulation, chip: ChipDesc, options: PlacementOptions) -> Solution:
    problem, bank = formulation.problem, Bank(chip.l1_base, chip.l1_end, chip.l1.alignment_bytes)
    match options.placement:
        case Policy.OPTIMAL:
            return solve_optimal(problem, bank, options.seconds, options.placement_nodes)
        case Policy.GREEDY:
            return Solution(with_addresses(problem, cautious_choices, bank))
        case Policy.DRAM:
            return Solution(with_addresses(problem, greedy_choices, bank))


def _plan(
    graph: Graph, formulation: Formulation, homes: Sequence[Layout], solution: Solution, pricing: Pricing
) -> Plan:
    problem, chosen = formulation.problem, solution.chosen
    options = problem.options(chosen)
    layouts = [formulation.options[owner][options[owner]] for owner in graph.owner]
    placed = {node: formulation.candidates[position][chosen[position]] for position, node in formulation.nodes.items()}
    steps: list[PlacedNode] = []
    for i, node in enumerate(graph.nodes):
        if i in placed:
            steps.append(_step(node, placed[i], [layouts[v] for v in node.operands], pricing))
        else:
            layout = layouts[node.operands[0]]
            steps.append(PlacedNode(DeviceOp(node.op, (layout,), (layout,), Grid(1, 1)), 0, view=True))
    price, predicted = problem.total(chosen), _predicted(graph, formulation, chosen, pricing, homes)
    greedy = predicted if solution.greedy is None else _predicted(graph, formulation, solution.greedy, pricing, homes)
    moved = {v: _change(graph.values[v], layouts[v], homes[v], pricing) for v in formulation.outputs.values()}
    return Plan(
        layouts=tuple(layouts),
        steps=tuple(steps),
        predicted_ns=predicted,
        bound_ns=None if solution.bound is None else predicted - (price - solution.bound),
        greedy_saves_ns=max(predicted - greedy, 0.0),
        outputs={v: step for v, step in moved.items() if step is not None},
    )


def _predicted(
    graph: Graph, formulation: Formulation, chosen: Sequence[int], pricing: Pricing, homes: Sequence[Layout]
) -> float:
    """Return the time of these choices, without the uncertainty in their price."""
    options = formulation.problem.options(chosen)
    layouts = [formulation.options[owner][options[owner]] for owner in graph.owner]
    risks = _risks(graph, formulation, layouts, chosen, pricing, homes)
    return formulation.problem.total(chosen) - sum(map(float, risks))


def _risks(
    graph: Graph,
    formulation: Formulation,
    layouts: Sequence[Layout],
    chosen: Sequence[int],
    pricing: Pricing,
    homes: Sequence[Layout],
) -> Iterator[float]:
    """Yield the uncertainty in the price of the chosen placement, op by op and change by change."""
    for position, index in formulation.nodes.items():
        candidate = formulation.candidates[position][chosen[position]]
        if formulation.problem.steps[position].cost[chosen[position]]:
            yield candidate.risk_ns
        for v, wanted in zip(graph.nodes[index].operands, candidate.device_op.operands, strict=True):
            yield _change_risk(graph.values[v], layouts[v], wanted, pricing)
    for v in formulation.outputs.values():
        yield _change_risk(graph.values[v], layouts[v], homes[v], pricing)


def _change_risk(t: TensorType, source: Layout, target: Layout, pricing: Pricing) -> float:
    change = None if source == target else pricing.convert(t, source, target)
    return change.risk_ns if change else 0.0


def _step(node: Node, candidate: Candidate, have: Sequence[Layout], pricing: Pricing) -> PlacedNode:
    wanted = zip(node.op.operands, have, candidate.device_op.operands, strict=True)
    changes = {i: _change(*change, pricing) for i, change in enumerate(wanted)}
    conversions = {i: step for i, step in changes.items() if step is not None}
    return PlacedNode(candidate.device_op, candidate.circular_buffer_bytes, conversions)


def _change(t: TensorType, source: Layout, target: Layout, pricing: Pricing) -> PlacedNode | None:
    """Return the change of layout; None if nothing changes."""
    change = None if source == target else pricing.convert(t, source, target)
    return change and PlacedNode(change.device_op, change.circular_buffer_bytes)
