"""Recomputation of forward ops in the backward pass of a training step, so that it fits."""

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
"""The first part of the module path of recomputed ops."""
_USABLE = 0.97
"""The share of DRAM that is planned for; fragmentation uses the rest."""


class RecomputeActivations(Pass, PlacementOptions, name="recompute", stage=Stage.SCHEDULE):
    """Recompute activations in the backward pass, to save memory.

    `auto` recomputes as much as a step needs to fit, in the least predicted time; `all` minimizes memory.
    """

    @classmethod
    def from_options(cls, options: PlacementOptions) -> Self:
        """Create the pass from the options of a compilation."""
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
    """Return the module path of a recomputed op."""
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
    """Copy the original before an op, with recomputed operands."""
    with ir.InsertionPoint(op):
        copy = original.clone()
        copy.location = _again(original.location)
    _read_again(copy, numbers, copies, round_)
    for old, new in zip(original.results, copy.results, strict=True):
        copies[round_, numbers[old]] = new


def _read_again(
    op: ir.Operation, numbers: dict[ir.Value, int], copies: dict[tuple[int, int], ir.Value], round_: int
) -> None:
    """Replace operands of an op by their recomputed versions."""
    for position, value in enumerate(op.operands):
        if (new := copies.get((round_, numbers.get(value, -1)))) is not None:
            op.operands[position] = new
