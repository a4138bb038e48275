"""Predictions and placements as lines of text."""

from collections.abc import Mapping

from ttstack.cost import Cost, Term, predict_calls, roofline
from ttstack.device.device_op import DeviceOp
from ttstack.device.program_config import config_fields
from ttstack.program.records import Binary, Function, Operation
from ttstack.system_desc import ChipDesc, SystemDesc


def number(value: float) -> str:
    """With seven digits, and no more zeros than it needs."""
    return f"{value:.7g}"


def distinct_cost_lines(ops: Mapping[str, DeviceOp], chip: ChipDesc) -> list[str]:
    """Each op; one that differs from an earlier one in its computation alone says that, and which one it is like."""
    costs = {title: predict_calls(device_op, chip) for title, device_op in ops.items()}
    first: dict[object, str] = {}
    lines: list[str] = []
    for title, device_op in ops.items():
        cost = costs[title]
        rest = tuple(item for item in cost.terms.items() if item[0] is not Term.COMPUTE)
        like = first.setdefault((rest, _work(cost), roofline(device_op, chip)), title)
        compute = number(cost.terms.get(Term.COMPUTE, 0.0))
        lines.append(
            cost_line(title, device_op, chip) if like == title else f"{title:24} compute {compute}, like {like}"
        )
    return lines


def cost_line(title: str, device_op: DeviceOp, chip: ChipDesc, system: SystemDesc | None = None) -> str:
    """One op: its time, what it consists of, and the work behind it."""
    cost = predict_calls(device_op, chip, system)
    least = number(roofline(device_op, chip))
    return f"{title:24} {number(cost.total_ns)} ns = {_terms(cost)}; {_work(cost)}, at least {least} ns"


def _terms(cost: Cost) -> str:
    return ", ".join(f"{name} {number(ns)}" for name, ns in cost.terms.items() if ns) or "nothing"


def _work(cost: Cost) -> str:
    moved = f"{cost.dram_bytes} B DRAM, {cost.noc_bytes} B NoC"
    return f"{cost.largest_term} on {cost.cores} cores, {cost.flops} FLOPs, {moved}"


def placement_lines(binary: Binary) -> list[str]:
    """Each function and each of its ops: cores, layouts, addresses, configuration, time."""
    return [line for function in binary.functions for line in _function(binary, function)]


def _function(binary: Binary, function: Function) -> list[str]:
    inputs = [f"%{i} {function.tensors[i].layout} {function.tensors[i].address:#x}" for i in function.inputs]
    bound = "" if function.bound_ns is None else f", at least {number(function.bound_ns)} ns"
    ops = [_operation(binary, function, op) for op in function.operations if op.name != "deallocate"]
    return [f"{function.name}{bound}", *(f"  {line}" for line in [*inputs, *ops])]


def _operation(binary: Binary, function: Function, op: Operation) -> str:
    device_op = function.device_op(op)
    cost = predict_calls(device_op, binary.chip(function), binary.system_desc)
    results = [f"%{i} {function.tensors[i].layout} {function.tensors[i].address:#x}" for i in op.results]
    operands = ", ".join("none" if i is None else f"%{i}" for i in op.operands)
    config = ", ".join(f"{name} {value}" for name, value in config_fields(op.config).items())
    way = f"{op.grid} {op.spread} {op.fidelity} {op.circular_buffer_bytes} B"
    return f"{', '.join(results)} = {op.name}({operands}) on {way} [{config}] {number(cost.elapsed_ns)} ns"
