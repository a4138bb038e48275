"""What a value is that depends on constants alone."""

from typing import Any

import numpy as np

from ttstack.diagnostics import TTStackError
from ttstack.dialects.base import definition, describe, operands_by_place
from ttstack.dialects.elements import read_elements
from ttstack.mlir import ir
from ttstack.passes.pattern import producer
from ttstack_runtime.evaluate import KERNEL_FAULTS, evaluate

Array = np.ndarray[Any, Any]


def computed(value: ir.Value, max_elements: int) -> Array | None:
    """The value's elements; None where it depends on anything else, or a step to it has more than `max_elements`."""
    return _known(value, max_elements, {})


def _known(value: ir.Value, most: int, seen: dict[ir.Value, Array | None]) -> Array | None:
    if value not in seen:
        seen[value] = _evaluated(producer(value), most, seen)
    return seen[value]


def _evaluated(op: Any, most: int, seen: dict[ir.Value, Array | None]) -> Array | None:
    if op is None or definition(op) is None:
        return None
    if op.name == "ttir.constant":
        return read_elements(op.attributes["value"])
    found = describe(op)
    if not found.pure or found.spans_mesh or sum(t.size for t in found.results) > most:
        return None
    places = operands_by_place(type(found), op)
    arrays = [None if v is None else _known(v, most, seen) for v in places]
    if len(found.results) != 1 or any(a is None and v is not None for a, v in zip(arrays, places, strict=True)):
        return None
    try:
        return evaluate(found, arrays)[0]
    except (TTStackError, *KERNEL_FAULTS):
        return None
