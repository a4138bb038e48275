"""From a `ttnn` module with addresses to the records of a program."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ttstack.buffers.aliasing import buffer_owners
from ttstack.device.device_op import Fidelity, Spread
from ttstack.device.layout import Grid
from ttstack.diagnostics import InvalidIRError
from ttstack.dialects.base import attribute_values, definition, operands_by_place
from ttstack.dialects.elements import read_elements
from ttstack.dialects.location import read_location
from ttstack.dialects.placement_attrs import (
    ADDRESS,
    BOUND,
    GREEDY_SAVES,
    RECOMPUTED,
    PlacementAttrs,
    read_placement,
    view_sources,
)
from ttstack.dialects.python_attributes import read_plain
from ttstack.dialects.signature import GivenWeight, read_arguments, read_given_weights, read_results
from ttstack.dialects.tt import read_layout
from ttstack.dialects.types import read_type
from ttstack.mlir import func, ir
from ttstack.passes.functions import FINITE, FIXED, TABLES, body, functions, noted_parameters, system_desc
from ttstack.program.embedding_table_report import EmbeddingTableReport
from ttstack.program.embedding_tables import with_cores
from ttstack.program.records import (
    Binary,
    Function,
    HeldWeight,
    Operation,
    Output,
    Recomputation,
    Tensor,
    TensorKind,
    Weight,
    result_name,
)
from ttstack.program.text_faults import text_faults

_NOT_PLACED = PlacementAttrs(Grid(1, 1), Spread.FLAT, Fidelity.HIFI4, None, 0)


def emit(
    module: ir.Module,
    *,
    weights: Mapping[str, np.ndarray[Any, Any]],
    pipeline: str,
    options: str,
    version: str,
) -> Binary:
    """One program for each public function; `weights` are the values of parameters, by name.

    `pipeline` and `options` say how it was compiled, as text.

    Raises:
        InvalidIRError: two arguments or results of a function have one name, a parameter has two types, or the
            pipeline gave no addresses.
    """
    emitters = [_Emitter(function) for function in functions(module)]
    described: dict[str, Weight] = {}
    for w in (w for e in emitters for w in e.weights):
        if described.setdefault(w.name, w).type != w.type:
            types = f"{described[w.name].type} in one function and {w.type} in another"
            raise InvalidIRError(f"parameter '{w.name}' is {types}", hint="give them different names")
    found = tuple(e.function for e in emitters)
    binary = Binary(
        functions=found,
        system_desc=system_desc(module),
        weights={n: Weight(n, w.type, weights.get(n, w.data)) for n, w in described.items()},
        pipeline=pipeline,
        options=options,
        tables=with_cores(_tables(module), found),
        version=version,
        fixed=noted_parameters(module, FIXED),
        finite=noted_parameters(module, FINITE),
    )
    if faults := tuple(text_faults(binary)):
        raise InvalidIRError("names have control characters", notes=faults, hint="rename them in the model")
    return binary


def _tables(module: ir.Module) -> tuple[EmbeddingTableReport, ...]:
    attributes = module.operation.attributes
    return tuple(map(EmbeddingTableReport.of, read_plain(attributes[TABLES]))) if TABLES in attributes else ()


class _Emitter:
    """One function's tensors and operations."""

    def __init__(self, function: func.FuncOp) -> None:
        self.tensors: list[Tensor] = []
        self.weights: list[Weight] = []
        self.numbers: dict[ir.Value, int] = {}
        self.name = function.name.value
        *ops, last = body(function)
        self.owners = buffer_owners(view_sources(ops))
        self._arguments(function)
        operations = [found for op in ops if (found := self._operation(op))]
        names = read_results(function, len(last.operands))
        _check_unique(function, "results", names)
        self.function = Function(
            name=self.name,
            tensors=tuple(self.tensors),
            operations=tuple(operations),
            inputs=tuple(t.id for t in self.tensors if t.kind is not TensorKind.INTERMEDIATE),
            outputs=tuple(Output(n, self.numbers[v]) for n, v in zip(names, last.operands, strict=True)),
            bound_ns=_number(function, BOUND),
            recomputation=_recomputation(function),
            greedy_saves_ns=_number(function, GREEDY_SAVES) or 0.0,
        )

    def _arguments(self, function: func.FuncOp) -> None:
        if ADDRESS not in function.attributes:
            raise InvalidIRError(
                f"function '{self.name}' has no addresses after the pipeline",
                hint="end it with 'lower', or with assign-addresses after all passes of that pipeline",
            )
        addresses = read_plain(function.attributes[ADDRESS])
        block = function.regions[0].blocks[0]
        signatures, given = read_arguments(function), read_given_weights(function)
        _check_unique(function, "arguments", [s.name for s in signatures])
        for value, signature, address in zip(block.arguments, signatures, addresses, strict=True):
            tensor = self._tensor(value, signature.name, signature.kind, address)
            if signature.kind is TensorKind.PARAMETER:
                weight = given.get(tensor.name, GivenWeight(HeldWeight(tensor.name), tensor.type.shape))
                self.weights.append(Weight(weight.held.weight, tensor.type.with_shape(weight.shape)))
                if weight.held != tensor.holds:
                    self.tensors[tensor.id] = replace(tensor, held=weight.held)

    def _operation(self, op: ir.Operation) -> Operation | None:
        if op.name == "ttnn.constant":
            self._constant(op)
            return None
        spec = definition(op)
        assert spec is not None, op.name
        operands = tuple(None if v is None else self.numbers[v] for v in operands_by_place(spec, op))
        placed = _NOT_PLACED if op.name == "ttnn.deallocate" else read_placement(op)
        addresses = read_plain(op.attributes[ADDRESS]) if ADDRESS in op.attributes else []
        results = [
            self._tensor(r, result_name(len(self.tensors)), TensorKind.INTERMEDIATE, a)
            for r, a in zip(op.results, addresses, strict=True)
        ]
        return Operation(
            name=spec.mnemonic,
            operands=operands,
            results=tuple(t.id for t in results),
            attributes=attribute_values(spec, op),
            grid=placed.grid,
            spread=placed.spread,
            fidelity=placed.fidelity,
            config=placed.config,
            circular_buffer_bytes=placed.circular_buffer_bytes,
            location=read_location(op.location),
        )

    def _constant(self, op: ir.Operation) -> None:
        name = f"{self.name}.constant.{len(self.tensors)}"
        (address,) = read_plain(op.attributes[ADDRESS])
        tensor = self._tensor(op.results[0], name, TensorKind.CONSTANT, address)
        self.weights.append(Weight(name, tensor.type, read_elements(op.attributes["value"])))

    def _tensor(self, value: ir.Value, name: str, kind: TensorKind, address: int) -> Tensor:
        layout = read_layout(value.type.encoding)
        owner = self.owners.get(value)
        tensor = Tensor(
            len(self.tensors),
            name,
            read_type(value.type),
            layout,
            kind,
            address,
            None if owner is None else self.numbers[owner],
        )
        self.numbers[value] = tensor.id
        self.tensors.append(tensor)
        return tensor


def _number(function: func.FuncOp, name: str) -> float | None:
    return read_plain(function.attributes[name]) if name in function.attributes else None


def _recomputation(function: func.FuncOp) -> Recomputation | None:
    return Recomputation(*read_plain(function.attributes[RECOMPUTED])) if RECOMPUTED in function.attributes else None


def _check_unique(function: func.FuncOp, what: str, names: Sequence[str]) -> None:
    again = [name for i, name in enumerate(names) if name in names[:i]]
    if again:
        raise InvalidIRError(
            f"two {what} of function '{function.name.value}' are called '{again[0]}'",
            loc=read_location(function.location),
        )
