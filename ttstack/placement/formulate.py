"""Conversion of a graph of ops to a numeric placement problem, and back."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache

import numpy as np

from ttstack.device.layout import Layout
from ttstack.ops.mesh import MeshShard
from ttstack.ops.types import TensorType
from ttstack.placement.candidate_table import CandidateTable
from ttstack.placement.candidates import candidates
from ttstack.placement.graph import Graph, Node
from ttstack.placement.grids import legal_grids
from ttstack.placement.no_room import op_without_room
from ttstack.placement.override_faults import check_possible, place_faults
from ttstack.placement.overrides import OpOverride
from ttstack.placement.parameter_layouts import starts
from ttstack.placement.pricing import Candidate, Pricing
from ttstack.placement.problem import Decision, Problem, Read
from ttstack.placement.question import Question, plain
from ttstack.placement.schedule import ScheduleSlot, schedule
from ttstack.system_desc import ChipDesc

Fixed = Mapping[int, OpOverride]
"""Constraints of the user, by the number of the node."""


_TABLES, _READS = 4096, 8192
"""Questions, and reads of tensors, whose answers a process keeps: 9 and 1 KiB each; a large model has 300."""


@dataclass(frozen=True)
class Formulation:
    """A problem, with the candidates and layouts of its numbers."""

    problem: Problem
    nodes: Mapping[int, int]
    """For each step that runs an op, the node of the graph."""
    candidates: Mapping[int, tuple[Candidate, ...]]
    """For each step with an op, the candidate of each choice."""
    starts: Mapping[int, int]
    """For each step that selects the initial layout of a parameter, that parameter."""
    outputs: Mapping[int, int]
    """For each step that puts an output into DRAM, that value."""
    options: tuple[tuple[Layout, ...], ...]
    """For each value, the layout of each option; values without their own buffer have none."""

    def instead(self, now: Sequence[int], position: int, choice: int) -> list[int]:
        """Other choices, with this one at a step; parameters that it reads start as it asks for them."""
        step, chosen = self.problem.steps[position], [*now[:position], choice, *now[position + 1 :]]
        wanted = {read.value: read.cost[:, need] for read, need in zip(step.reads, step.needs[choice], strict=True)}
        for start, value in self.starts.items():
            if value in wanted:
                chosen[start] = int(wanted[value].argmin())
        return chosen

    def node_at(self, step: int) -> int:
        """Return the node at a step, or the last one before it; the first node if there is none."""
        return self.nodes[max((position for position in self.nodes if position <= step), default=min(self.nodes))]


def formulate(
    graph: Graph,
    homes: Sequence[Layout],
    pricing: Pricing,
    fixed: Fixed,
    *,
    l1: bool,
    grids: bool,
    faults: Sequence[str] = (),
) -> Formulation:
    """Formulate the placement of all ops of a graph as one problem.

    `homes` are the layouts of all values while none is in L1. Without `l1`, none ever is; without `grids`, ops on
    pages run on their usual cores. `fixed` is what the user asks of nodes; `faults` says what else of it cannot be.

    Raises:
        CapacityError: an op's smallest buffers exceed L1 even when no tensor lies there.
        OverrideError: ops cannot be placed as the user asks; one note each.
    """
    return _Formulator(graph, homes, pricing, l1, grids, fixed, faults).run()


@dataclass
class _Formulator:
    graph: Graph
    homes: Sequence[Layout]
    pricing: Pricing
    l1: bool
    grids: bool
    fixed: Fixed
    faults: Sequence[str]
    broken: dict[int, Counter[str]] = field(default_factory=dict[int, Counter[str]])
    """Rules that ways to place a node broke which overrides ask for."""

    def run(self) -> Formulation:
        graph, chip, nodes = self.graph, self.pricing.chip, self.graph.placed
        wrong = {i for i, asked in self.fixed.items() if any(place_faults(asked, graph.nodes[i], graph, chip))}
        candidate_tables = [CandidateTable(()) if i in wrong else self._candidates(i, graph.nodes[i]) for i in nodes]
        without = [
            (i, graph.nodes[i]) for i, table in zip(nodes, candidate_tables, strict=True) if not table.candidates
        ]
        check_possible(self.fixed, without, graph, chip, self.faults, self.broken)
        options = self._options(nodes, candidate_tables)
        moments = schedule(graph, {v for v, layouts in enumerate(options) if layouts != (self.homes[v],)})
        tables = dict(zip(nodes, candidate_tables, strict=True))
        steps = [_arrival(value, len(options[value])) for value in sorted(self.starts)]
        first = len(steps)
        steps += [self._moment(moment, tables, options) for moment in moments]
        usable = chip.l1_end // chip.l1.alignment_bytes * chip.l1.alignment_bytes - chip.l1_base
        sizes = tuple(tuple(self._l1_bytes(v, layout) for layout in layouts) for v, layouts in enumerate(options))
        problem = Problem(sizes, tuple(steps), (usable,) * len(steps))
        kept = [never_worse(problem, position) for position in range(len(steps))]
        steps = [step.keep(rows) for step, rows in zip(steps, kept, strict=True)]
        ran = {position: moment.node for position, moment in enumerate(moments, first) if moment.output is None}
        return Formulation(
            problem=Problem(sizes, tuple(steps), problem.capacity),
            nodes=ran,
            candidates={
                position: tuple(tables[node].candidates[row] for row in kept[position])
                for position, node in ran.items()
            },
            starts=dict(enumerate(sorted(self.starts))),
            outputs={
                position: moment.output for position, moment in enumerate(moments, first) if moment.output is not None
            },
            options=tuple(options),
        )

    def _options(self, nodes: Sequence[int], tables: Sequence[CandidateTable]) -> list[tuple[Layout, ...]]:
        """For each value, the layouts that some candidate of its op gives it, or that a parameter can start with."""
        options: list[tuple[Layout, ...]] = [(home,) for home in self.homes]
        for i, table in zip(nodes, tables, strict=True):
            for value, layouts in zip(self.graph.nodes[i].results, table.makes, strict=True):
                options[value] = layouts
        for value, others in self.starts.items():
            options[value] = (self.homes[value], *others)
        return options

    @cached_property
    def starts(self) -> Mapping[int, tuple[Layout, ...]]:
        """Return the parameters that can start in other layouts, with these layouts."""
        return starts(self.graph, self.homes, self.pricing.chip) if self.l1 else {}

    def _candidates(self, index: int, node: Node) -> CandidateTable:
        graph, homes = self.graph, self.homes
        home = tuple(homes[v] for v in node.operands)
        paged = node.op.host_operands | node.op.filter_operands
        movable = tuple(i not in paged and self._may_be_in_l1(graph.owner[v]) for i, v in enumerate(node.operands))
        start = tuple(self.starts.get(v, ()) for v in node.operands)
        free = tuple(self._may_be_in_l1(v) for v in node.results)
        results = tuple(homes[v] for v in node.results)
        grids = node.grids or legal_grids(node.op, self.pricing.device)
        tried = grids if self.grids else grids[:1]
        fixed = self.fixed.get(index)
        fidelity = fixed.fidelity if fixed and fixed.fidelity else node.fidelity
        question = Question(node.op, home, movable, results, free, tried, start, fixed, fidelity, node.sums)
        table = _table(question, self.pricing)
        if not table.candidates and question.fixed and not question.broken:  # an equal one noted why
            table = CandidateTable(candidates(question, self.pricing))
        self.broken[index] = question.broken
        if not table.candidates and not question.fixed:
            raise op_without_room(node, plain(question, self.pricing.device), self.pricing)
        return table

    def _loads_weight(self, node: Node) -> bool:
        """Return True if the node puts a weight on the devices: once, before the first pass, and in no report."""
        return isinstance(node.op, MeshShard) and node.operands[0] in self.graph.parameters

    def _may_be_in_l1(self, buffer: int) -> bool:
        graph = self.graph
        elsewhere = buffer in graph.pinned or buffer in graph.arguments or self.homes[buffer].on_host
        return self.l1 and not elsewhere

    def _moment(
        self, moment: ScheduleSlot, tables: Mapping[int, CandidateTable], options: Sequence[tuple[Layout, ...]]
    ) -> Decision:
        if moment.output is None:
            return self._step(self.graph.nodes[moment.node], tables[moment.node], options, moment.dies)
        value, owner = moment.output, self.graph.owner[moment.output]
        read = self._read(value, options[owner], (self.homes[value],))
        asks, nothing = np.zeros((1, 1), dtype=np.int64), np.zeros(1, dtype=np.int64)
        return Decision((read,), (), asks, asks[:, :0], np.zeros(1), nothing, moment.dies)

    def _step(
        self, node: Node, table: CandidateTable, options: Sequence[tuple[Layout, ...]], dies: tuple[int, ...]
    ) -> Decision:
        reads = zip(node.operands, table.reads, strict=True)
        return Decision(
            reads=tuple(self._read(v, options[self.graph.owner[v]], asked) for v, asked in reads),
            writes=node.results,
            needs=table.needs,
            gives=table.gives,
            cost=np.zeros_like(table.price_ns) if self._loads_weight(node) else table.price_ns,
            scratch=table.scratch,
            dies=dies,
        )

    def _read(self, value: int, have: tuple[Layout, ...], need: tuple[Layout, ...]) -> Read:
        return replace(_read(self.graph.values[value], have, need, self.pricing), value=self.graph.owner[value])

    def _l1_bytes(self, value: int, layout: Layout) -> int:
        return _bytes(self.graph.values[value], layout, self.pricing.chip)


@lru_cache(_TABLES)
def _table(question: Question, pricing: Pricing) -> CandidateTable:
    return CandidateTable(candidates(question, pricing))


@lru_cache(_READS)
def _read(t: TensorType, have: tuple[Layout, ...], need: tuple[Layout, ...], pricing: Pricing) -> Read:
    """Return the cost of reading a tensor, for each existing and each required layout; value 0."""
    cost = np.zeros((len(have), len(need)))
    copied, scratch = (np.zeros((len(have), len(need)), dtype=np.int64) for _ in range(2))
    for i, source in enumerate(have):
        for j, target in enumerate(need):
            if source == target:
                continue
            change = pricing.convert(t, source, target)
            cost[i, j] = np.inf if change is None else change.price_ns
            copied[i, j] = _bytes(t, target, pricing.chip)
            scratch[i, j] = pricing.chip.l1.size_bytes if change is None else change.circular_buffer_bytes
    return Read(0, cost, copied, scratch, np.array([[source != target for target in need] for source in have]))


def _bytes(t: TensorType, layout: Layout, chip: ChipDesc) -> int:
    """Return bytes of L1 on each core, rounded up to the alignment."""
    alignment = chip.l1.alignment_bytes
    return -(-layout.bank_bytes(t, chip.num_cores) // alignment) * alignment if layout.in_l1 else 0


def _arrival(value: int, count: int) -> Decision:
    """Return the choice between `count` layouts for a parameter that is there from the start."""
    choices, none = np.arange(count), np.zeros((count, 0), dtype=np.int64)
    return Decision((), (value,), none, choices.reshape(-1, 1), np.zeros(count), np.zeros(count, dtype=np.int64), ())


def never_worse(problem: Problem, position: int) -> list[int]:
    """Return the choices of a step without those that are slower than one with equal layouts that fits beside anything.

    No optimum is lost: whatever else is in L1, the faster one can stand in for the slower.
    """
    step = problem.steps[position]
    most = sum(max(problem.sizes[v]) for v in problem.live[position])
    most += sum(int(read.copied.max(initial=0)) for read in step.reads)
    layouts = np.concatenate([step.needs, step.gives], axis=1).tolist()
    best: dict[tuple[int, ...], int] = {}
    kept: list[int] = []
    for choice in np.argsort(step.cost, kind="stable").tolist():
        key = tuple(layouts[choice])
        if key in best:
            continue
        kept.append(choice)
        if most + step.scratch[choice] <= problem.capacity[position]:
            best[key] = choice
    return sorted(kept)
