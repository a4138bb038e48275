"""Read a function of a module, of any phase, as tensors and operations."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ttstack.buffers.aliasing import buffer_owners
from ttstack.device.layout import Layout
from ttstack.diagnostics import ExecutionError, InvalidIRError
from ttstack.dialects.base import attribute_values, definition, operands_by_place
from ttstack.dialects.elements import read_elements
from ttstack.dialects.location import read_location
from ttstack.dialects.placement_attrs import view_sources as placed_views
from ttstack.dialects.signature import (
    IN_LOOP,
    GivenWeight,
    read_arguments,
    read_complex_results,
    read_given_weights,
    read_results,
)
from ttstack.dialects.tt import read_layout
from ttstack.dialects.ttir import read_nest, read_source
from ttstack.dialects.types import read_type
from ttstack.mlir import func, ir
from ttstack.ops.types import DType
from ttstack.passes.functions import body, functions
from ttstack.passes.rewriting.function_graph import inputs_of
from ttstack.passes.ttir.queries.aliases import view_sources
from ttstack.program.loops import attach_loops, loop_faults
from ttstack.program.records import (
    Function,
    HeldWeight,
    Operation,
    Output,
    Tensor,
    TensorKind,
    Weight,
    result_name,
)

_CONSTANTS = ("ttir.constant", "ttnn.constant")
_NOT_ON_DEVICE = Layout(DType.I32)
"""Stands for the layout of what no device stores."""


class FunctionReader:
    """One function's tensors and operations; without addresses, as only values are asked for."""

    def __init__(self, function: func.FuncOp) -> None:
        self.tensors: list[Tensor] = []
        self.weights: list[Weight] = []
        self._numbers: dict[ir.Value, int] = {}
        self.name = function.name.value
        *ops, last = body(function)
        self._owners = buffer_owners(view_sources(ops) | placed_views(ops))
        self._arguments(function)
        operations = [found for op in ops if (found := self._operation(op))]
        count = len(last.operands)
        names, pairs = read_results(function, count), read_complex_results(function, count)
        _check_unique(function, "results", names)
        self.function = Function(
            name=self.name,
            tensors=tuple(self.tensors),
            operations=tuple(operations),
            inputs=tuple(t.id for t in self.tensors if t.kind is not TensorKind.INTERMEDIATE),
            outputs=tuple(
                Output(n, self._numbers[v], is_complex)
                for n, v, is_complex in zip(names, last.operands, pairs, strict=True)
            ),
        )

    def constant(self, op: ir.Operation) -> np.ndarray[Any, Any] | None:
        """Return the values of an op that is a constant; None of any other op."""
        return read_elements(op.attributes["value"]) if op.name in _CONSTANTS else None

    def argument_addresses(self, function: func.FuncOp) -> Sequence[int]:
        """Return the addresses of a function's arguments."""
        return [0] * len(function.regions[0].blocks[0].arguments)

    def result_addresses(self, op: ir.Operation) -> Sequence[int]:
        """Return the addresses of an op's results."""
        return [0] * len(op.results)

    def with_placement(self, op: ir.Operation, operation: Operation) -> Operation:  # noqa: ARG002  (for readers of placed ops)
        """Return an operation with its cores and buffers."""
        return operation

    def _arguments(self, function: func.FuncOp) -> None:
        block = function.regions[0].blocks[0]
        signatures, given = read_arguments(function), read_given_weights(function)
        _check_unique(function, "arguments", [s.name for s in signatures])
        addresses = self.argument_addresses(function)
        for value, signature, address in zip(block.arguments, signatures, addresses, strict=True):
            tensor = self._tensor(value, signature.name, signature.kind, address)
            if signature.is_complex:
                self.tensors[tensor.id] = replace(tensor, is_complex=True)
            if signature.kind is TensorKind.PARAMETER:
                weight = given.get(tensor.name, GivenWeight(HeldWeight(tensor.name), tensor.type.shape))
                self.weights.append(Weight(weight.held.weight, tensor.type.with_shape(weight.shape)))
                if weight.held != tensor.holds:
                    self.tensors[tensor.id] = replace(tensor, held=weight.held)

    def _operation(self, op: ir.Operation) -> Operation | None:
        addresses = self.result_addresses(op)
        if (values := self.constant(op)) is not None:
            name = f"{self.name}.constant.{len(self.tensors)}"
            tensor = self._tensor(op.results[0], name, TensorKind.CONSTANT, addresses[0])
            self.weights.append(Weight(name, tensor.type, values))
            return None
        operands, attributes = self._operands(op)
        results = [
            self._tensor(r, result_name(len(self.tensors)), TensorKind.INTERMEDIATE, a)
            for r, a in zip(op.results, addresses, strict=True)
        ]
        operation = Operation(
            name=op.name.partition(".")[2],
            operands=operands,
            results=tuple(t.id for t in results),
            attributes=attributes,
            location=read_location(op.location),
        )
        return self.with_placement(op, operation)

    def _operands(self, op: ir.Operation) -> tuple[tuple[int | None, ...], dict[str, Any]]:
        """Operands by number in the order of the definition, and attributes."""
        if op.name in ("ttir.generic", "ttir.to_layout"):
            is_loop = op.name == "ttir.generic"
            region: dict[str, Any] = {"program": read_nest(op), "source": read_source(op).name} if is_loop else {}
            return tuple(self._numbers[v] for v in inputs_of(op)), region
        spec = definition(op)
        if spec is None:
            raise ExecutionError(f"'{op.name}' cannot be executed", loc=read_location(op.location))
        operands = operands_by_place(spec, op)
        return tuple(None if v is None else self._numbers[v] for v in operands), attribute_values(spec, op)

    def _tensor(self, value: ir.Value, name: str, kind: TensorKind, address: int) -> Tensor:
        encoding = value.type.encoding
        layout = _NOT_ON_DEVICE if encoding is None else read_layout(encoding)
        owner = self._owners.get(value)
        alias = None if owner is None else self._numbers[owner]
        tensor = Tensor(len(self.tensors), name, read_type(value.type), layout, kind, address, alias)
        self._numbers[value] = tensor.id
        self.tensors.append(tensor)
        return tensor


def programs(module: ir.Module, read: Sequence[Function]) -> tuple[Function, ...]:
    """Return the programs among a module's functions, each with the functions that its loops run.

    Raises:
        InvalidIRError: a loop runs a function that there is not, that runs it, or that does not fit it.
    """
    known = {function.name: function for function in read}
    inner = {f.name.value for f in functions(module) if IN_LOOP in f.attributes}
    try:
        found = tuple(attach_loops(function, known) for function in read if function.name not in inner)
    except ValueError as e:
        raise InvalidIRError(str(e)) from e
    for function in (inside for program in found for inside in program.with_loops):
        for fault in loop_faults(function):
            raise InvalidIRError(f"in function '{function.name}', {fault}")
    return found


def _check_unique(function: func.FuncOp, what: str, names: Sequence[str]) -> None:
    again = [name for i, name in enumerate(names) if name in names[:i]]
    if again:
        raise InvalidIRError(
            f"two {what} of function '{function.name.value}' are called '{again[0]}'",
            loc=read_location(function.location),
        )
