"""Conversion of a `ttnn` module with addresses to the records of a program."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ttstack.diagnostics import InvalidIRError
from ttstack.dialects.placement_attrs import (
    ADDRESS,
    BOUND,
    GREEDY_SAVES,
    RECOMPUTED,
    read_placement,
)
from ttstack.dialects.python_attributes import read_plain
from ttstack.function_reader import FunctionReader, programs
from ttstack.mlir import func, ir
from ttstack.passes.functions import FINITE, FIXED, TABLES, functions, noted_parameters, system_desc
from ttstack.program.embedding_table_report import EmbeddingTableReport
from ttstack.program.embedding_tables import with_cores
from ttstack.program.records import (
    Binary,
    Operation,
    Recomputation,
    Weight,
)
from ttstack.program.text_faults import text_faults


def emit(
    module: ir.Module,
    *,
    weights: Mapping[str, np.ndarray[Any, Any]],
    pipeline: str,
    options: str,
    version: str,
) -> Binary:
    """Return one program for each public function; `weights` are the values of parameters, by name.

    `pipeline` and `options` describe the compilation as text.

    Raises:
        InvalidIRError: two arguments or results of a function have one name, a parameter has two types, or addresses
        are missing.
    """
    emitters = [_Emitter(function) for function in functions(module)]
    described: dict[str, Weight] = {}
    for w in (w for e in emitters for w in e.weights):
        if described.setdefault(w.name, w).type != w.type:
            types = f"{described[w.name].type} in one function and {w.type} in another"
            raise InvalidIRError(f"parameter '{w.name}' has type {types}", hint="give them different names")
    found = programs(module, [e.function for e in emitters])
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


class _Emitter(FunctionReader):
    """One function's tensors and operations, with addresses."""

    def __init__(self, function: func.FuncOp) -> None:
        super().__init__(function)
        self.function = replace(
            self.function,
            bound_ns=_number(function, BOUND),
            recomputation=_recomputation(function),
            greedy_saves_ns=_number(function, GREEDY_SAVES) or 0.0,
        )

    def argument_addresses(self, function: func.FuncOp) -> Sequence[int]:
        """Return the addresses of a function's arguments."""
        if ADDRESS not in function.attributes:
            raise InvalidIRError(
                f"function '{self.name}' has no addresses after the pipeline",
                hint="end it with 'lower', or with assign-addresses after all passes of that pipeline",
            )
        return read_plain(function.attributes[ADDRESS])

    def result_addresses(self, op: ir.Operation) -> Sequence[int]:
        """Return the addresses of an op's results."""
        return read_plain(op.attributes[ADDRESS]) if ADDRESS in op.attributes else []

    def with_placement(self, op: ir.Operation, operation: Operation) -> Operation:
        """Return an operation with its cores and buffers."""
        if op.name == "ttnn.deallocate":
            return operation
        placed = read_placement(op)
        return replace(
            operation,
            grid=placed.grid,
            spread=placed.spread,
            fidelity=placed.fidelity,
            config=placed.config,
            circular_buffer_bytes=placed.circular_buffer_bytes,
        )


def _number(function: func.FuncOp, name: str) -> float | None:
    return read_plain(function.attributes[name]) if name in function.attributes else None


def _recomputation(function: func.FuncOp) -> Recomputation | None:
    return Recomputation(*read_plain(function.attributes[RECOMPUTED])) if RECOMPUTED in function.attributes else None
