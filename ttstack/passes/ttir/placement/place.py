"""Placement: choice of layouts, memories, cores and configurations for all ops, written into types and attributes."""

import logging
from dataclasses import dataclass, field
from typing import Self

from pydantic import PrivateAttr

from ttstack.cost import predict
from ttstack.device.layout import Layout
from ttstack.dialects.built_ops import insert_before
from ttstack.dialects.defining_op import defining_op
from ttstack.dialects.functions import refresh_signature
from ttstack.dialects.location import read_location
from ttstack.dialects.placement_attrs import BOUND, GREEDY_SAVES, PlacementAttrs, write_placement
from ttstack.dialects.python_attributes import plain_attribute
from ttstack.dialects.tt import layout_attribute
from ttstack.dialects.ttir import build_to_layout
from ttstack.dialects.ttir.destination import is_overwritten
from ttstack.dialects.types import read_type
from ttstack.mlir import func, ir
from ttstack.passes.base import Pass
from ttstack.passes.functions import body, functions, system_desc
from ttstack.passes.rewriting.function_graph import FunctionGraph, function_graph, inputs_of
from ttstack.passes.stages import Stage
from ttstack.passes.target import target_chip
from ttstack.placement import PlacedNode, PlacementOptions, Plan, place
from ttstack.placement.trace import PlacementTrace
from ttstack.support import logs

_LOG = logs.channel("placement")


class Place(
    Pass, PlacementOptions, name="place", stage=Stage.PLACEMENT, after={"assign-grids": "it chooses one of the grids"}
):
    """Choose the layout of every tensor and the grid of every op; insert `ttir.to_layout` where layouts change."""

    _traces: dict[str, PlacementTrace] | None = PrivateAttr(default=None)

    def with_traces(self, traces: dict[str, PlacementTrace]) -> Self:
        """Return a copy of the pass that stores the decisions for each function in `traces`, by name."""
        same = self.model_copy()
        same._traces = traces
        return same

    def run(self, module: ir.Module) -> None:
        """Place each function separately."""
        desc = system_desc(module)
        for function in functions(module):
            ir_graph, chip = function_graph(function), target_chip(function, desc)
            traced = self._traces is not None
            plan = place(ir_graph.graph, chip, self, system=desc, traced=traced)
            if self._traces is not None and plan.trace is not None:
                self._traces[function.name.value] = plan.trace
            if _LOG.isEnabledFor(logging.INFO):
                _log_plan(function.name.value, ir_graph, plan)
            spared = _apply(function, ir_graph, plan)
            if plan.bound_ns is not None:  # which counts copies that any placement is spared
                less = sum(predict(conversion.device_op, chip).elapsed_ns for conversion in spared)
                function.attributes[BOUND] = plain_attribute(plan.bound_ns - less)
            if plan.greedy_saves_ns:
                function.attributes[GREEDY_SAVES] = plain_attribute(plan.greedy_saves_ns)
            refresh_signature(function)

    def __str__(self) -> str:
        return super().__str__() if self.overrides is None else str(self.model_copy(update={"overrides": None}))


def _log_plan(function: str, ir_graph: FunctionGraph, plan: Plan) -> None:
    """Log how many values stay in L1, how many layouts change, and the predicted time; at `debug`, each op."""
    in_l1 = sum(layout.in_l1 for layout in plan.layouts)
    changes = sum(len(step.conversions) for step in plan.steps) + len(plan.outputs)
    bound = "" if plan.bound_ns is None else f", proven bound {plan.bound_ns / 1000:.1f} µs"
    _LOG.info(
        "%s: %d ops, %d of %d tensors in L1, %d changes of layout, predicted %.1f µs%s",
        *(function, len(plan.steps), in_l1, len(plan.layouts), changes, plan.predicted_ns / 1000, bound),
    )
    if not _LOG.isEnabledFor(logging.DEBUG):
        return
    for op, step in zip(ir_graph.operations, plan.steps, strict=True):
        placed = step.device_op
        results = ", ".join(f"{layout.memory_space} {layout.memory_layout}" for layout in placed.results)
        changes = f", {len(step.conversions)} operands change layout" if step.conversions else ""
        _LOG.debug(
            "%s at %s: grid %s, result in %s%s", op.name, read_location(op.location), placed.grid, results, changes
        )


def _apply(function: func.FuncOp, ir_graph: FunctionGraph, plan: Plan) -> list[PlacedNode]:
    """Apply the plan; return its changes of layout that the function does not need."""
    for value, layout in zip(ir_graph.values, plan.layouts, strict=True):
        _set_layout(value, layout)
    copies = _Copies()
    for op, step in zip(ir_graph.operations, plan.steps, strict=True):
        _write(op, step, copies)
        if op.name == "ttir.generic":
            _give_destination(op)
    for value, conversion in plan.outputs.items():
        _give_back(function, ir_graph.values[value], conversion)
    return copies.spared


def _give_destination(op: ir.Operation) -> None:
    """Give an op a separate destination, as its type is the layout of the result."""
    last = len(op.operands) - 1
    old = op.operands[last]
    with insert_before(op):
        op.operands[last] = ir.Operation.create("ttir.empty", results=[op.results[0].type]).results[0]
    if not list(old.uses) and (unread := defining_op(old)) is not None:
        unread.erase()


@dataclass(frozen=True)
class _Copies:
    """Row-major copies of values in DRAM, shared by all ops that read rows."""

    converted: dict[tuple[ir.Value, Layout], ir.Value] = field(default_factory=dict[tuple[ir.Value, Layout], ir.Value])
    spared: list[PlacedNode] = field(default_factory=list[PlacedNode])
    """Layout changes that already exist."""

    def convert(self, value: ir.Value, conversion: PlacedNode) -> ir.Value:
        """Return the value in another layout, converted at the insertion point or earlier."""
        (target,) = conversion.device_op.results
        if target.tiled or target.in_l1 or is_overwritten(value):
            return _convert(value, conversion)
        if (value, target) in self.converted:
            self.spared.append(conversion)
        else:
            self.converted[value, target] = _convert(value, conversion)
        return self.converted[value, target]


def _write(op: ir.Operation, step: PlacedNode, copies: _Copies) -> None:
    device = step.device_op
    placed = PlacementAttrs(
        device.grid, device.spread, device.fidelity, device.config, step.circular_buffer_bytes, step.view
    )
    write_placement(op, placed)
    for position, conversion in step.conversions.items():
        with insert_before(op):
            op.operands[position] = copies.convert(inputs_of(op)[position], conversion)


def _convert(value: ir.Value, conversion: PlacedNode) -> ir.Value:
    """Convert the value to another layout at the insertion point."""
    (target,) = conversion.device_op.results
    converted = build_to_layout(value, layout_attribute(target, read_type(value.type)))
    _write(ir.OpResult(converted).owner.operation, conversion, _Copies())
    return converted


def _give_back(function: func.FuncOp, value: ir.Value, conversion: PlacedNode) -> None:
    """Convert an output to its returned layout, right after its definition."""
    *ops, last = body(function)
    maker = ir.OpResult(value).owner.operation
    with ir.InsertionPoint([*ops, last][ops.index(maker) + 1]), maker.location:
        converted = _convert(value, conversion)
    for i, operand in enumerate(last.operands):
        if operand == value:
            last.operands[i] = converted


def _set_layout(value: ir.Value, layout: Layout) -> None:
    tensor = value.type
    encoding = layout_attribute(layout, read_type(tensor))
    value.set_type(ir.RankedTensorType.get(tensor.shape, tensor.element_type, encoding))
