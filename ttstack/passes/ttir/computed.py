"""What a value is that depends on constants alone."""

from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np

from ttstack.diagnostics import TTStackError
from ttstack.dialects.base import definition, describe, operands_by_place
from ttstack.dialects.elements import read_elements
from ttstack.mlir import ir
from ttstack.passes.pattern import producer
from ttstack_runtime.evaluate import KERNEL_FAULTS, evaluate

Array = np.ndarray[Any, Any]

MOST_STEPS: Final = 100
"""Ops, one after the other, over which a value is followed to what it is made of; more tell nothing."""


def computed(value: ir.Value, max_elements: int) -> Array | None:
    """The value's elements; None where it depends on anything else, or a step to it has more than `max_elements`."""
    return _Evaluation(max_elements).value(value, MOST_STEPS)


@dataclass
class _Evaluation:
    """Values that are computed for one, each once."""

    max_elements: int
    known: dict[ir.Value, Array | None] = field(default_factory=dict[ir.Value, Array | None])

    def value(self, value: ir.Value, steps: int) -> Array | None:
        """Its elements, where so many steps lead to them."""
        if value not in self.known:
            self.known[value] = self._result(producer(value), steps)
        return self.known[value]

    def _result(self, op: ir.Operation, steps: int) -> Array | None:
        if op is None or definition(op) is None or not steps:
            return None
        if op.name == "ttir.constant":
            return read_elements(op.attributes["value"])
        found = describe(op)
        if not found.pure or found.spans_mesh or sum(t.size for t in found.results) > self.max_elements:
            return None
        places = operands_by_place(type(found), op)
        arrays = [None if v is None else self.value(v, steps - 1) for v in places]
        if len(found.results) != 1 or any(a is None and v is not None for a, v in zip(arrays, places, strict=True)):
            return None
        try:
            return evaluate(found, arrays)[0]
        except (TTStackError, *KERNEL_FAULTS):
            return None
