"""A compiled function as a graph: device ops with their properties, and tensors with their layouts."""

from collections.abc import Iterator
from functools import cached_property
from typing import Any

from ttstack.device.program_config import config_fields
from ttstack.program.buffers import DEALLOCATE
from ttstack.program.launched import op_numbers
from ttstack.program.records import Function, Operation, Tensor, TensorKind
from ttstack.report.formatting import count, duration, likely_range, percent, short_layout, size
from ttstack.report.graphs.model import GraphNode, ModelGraph, Source, layers
from ttstack.report.json import plain
from ttstack.report.model import OpReport, ReportFigures

Texts = dict[str, str]


def program_graph(function: Function, report: ReportFigures, name: str) -> ModelGraph:
    """Return the function of a report; an op's node has its number in reports as its id, as `op_node` writes it."""
    drawing = _Drawing(function, report)
    return ModelGraph(name, (*drawing.arguments(), *drawing.operations(), *drawing.outputs()), _totals(report))


def op_node(number: int) -> str:
    """Return the id of the node of an op."""
    return f"op {number}"


class _Drawing:
    def __init__(self, function: Function, report: ReportFigures) -> None:
        self.function = function
        self.report = report
        self.numbers = op_numbers(function)

    def arguments(self) -> Iterator[GraphNode]:
        """Yield the nodes of arguments; parameters are in their modules."""
        for tensor in (self.function.tensors[i] for i in self.function.inputs):
            match tensor.kind:
                case TensorKind.PARAMETER:
                    *modules, last = tensor.name.split(".")
                case TensorKind.CONSTANT:
                    modules, last = [], "constant"
                case _:
                    modules, last = [], tensor.name
            about = {"kind": str(tensor.kind), "name": tensor.name}
            yield GraphNode(_given(tensor.id), last, tuple(modules), about, results=(_tensor(tensor),))

    def operations(self) -> Iterator[GraphNode]:
        """Views are nodes too; ends of buffers are none."""
        for at, operation in enumerate(self.function.operations):
            if operation.name == DEALLOCATE:
                continue
            number = self.numbers[at]
            figures = {} if number is None else _figures(self.report, self.report.ops[number])
            yield GraphNode(
                id=self._id(at),
                label=operation.name,
                layers=layers(operation.location),
                attributes=figures | _about(operation),
                operands=tuple(self._source(i) for i in operation.operands if i is not None),
                results=tuple(_tensor(self.function.tensors[i]) for i in operation.results),
            )

    def outputs(self) -> Iterator[GraphNode]:
        """Yield a node for each output of the function."""
        for output in self.function.outputs:
            yield GraphNode(f"output {output.name}", output.name, operands=(self._source(output.tensor),))

    def _id(self, at: int) -> str:
        number = self.numbers[at]
        return f"view {at}" if number is None else op_node(number)

    def _source(self, tensor: int) -> Source:
        return self._makers.get(tensor) or Source(_given(tensor))

    @cached_property
    def _makers(self) -> dict[int, Source]:
        """For each tensor that an op makes, its node."""
        return {
            tensor: Source(self._id(at), place)
            for at, operation in enumerate(self.function.operations)
            for place, tensor in enumerate(operation.results)
        }


def _given(tensor: int) -> str:
    return f"argument {tensor}"


def _tensor(tensor: Tensor) -> Texts:
    layout = tensor.layout
    return {
        "shape": f"{'x'.join(map(str, tensor.type.shape)) or 'scalar'} {short_layout(layout)}",
        "name": tensor.name,
        "type": str(tensor.type),
        "layout": str(layout),
        "memory": str(layout.memory_space),
        "address": f"{tensor.address:#x}",
    }


def _figures(report: ReportFigures, op: OpReport) -> Texts:
    found = {
        "number": str(op.index),
        "time": duration(op.elapsed_ns),
        "share of the whole": f"{percent(report.share(op))} %",
        "ideal": duration(op.roofline_ns),
        "bound": op.bound,
        "likely": likely_range(op.likely_ns),
        "trust": str(op.confidence.trust),
        **{f"time: {term}": duration(ns) for term, ns in op.terms.items() if ns},
        "cores": f"{op.cores} of {report.chip.num_cores}",
        "L1 of a core": size(op.l1_bytes),
        "DRAM traffic": size(op.dram_bytes),
    }
    return found | {f"operand {i}": str(tensor) for i, tensor in enumerate(op.operands)}


def _about(operation: Operation) -> Texts:
    placed: dict[str, Any] = {
        "location": operation.location or "unknown",
        "grid": operation.grid,
        "spread": operation.spread,
        "fidelity": operation.fidelity,
        "circular buffers": size(operation.circular_buffer_bytes),
        **{f"config: {name}": value for name, value in config_fields(operation.config).items()},
    }
    return {name: str(plain(value)) for name, value in {**placed, **operation.attributes}.items()}


def _totals(report: ReportFigures) -> Texts:
    return {
        "function": report.function,
        "device": report.system,
        "ops": count(len(report.ops), "op"),
        "predicted time": duration(report.total_ns),
        "ideal": duration(report.roofline_ns),
        **{f"most of {name} in use": size(use.peak) for name, use in report.memory.items()},
    }
