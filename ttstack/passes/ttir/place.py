"""Choose layouts, memories, cores and configurations for all ops, and write them into the types and attributes."""

from typing import Any, Literal

from ttstack.dialects.placed import Placed, write_placed
from ttstack.dialects.tt import layout_attribute
from ttstack.dialects.ttir import build_to_layout
from ttstack.dialects.types import read_type
from ttstack.mlir import ir
from ttstack.ops.types import DType
from ttstack.passes.base import Pass
from ttstack.passes.functions import functions, refresh_signature, system_desc
from ttstack.passes.target import target_chip
from ttstack.passes.ttir.graph import FunctionGraph, function_graph, inputs_of
from ttstack.placement import Plan, Step, place
from ttstack.program.layout import Layout


class Place(Pass, name="place"):
    """Every tensor gets a `#tt.layout`, every op its placement, and `ttir.to_layout` stands where layouts change."""

    policy: Literal["greedy", "dram"] = "greedy"
    dtype: DType | None = None
    """Format of real numbers on the device; the source's own where not given."""

    def run(self, module: ir.Module) -> None:
        """Place each function by itself."""
        desc = system_desc(module)
        for function in functions(module):
            found, chip = function_graph(function), target_chip(function, desc)
            _apply(found, place(found.graph, chip, policy=self.policy, dtype=self.dtype, system=desc))
            refresh_signature(function)


def _apply(found: FunctionGraph, plan: Plan) -> None:
    for value, layout in zip(found.values, plan.layouts, strict=True):
        _set_layout(value, layout)
    for op, step in zip(found.operations, plan.steps, strict=True):
        _write(op, step)
        if op.name == "ttir.generic":
            _give_destination(op)


def _give_destination(op: Any) -> None:
    """A destination of its own: its type says the layout of the result, and others may share the one it has."""
    last = len(op.operands) - 1
    old = op.operands[last]
    with ir.InsertionPoint(op), op.location:
        op.operands[last] = ir.Operation.create("ttir.empty", results=[op.results[0].type]).results[0]
    if not list(old.uses) and not isinstance(old.owner, ir.Block):
        old.owner.erase()


def _write(op: Any, step: Step) -> None:
    device = step.device_op
    placed = Placed(device.grid, device.spread, device.fidelity, device.config, step.l1_bytes, step.view)
    write_placed(op, placed)
    for position, conversion in step.conversions.items():
        value = inputs_of(op)[position]
        with ir.InsertionPoint(op), op.location:
            (target,) = conversion.device_op.results
            converted: Any = build_to_layout(value, layout_attribute(target, read_type(value.type)))
        _write(converted.owner, conversion)
        op.operands[position] = converted


def _set_layout(value: Any, layout: Layout) -> None:
    tensor = value.type
    encoding = layout_attribute(layout, read_type(tensor))
    value.set_type(ir.RankedTensorType.get(tensor.shape, tensor.element_type, encoding))
