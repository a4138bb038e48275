"""Ops of a step's forward pass that run again in its backward pass, so that the step fits."""

from typing import Self

from ttstack.buffers.memory import Memory
from ttstack.device.layout import MemorySpace
from ttstack.dialects.location import read_location
from ttstack.dialects.placement_attrs import RECOMPUTED
from ttstack.dialects.python_attributes import plain_attribute
from ttstack.mlir import func, ir
from ttstack.ops.base import Op
from ttstack.options.choices import Recompute
from ttstack.passes.base import Pass
from ttstack.passes.functions import body, functions, system_desc
from ttstack.passes.rewriting.function_graph import FunctionGraph, function_graph
from ttstack.passes.rewriting.prices import alone_ns
from ttstack.passes.stages import Stage
from ttstack.passes.target import target_chip
from ttstack.placement import PlacementOptions
from ttstack.placement.default_layouts import default_layouts
from ttstack.placement.options import Formats
from ttstack.placement.precision import Exactness
from ttstack.placement.recompute import WeighedStep, choose, least
from ttstack.program.step_parts import StepPart, split_part
from ttstack.system_desc import ChipDesc

AGAIN = "recompute"
"""How paths of ops begin that run again."""
_USABLE = 0.97
"""The share of DRAM that is planned for: addresses leave gaps."""


class RecomputeActivations(Pass, PlacementOptions, name="recompute", stage=Stage.SCHEDULE):
    """What runs again stands before the first op of the backward pass that needs it, and is told from its first run.

    With `auto`, as much as a step needs to fit, in the least predicted time; with `all`, whatever leaves the fewest
    bytes.
    """

    @classmethod
    def from_options(cls, options: PlacementOptions) -> Self:
        """The pass as a compilation asks for it."""
        return cls(**{name: getattr(options, name) for name in ("recompute", *Formats.model_fields)})

    def run(self, module: ir.Module) -> None:
        """Look at every function."""
        if self.recompute is Recompute.NONE:
            return
        desc = system_desc(module)
        for function in functions(module):
            if any(_part(op) == StepPart.BACKWARD for op in body(function)):
                self._recompute(function, target_chip(function, desc))

    def _recompute(self, function: func.FuncOp, chip: ChipDesc) -> None:
        ir_graph = function_graph(function)
        step, dram = self._step(ir_graph, chip), Memory.of(chip, MemorySpace.DRAM)
        capacity = int(dram.capacity * dram.banks * _USABLE)
        chosen = least(step) if self.recompute is Recompute.ALL else choose(step, capacity)
        numbers = {v: i for i, v in enumerate(ir_graph.values)}
        rounds = {reader: n for n, (_, late) in enumerate(step.rounds) for reader in late}
        copies = dict[tuple[int, int], ir.Value]()
        for reader, round_ in rounds.items():
            op = ir_graph.operations[reader]
            for node in chosen.before.get(reader, ()):
                _copy_before(op, ir_graph.operations[node], numbers, copies, round_)
            _read_again(op, numbers, copies, round_)
        if chosen.before:
            proven = [] if chosen.bound_ns is None else [chosen.bound_ns]
            function.attributes[RECOMPUTED] = plain_attribute([chosen.ns, *proven])

    def _step(self, ir_graph: FunctionGraph, chip: ChipDesc) -> WeighedStep:
        graph, times = ir_graph.graph, dict[Op, float]()
        banks = Memory.of(chip, MemorySpace.DRAM).banks
        exactness = Exactness(graph, self.dtype, self.weights_dtype, self.half_dtype, self.precision)
        layouts = default_layouts(graph, exactness.formats())

        def ns(node: int) -> float:
            op = graph.nodes[node].op
            if op not in times:
                times[op] = alone_ns(op, chip, self.dtype)
            return times[op]

        return WeighedStep(
            graph=graph,
            parts=[_part(op) for op in ir_graph.operations],
            nbytes=[banks * layout.bank_bytes(t, banks) for layout, t in zip(layouts, graph.values, strict=True)],
            ns=ns,
        )


def _part(op: ir.Operation) -> str:
    return split_part(read_location(op.location))[0]


def _again(location: ir.Location) -> ir.Location:
    """The path of the module as part of what is computed again."""
    text = read_location(location)
    module, place = split_part(text)[1], text.partition(" ")[2]
    return ir.Location.name(".".join(filter(None, (AGAIN, module))) + (f" {place}" if place else ""))


def _copy_before(
    op: ir.Operation,
    original: ir.Operation,
    numbers: dict[ir.Value, int],
    copies: dict[tuple[int, int], ir.Value],
    round_: int,
) -> None:
    """The original once more, on what ran again before it."""
    with ir.InsertionPoint(op):
        copy = original.clone()
        copy.location = _again(original.location)
    _read_again(copy, numbers, copies, round_)
    for old, new in zip(original.results, copy.results, strict=True):
        copies[round_, numbers[old]] = new


def _read_again(
    op: ir.Operation, numbers: dict[ir.Value, int], copies: dict[tuple[int, int], ir.Value], round_: int
) -> None:
    """Let it read what was made again."""
    for position, value in enumerate(op.operands):
        if (new := copies.get((round_, numbers.get(value, -1)))) is not None:
            op.operands[position] = new
