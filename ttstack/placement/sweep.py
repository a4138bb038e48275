"""Greedy placement: ops in order, each with the choice that is best for itself and its next users."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from ttstack.diagnostics import CapacityError
from ttstack.ops.types import DType, TensorType
from ttstack.placement.allocator import Allocator
from ttstack.placement.choices import Choice, choices
from ttstack.placement.graph import Graph, Node
from ttstack.placement.plan import Plan, Step
from ttstack.placement.pricing import Pricing
from ttstack.placement.resident import resident
from ttstack.program.device_op import DeviceOp
from ttstack.program.footprint import footprint
from ttstack.program.layout import Grid, Layout, MemorySpace, storage
from ttstack.system_desc import ChipDesc, SystemDesc

POLICIES = ("greedy", "dram")
"""`dram` keeps every tensor in DRAM; `greedy` uses L1 where it fits and pays."""

_USERS_SEEN = 2
"""Users of a result that a choice looks ahead to."""

Progress = Callable[[int, int], None]


class _NoRoomError(Exception):
    """An op whose buffers do not fit beside the tensors that are live in L1."""

    def __init__(self, live: Iterable[int]) -> None:
        self.live = frozenset(live)


def place(
    graph: Graph,
    chip: ChipDesc,
    *,
    policy: str = "greedy",
    dtype: DType | None = None,
    progress: Progress | None = None,
    system: SystemDesc | None = None,
) -> Plan:
    """Layouts, cores and program configurations for all ops.

    No core's L1 is exceeded at any point of the schedule, circular buffers of the running op included: where
    an op has no room beside live tensors, those go to DRAM and the sweep starts again.

    Raises:
        CapacityError: an op's smallest buffers exceed L1 even when no tensor lies there.
    """
    exiled: frozenset[int] = graph.pinned
    pricing = Pricing(chip, Grid(*chip.grid), system)
    while True:
        sweep = _Sweep(graph, chip, pricing, dtype, policy == "greedy", exiled)
        try:
            return sweep.run(progress or (lambda _done, _of: None))
        except _NoRoomError as e:
            exiled |= e.live


@dataclass
class _Sweep:
    graph: Graph
    chip: ChipDesc
    pricing: Pricing
    dtype: DType | None
    l1: bool
    exiled: frozenset[int]
    layouts: dict[int, Layout] = field(default_factory=dict[int, Layout])
    seen_ahead: dict[Any, float] = field(default_factory=dict[Any, float])
    total: float = 0.0

    def run(self, progress: Progress) -> Plan:
        chip = self.chip
        self.memory = Allocator(chip.l1_base, chip.l1_end, chip.l1.alignment_bytes)
        self.layouts |= {v: self._argument(v) for v in self.graph.arguments}
        self._fill_l1()
        steps: list[Step] = []
        for i, node in enumerate(self.graph.nodes):
            steps.append(self._view(node) if node.is_view else self._place(node))
            self._release(i)
            progress(i + 1, len(self.graph.nodes))
        layouts = tuple(self.layouts[v] for v in range(len(self.graph.values)))
        return Plan(layouts, tuple(steps), self.total)

    def _fill_l1(self) -> None:
        """Put parameters into L1 that are better there from the start."""
        for value in resident(self.graph, self.layouts, self.exiled, self.chip) if self.l1 else ():
            layout = self.layouts[value].interleaved(MemorySpace.L1)
            size = layout.bank_bytes(self.graph.values[value], self.chip.num_cores)
            if self.memory.allocate(value, size) is not None:
                self.layouts[value] = layout

    def _argument(self, value: int) -> Layout:
        """Arguments arrive in DRAM, in rows or as filters where every user reads those, else in tiles."""
        if value in self.graph.on_host:
            return Layout(storage(self.graph.values[value].dtype, self.dtype), True, MemorySpace.SYSTEM_MEMORY)
        users = self.graph.users[value]
        rows = bool(users) and all(position in node.op.host_operands for node, position in users)
        filters = bool(users) and all(position in node.op.filter_operands for node, position in users)
        dtype = storage(self.graph.values[value].dtype, self.dtype)
        return Layout(DType.BF16 if rows and dtype.is_block else dtype, tiled=not rows, filters=filters)

    def _view(self, node: Node) -> Step:
        layout = self.layouts[node.operands[0]]
        self.layouts[node.results[0]] = layout
        return Step(DeviceOp(node.op, (layout,), (layout,), Grid(1, 1)), 0, view=True)

    def _place(self, node: Node) -> Step:
        current = [self.layouts[v] for v in node.operands]
        l1 = self._may_be_in_l1(node)
        best: tuple[float, float, Step, Allocator] | None = None
        for choice in self._choices(node, current, l1):
            if (tried := self._try(node, current, choice)) is None:
                continue
            step, memory, spent = tried
            score = spent + sum(self._ahead(v, x) for v, x in zip(node.results, choice.results, strict=True))
            if best is None or score < best[0]:
                best = score, spent, step, memory
        if best is None:
            raise self._no_room(node, current)
        _, spent, step, self.memory = best
        self.total += spent
        self.layouts |= dict(zip(node.results, step.device_op.results, strict=True))
        return step

    def _choices(self, node: Node, current: Sequence[Layout], l1: bool) -> Iterable[Choice]:
        found = choices(node, current, self.pricing.device, self.dtype, l1)
        if not self.graph.on_host.intersection(node.results):
            return found
        first = next(found)
        return [replace(first, results=tuple(r.interleaved(MemorySpace.SYSTEM_MEMORY) for r in first.results))]

    def _may_be_in_l1(self, node: Node) -> bool:
        return self.l1 and not self.exiled.intersection(node.results)

    def _try(self, node: Node, current: Sequence[Layout], choice: Choice) -> tuple[Step, Allocator, float] | None:
        """The step, the memory after it and its time; None where it does not fit."""
        conversions: dict[int, Step] = {}
        memory, spent = self.memory.copy(), 0.0
        for i, (have, need) in enumerate(zip(current, choice.operands, strict=True)):
            if have == need:
                continue
            t = self.graph.values[node.operands[i]]
            device_op = self.pricing.convert(t, have, need, memory.lowest - memory.base)
            step = None if device_op is None else self._allocate(memory, Step(device_op, 0), [-1 - i])
            if step is None:
                return None
            conversions[i] = step
            spent += self.pricing.price(step.device_op)
        budget = memory.lowest - memory.base
        where = (choice.grid, choice.spread)
        device_op = self.pricing.configure(node.op, choice.operands, choice.results, where, budget)
        step = None if device_op is None else self._allocate(memory, Step(device_op, 0, conversions), node.results)
        if step is None:
            return None
        for i in conversions:
            memory.free(-1 - i)
        return step, memory, spent + self.pricing.price(step.device_op)

    def _allocate(self, memory: Allocator, step: Step, owners: Sequence[int]) -> Step | None:
        """The step with its buffers' size, its results allocated above them; None where there is no room."""
        buffers = footprint(step.device_op, self.chip)
        floor = memory.base + buffers
        if floor > memory.lowest:
            return None
        banks = self.chip.num_cores
        for owner, t, layout in zip(owners, step.device_op.op.results, step.device_op.results, strict=True):
            if layout.in_l1 and memory.allocate(owner, layout.bank_bytes(t, banks), floor) is None:
                return None
        return Step(step.device_op, buffers, step.conversions)

    def _ahead(self, value: int, layout: Layout) -> float:
        """The best time of the value's next users, with all else in DRAM."""
        total = 0.0
        for user, position in self.graph.users[value][:_USERS_SEEN]:
            if user.is_view:
                total += self._ahead(user.results[0], layout)
                continue
            current = [
                self.layouts.get(v, Layout(storage(self.graph.values[v].dtype, self.dtype))) for v in user.operands
            ]
            current[position] = layout
            key = (user.op, position, tuple(current), self._may_be_in_l1(user))
            if key not in self.seen_ahead:
                self.seen_ahead[key] = self._best(user, position, current)
            total += self.seen_ahead[key]
        return total

    def _best(self, user: Node, position: int, current: Sequence[Layout]) -> float:
        """The least time of one user, the change of layout of the operand at `position` included."""
        prices: list[float] = []
        for choice in choices(user, current, self.pricing.device, self.dtype, self._may_be_in_l1(user)):
            where = (choice.grid, choice.spread)
            budget = self.chip.l1_usable_bytes
            op = self.pricing.configure(user.op, choice.operands, choice.results, where, budget)
            if op is not None:
                change = self._conversion(user.op.operands[position], current[position], choice.operands[position])
                prices.append(self.pricing.price(op) + change)
        return min(prices, default=0.0)

    def _conversion(self, t: TensorType, have: Layout, need: Layout) -> float:
        if have == need:
            return 0.0
        op = self.pricing.convert(t, have, need, self.chip.l1_usable_bytes)
        return 0.0 if op is None else self.pricing.price(op)

    def _release(self, position: int) -> None:
        """Free the buffers that no later op uses."""
        for value in {self.graph.owner[v] for n in (self.graph.nodes[position],) for v in (*n.operands, *n.results)}:
            if self.graph.last_use[value] == position:
                self.memory.free(value)

    def _no_room(self, node: Node, current: Sequence[Layout]) -> Exception:
        if live := {owner for _, _, owner in self.memory.live}:
            return _NoRoomError(live)
        choice = next(choices(node, current, self.pricing.device, self.dtype, l1=False))
        need = self.pricing.smallest(node.op, choice.operands, choice.results, choice.grid)
        return CapacityError(
            f"'{node.op.mnemonic}' needs at least {need:,} bytes of L1 on each core, there are "
            f"{self.chip.l1_usable_bytes:,}",
            loc=node.location,
            notes=(f"operands {', '.join(map(str, node.op.operands))}", *(f"result {t}" for t in node.op.results)),
            hint="describe a device with more L1 per core, or use a smaller element format (--dtype)",
        )
