"""Compute at compile time what depends on constants alone, with the runtime's own kernels."""

from typing import Any

import numpy as np

from ttstack.diagnostics import TTStackError
from ttstack.dialects.base import describe, operands_by_place
from ttstack.dialects.elements import elements_attribute, read_elements
from ttstack.dialects.ttir.builders import ttir
from ttstack.dialects.ttir.destination import is_overwritten
from ttstack.mlir import ir
from ttstack.ops.base import OPS
from ttstack.passes.base import Pass
from ttstack.passes.pattern import apply_patterns, producer
from ttstack_runtime.evaluate import KERNEL_FAULTS, evaluate

_UNDEFINED = {"constant", "empty", "rand", "dropout"}


class FoldConstants(Pass, name="fold-constants"):
    """Ops whose operands are all constants become constants, where the result is small."""

    max_bytes: int = 65536
    """Larger results stay computed: constants are loaded with the program."""

    def run(self, module: ir.Module) -> None:
        """Fold to a fixpoint."""
        names = [f"ttir.{n}" for n, spec in OPS.items() if spec.pure and not spec.spans_mesh and n not in _UNDEFINED]
        apply_patterns(module, [(name, self._fold) for name in names])

    def _fold(self, op: ir.Operation) -> list[ir.Value] | None:
        owners = [producer(v) for v in op.operands]
        if any(map(is_overwritten, op.results)) or any(getattr(o, "name", "") != "ttir.constant" for o in owners):
            return None
        definition = describe(op)
        if len(definition.results) != 1 or sum(t.nbytes for t in definition.results) > self.max_bytes:
            return None
        places = operands_by_place(type(definition), op)
        try:
            (value,) = evaluate(definition, [None if v is None else _values(v) for v in places])
        except (TTStackError, *KERNEL_FAULTS):
            return None  # the run says why, at the op's place
        (result,) = definition.results
        return [ttir.constant(result=result, value=elements_attribute(np.asarray(value), result))]


def _values(constant: Any) -> np.ndarray[Any, Any]:
    return read_elements(constant.owner.attributes["value"])
