"""Compile-time constants: constants, parameters, and values that depend only on these."""

import math
from collections.abc import Callable, Sequence
from typing import Any
from warnings import warn

import numpy as np

from ttstack.diagnostics import TTStackError, TTStackWarning
from ttstack.dialects.base import definition, definition_of, operands_by_place
from ttstack.dialects.elements import read_elements
from ttstack.dialects.signature import is_variable, kind_of
from ttstack.dialects.ttir.destination import is_overwritten
from ttstack.dialects.types import read_type
from ttstack.mlir import func, ir
from ttstack.ops.base import Op
from ttstack.passes.dataflow import Facts
from ttstack.passes.functions import body
from ttstack.passes.ttir.queries.producers import find_producer
from ttstack.program.records import TensorKind

MOST_FOLDED_BYTES = 1 << 28
"""Maximum size of weights recomputed at compile time, which takes seconds and as much memory."""
MOST_MASK_ELEMENTS = 1 << 24
"""Maximum number of elements of masks that are computed at compile time."""

Array = np.ndarray[Any, Any]
Parameters = frozenset[ir.BlockArgument]

_UNDEFINED = {"empty", "rand", "dropout"}
_FAMILIES = ("eltwise", "shape", "reduction", "creation")
"""Files of ops that are as cheap to compute here as on the device, with results of similar size."""
_PARTS = ("slice_static", "index", "embedding")
"""Ops of other files with the same property."""
_MOST_FLOPS = 1 << 32
"""Maximum floating-point operations of other ops at compile time, a fraction of a second."""


def is_function(spec: type[Op]) -> bool:
    """Return True if the results of such an op depend only on its operands and attributes."""
    return spec.pure and not spec.spans_mesh and spec.mnemonic not in _UNDEFINED


def is_computable(op: ir.Operation) -> bool:
    """Return True if an op takes little work to compute at compile time."""
    spec = definition(op)
    if spec is None or not _has_one_known_result(op, spec) or not spec.executable or spec.opaque:
        return False
    if spec.mnemonic in _PARTS:
        return True
    if spec.host_indices or len(op.regions):
        return False
    return spec.family in _FAMILIES or definition_of(op).flops() <= _MOST_FLOPS


def parameters() -> Facts[Parameters | None]:
    """Return facts with the parameters that a value depends on.

    None if it depends on anything else, or is too expensive.
    """

    def transfer(value: ir.Value, op: ir.Operation | None, operands: Sequence[Parameters | None]) -> Parameters | None:
        if op is not None:
            present = [p for p in operands if p is not None]
            return Parameters().union(*present) if len(present) == len(operands) else None
        return frozenset([value]) if isinstance(value, ir.BlockArgument) and is_constant(value) else None

    return Facts(is_computable, transfer)


def is_constant(value: ir.Value) -> bool:
    """Return True for a parameter that no program with the same state writes to."""
    if not isinstance(value, ir.BlockArgument) or is_overwritten(value):
        return False
    return kind_of(value) is TensorKind.PARAMETER and not is_variable(value)


def is_known(value: ir.Value) -> bool:
    """Return True if the value depends only on parameters and constants."""
    return parameters().about(value) is not None


def elements(
    max_elements: float = math.inf, given: Callable[[ir.BlockArgument], Array | None] = lambda _: None
) -> Facts[Array | None]:
    """Return facts with the elements of a value.

    None if it depends on more than constants and the arguments in `given`. Also None if an op produces more than
    `max_elements`, or its kernel raises an error.
    """

    def follows(op: ir.Operation) -> bool:
        spec = None if op.name == "ttir.constant" else definition(op)
        is_pure = spec is not None and is_function(spec) and not any(map(is_overwritten, op.results))
        return is_pure and all(read_type(r.type).size <= max_elements for r in op.results)

    def transfer(value: ir.Value, op: ir.Operation | None, operands: Sequence[Array | None]) -> Array | None:
        if op is None:
            return given(value) if isinstance(value, ir.BlockArgument) else constant_elements(value)
        return result_elements(op, operands, ir.OpResult(value).result_number)

    return Facts(follows, transfer)


def constant_elements(value: ir.Value) -> Array | None:
    """Return the elements of a `ttir.constant`; None for any other value."""
    constant = find_producer(value, "constant")
    return None if constant is None else read_elements(constant.attributes["value"])


def result_elements(op: ir.Operation, operands: Sequence[Array | None], number: int = 0) -> Array | None:
    """Return the elements of a result by the runtime's kernel; None if an operand is unknown, or it fails."""
    if any(operand is None for operand in operands):
        return None
    from ttstack_runtime.evaluate import KERNEL_FAULTS, evaluate  # takes 4 MiB: many models compute nothing

    described, present = definition_of(op), iter(operands)
    arguments = [None if v is None else next(present) for v in operands_by_place(type(described), op)]
    try:
        return evaluate(described, arguments)[number]
    except MemoryError:
        message = f"{op.name} is left to the device: no memory to compute it at compile time"
        warn(message, TTStackWarning, stacklevel=2)
        return None
    except (TTStackError, *KERNEL_FAULTS):
        return None  # the run says why, at the op's place


def _has_one_known_result(op: ir.Operation, spec: type[Op]) -> bool:
    """Return True for a function with one result that no other op overwrites."""
    return is_function(spec) and len(op.results) == 1 and not is_overwritten(op.results[0])


def erase_dead_ops(function: func.FuncOp) -> None:
    """Erase unused ops that are computable at compile time."""
    for op in reversed(body(function)):
        if is_computable(op) and not list(op.results[0].uses):
            op.erase()
