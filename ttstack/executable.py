"""A module of any phase as a program that the runtime executes: values only, without addresses or a device."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from ttstack.dialects.bytecode import bytecode
from ttstack.dialects.tt.system_desc import SYSTEM_DESC
from ttstack.dialects.ttir.destination import destination, is_overwritten
from ttstack.function_reader import FunctionReader, programs
from ttstack.mlir import func, ir
from ttstack.passes.functions import body, functions, system_desc
from ttstack.passes.pipelines import functional
from ttstack.passes.ttir.functional.insert_copies import InsertCopies
from ttstack.passes.ttir.queries.compile_time import elements
from ttstack.program.records import Binary, Weight
from ttstack.system_desc import load
from ttstack.version import VERSION

_DISPATCHED = ("ttir.generic", "ttir.to_layout")


def executable(module: ir.Module, weights: Mapping[str, np.ndarray[Any, Any]]) -> Binary:
    """Return the functions of a module as programs for `ttstack_runtime.run` with `check_buffers=False`.

    Args:
        module: Of any phase, in the current context; it stays unchanged.
        weights: Values of parameters by name.

    Raises:
        ExecutionError: an op has no definition.
        InvalidIRError: the module cannot be made functional.
    """
    copied = ir.Module.parse(bytecode(module))
    _make_functional(copied)
    readers = [_ValueReader(function) for function in functions(copied)]
    described = {w.name: w for reader in readers for w in reader.weights}
    return Binary(
        functions=programs(copied, [reader.function for reader in readers]),
        system_desc=system_desc(copied) if SYSTEM_DESC in copied.operation.attributes else load("wormhole"),
        weights={n: Weight(n, w.type, weights.get(n) if w.data is None else w.data) for n, w in described.items()},
        version=VERSION,
    )


def _make_functional(module: ir.Module) -> None:
    """Inline calls, drop layouts of the source, and let ops that write to an operand write in the order of the text."""
    ops = [op for function in functions(module) for op in body(function)]
    if not any(op.name.startswith("ttnn.") or op.name in _DISPATCHED for op in ops):
        functional().run(module)
        ops = [op for function in functions(module) for op in body(function)]
    if any(destination(op) is not None and len(op.results) for op in ops):
        InsertCopies().run(module)


class _ValueReader(FunctionReader):
    """Reads what depends on constants alone as constants too: it is computed in the formats of the model.

    In float64, a logarithm next to an integer can be on its other side, and all that is rounded from it.
    """

    def __init__(self, function: func.FuncOp) -> None:
        self._facts = elements()
        super().__init__(function)

    def constant(self, op: ir.Operation) -> np.ndarray[Any, Any] | None:
        """Return the values of an op that depends on constants alone."""
        if op.name in _DISPATCHED or len(op.results) != 1 or is_overwritten(op.results[0]):
            return super().constant(op)
        known = super().constant(op)
        return self._facts.about(op.results[0]) if known is None else known
