"""Choose layouts, memories, cores and configurations for all ops, and write them into the types and attributes."""

from dataclasses import dataclass, field
from typing import Self

from pydantic import PrivateAttr

from ttstack.cost import predict
from ttstack.device.layout import Layout
from ttstack.dialects.built_ops import insert_before
from ttstack.dialects.defining_op import defining_op
from ttstack.dialects.placement_attrs import BOUND, GREEDY_SAVES, PlacementAttrs, write_placement
from ttstack.dialects.python_attributes import plain_attribute
from ttstack.dialects.tt import layout_attribute
from ttstack.dialects.ttir import build_to_layout
from ttstack.dialects.ttir.destination import is_overwritten
from ttstack.dialects.types import read_type
from ttstack.mlir import func, ir
from ttstack.passes.base import Pass
from ttstack.passes.functions import body, functions, refresh_signature, system_desc
from ttstack.passes.rewriting.function_graph import FunctionGraph, function_graph, inputs_of
from ttstack.passes.stages import Stage
from ttstack.passes.target import target_chip
from ttstack.placement import PlacedNode, PlacementOptions, Plan, place
from ttstack.placement.trace import PlacementTrace


class Place(
    Pass, PlacementOptions, name="place", stage=Stage.PLACEMENT, after={"assign-grids": "it chooses one of the grids"}
):
    """Every tensor gets a `#tt.layout`, every op its placement, and `ttir.to_layout` stands where layouts change."""

    _traces: dict[str, PlacementTrace] | None = PrivateAttr(default=None)

    def with_traces(self, traces: dict[str, PlacementTrace]) -> Self:
        """The same pass, which keeps in `traces` all decisions of each function, by name."""
        same = self.model_copy()
        same._traces = traces
        return same

    def run(self, module: ir.Module) -> None:
        """Place each function by itself."""
        desc = system_desc(module)
        for function in functions(module):
            ir_graph, chip = function_graph(function), target_chip(function, desc)
            traced = self._traces is not None
            plan = place(ir_graph.graph, chip, self, system=desc, traced=traced)
            if self._traces is not None and plan.trace is not None:
                self._traces[function.name.value] = plan.trace
            spared = _apply(function, ir_graph, plan)
            if plan.bound_ns is not None:  # which counts copies that any placement is spared
                less = sum(predict(conversion.device_op, chip).elapsed_ns for conversion in spared)
                function.attributes[BOUND] = plain_attribute(plan.bound_ns - less)
            if plan.greedy_saves_ns:
                function.attributes[GREEDY_SAVES] = plain_attribute(plan.greedy_saves_ns)
            refresh_signature(function)

    def __str__(self) -> str:
        return super().__str__() if self.overrides is None else str(self.model_copy(update={"overrides": None}))


def _apply(function: func.FuncOp, ir_graph: FunctionGraph, plan: Plan) -> list[PlacedNode]:
    """Write the plan down; the changes of layout that it has and the function needs not."""
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
    """A destination of its own: its type says the layout of the result, and others may share the one it has."""
    last = len(op.operands) - 1
    old = op.operands[last]
    with insert_before(op):
        op.operands[last] = ir.Operation.create("ttir.empty", results=[op.results[0].type]).results[0]
    if not list(old.uses) and (unread := defining_op(old)) is not None:
        unread.erase()


@dataclass(frozen=True)
class _Copies:
    """Values as rows in DRAM, as ops that read by them take them: one copy for all readers."""

    converted: dict[tuple[ir.Value, Layout], ir.Value] = field(default_factory=dict[tuple[ir.Value, Layout], ir.Value])
    spared: list[PlacedNode] = field(default_factory=list[PlacedNode])
    """Changes of layout that are there already."""

    def convert(self, value: ir.Value, conversion: PlacedNode) -> ir.Value:
        """The value in another layout, by an op at the insertion point or one before it."""
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
    """The value in another layout, by an op at the insertion point."""
    (target,) = conversion.device_op.results
    converted = build_to_layout(value, layout_attribute(target, read_type(value.type)))
    _write(ir.OpResult(converted).owner.operation, conversion, _Copies())
    return converted


def _give_back(function: func.FuncOp, value: ir.Value, conversion: PlacedNode) -> None:
    """Put an output into the layout that it is returned in, right after it is made."""
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
