"""Prices of single ops on the target, with the placement that the compiler would choose for each."""

import math
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache

from ttstack.device.kernel_class import is_view
from ttstack.diagnostics import CapacityError
from ttstack.dialects.built_ops import record_ops
from ttstack.dialects.equal_ops import ask_about
from ttstack.dialects.functions import refresh_signature
from ttstack.dialects.op_groups import clone_ops, in_block_order, outside_operands
from ttstack.dialects.signature import ArgumentSignature, write_signature
from ttstack.dialects.tt.system_desc import SYSTEM_DESC, read_system_desc
from ttstack.dialects.types import read_type, tensor_type
from ttstack.mlir import func, ir
from ttstack.ops.base import Op
from ttstack.ops.types import DType, TensorType
from ttstack.passes.functions import FORMATS
from ttstack.passes.rewrite_log import pause_log
from ttstack.passes.rewriting.function_graph import function_graph
from ttstack.passes.ttir.queries.compile_time import parameters
from ttstack.placement import Graph, Node, PlacementOptions, place
from ttstack.placement.element_values import ElementValues
from ttstack.placement.options import Formats
from ttstack.placement.pricing import Pricing
from ttstack.program.records import TensorKind
from ttstack.system_desc import ChipDesc

_PRICES = 8192
"""Number of ops and graphs whose predicted times are cached; a large model needs 200."""


def alone_ns(op: Op, chip: ChipDesc, dtype: DType | None = None) -> float:
    """Return the predicted nanoseconds of a separate op, whose operands except the first are parameters."""
    return _alone_ns(Pricing.of(chip), op, Formats(dtype=dtype).text)


@lru_cache(_PRICES)
def _alone_ns(pricing: Pricing, op: Op, formats: str) -> float:
    operands = range(len(op.operands))
    results: Sequence[int] = tuple(len(op.operands) + i for i in range(len(op.results)))
    node = Node(op, tuple(operands), tuple(results))
    graph = Graph((*op.operands, *op.results), tuple(operands), (node,), tuple(results), tuple(operands)[1:])
    return place(graph, pricing.chip, _options(formats)).predicted_ns


@dataclass(frozen=True)
class Prices:
    """Prices of ops on one chip, in the formats of a compilation."""

    chip: ChipDesc
    formats: str = "{}"
    """The requested formats, as the text of `Formats`."""

    @cached_property
    def _pricing(self) -> Pricing:
        return Pricing.of(self.chip)

    @staticmethod
    def of(module: ir.Module) -> "Prices | None":
        """Return the prices for a module's device and formats; None if it has no device."""
        attributes = module.operation.attributes
        if SYSTEM_DESC not in attributes:
            return None
        chip = ask_about(_chip, attributes[SYSTEM_DESC])
        return Prices(chip, ir.StringAttr(attributes[FORMATS]).value) if FORMATS in attributes else Prices(chip)

    def format_of(self, t: TensorType) -> DType | None:
        """Return the device format of activations of a real type; None for other types."""
        if not isinstance(t.dtype, DType) or not t.dtype.is_float:
            return None
        return Formats.model_validate_json(self.formats).activation_format(t.dtype)

    def sum_of(self, ops: Iterable[Op]) -> float:
        """Return the total nanoseconds of ops, without views."""
        return sum(self.latency_of(op) for op in ops if not is_view(op))

    def latency_of(self, op: Op) -> float:
        """Return the nanoseconds of an op; infinity if it does not fit, or if devices do not execute it."""
        if not op.executable:
            return math.inf
        try:
            return _alone_ns(self._pricing, op, self.formats)
        except CapacityError:
            return math.inf

    def of_region(
        self,
        taken: Sequence[TensorType],
        build: Callable[[Sequence[ir.Value]], ir.Value | Sequence[ir.Value]],
        *,
        stored: Collection[int] = (),
        steps: Sequence[Callable[[ir.Module], None]] = (),
    ) -> float:
        """Return the predicted nanoseconds of a trial region after these steps; infinity if it does not fit.

        Args:
            taken: The types of its arguments.
            build: Builds its results from the arguments, at the insertion point.
            stored: Positions of the arguments that are parameters.
            steps: Passes to run on the module of the program.
        """
        alone = ir.Module.create(ir.Location.current)
        with ir.InsertionPoint(alone.body):
            function = func.FuncOp("alone", ([tensor_type(t) for t in taken], []))
        with ir.InsertionPoint(function.add_entry_block()), record_ops():
            made = build(list(function.arguments))
            values = [made] if isinstance(made, ir.Value) else list(made)
            func.ReturnOp(values)
        refresh_signature(function)
        kinds = [TensorKind.PARAMETER if i in stored else TensorKind.INPUT for i in range(len(taken))]
        write_signature(
            function,
            [ArgumentSignature(f"arg{i}", kind) for i, kind in enumerate(kinds)],
            [f"result{i}" for i in range(len(values))],
        )
        with pause_log():
            for step in steps:
                step(alone)
        return self._placed(function, stored)

    def of_ops(
        self,
        ops: Sequence[ir.Operation],
        results: Sequence[ir.Value],
        *,
        steps: Sequence[Callable[[ir.Module], None]] = (),
    ) -> float:
        """Return the nanoseconds of ops of one block, placed together in a separate program with these results."""
        computed = {result for op in ops for result in op.results}
        inputs = [v for v in dict.fromkeys([*outside_operands(ops), *results]) if v not in computed]

        def clone(arguments: Sequence[ir.Value]) -> list[ir.Value]:
            clones = dict(zip(inputs, arguments, strict=True))
            clone_ops(in_block_order(ops), clones)
            return [clones[value] for value in results]

        known = parameters()
        stored = [i for i, value in enumerate(inputs) if known.about(value) is not None]
        return self.of_region([read_type(value.type) for value in inputs], clone, stored=stored, steps=steps)

    def _placed(self, function: func.FuncOp, stored: Collection[int]) -> float:
        graph = function_graph(function).graph
        nodes = tuple(replace(node, location="") for node in graph.nodes)
        given, known = (*stored, *graph.parameters), tuple(graph.known.items())
        return _placed_ns(
            self._pricing, self.formats, graph.values, graph.arguments, nodes, graph.outputs, given, known
        )


@lru_cache(_PRICES)
def _placed_ns(
    pricing: Pricing,
    formats: str,
    values: tuple[TensorType, ...],
    arguments: tuple[int, ...],
    nodes: tuple[Node, ...],
    outputs: tuple[int, ...],
    parameters: tuple[int, ...],
    known: tuple[tuple[int, ElementValues], ...],
) -> float:
    """Return the nanoseconds of a graph with these fields; infinity if it does not fit."""
    graph = Graph(values, arguments, nodes, outputs, parameters, known=dict(known))
    options = _options(formats).model_copy(update={"placement_caution": 0.0})
    try:
        return place(graph, pricing.chip, options).predicted_ns
    except CapacityError:
        return math.inf


def _chip(description: ir.Attribute) -> ChipDesc:
    """Return the first chip of a description."""
    return ask_about(read_system_desc, description).target(spans_mesh=False)


@lru_cache
def _options(formats: str) -> PlacementOptions:
    return PlacementOptions.model_validate_json(formats)
