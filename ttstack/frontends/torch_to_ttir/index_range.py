"""Compile-time bounds of index elements, which make range checks unnecessary."""

import math

from ttstack.dialects.base import definition_of
from ttstack.dialects.defining_op import defining_op
from ttstack.dialects.elements import read_elements
from ttstack.dialects.types import read_type
from ttstack.mlir import ir

_SHAPED = ("ttir.reshape", "ttir.permute", "ttir.broadcast", "ttir.squeeze", "ttir.unsqueeze")


def _maker(index: ir.Value) -> ir.Operation | None:
    """Return the op that computes the elements, through reshapes; None for arguments."""
    while (shaped := defining_op(index, *_SHAPED)) is not None:
        index = shaped.operands[0]
    return defining_op(index)


def largest(index: ir.Value) -> float:
    """Return the largest element, infinity if unknown."""
    if (made_by := _maker(index)) is None:
        return math.inf
    match made_by.name:
        case "ttir.constant":
            return read_elements(made_by.attributes["value"]).max(initial=0)
        case "ttir.full":
            return definition_of(made_by).attributes()["fill_value"]
        case "ttir.arange":
            counts = definition_of(made_by).attributes()
            return max(counts["start"], counts["end"] - 1)
        case "ttir.zeros" | "ttir.ones":
            return 1 if made_by.name.endswith("ones") else 0
    return math.inf


def is_never_negative(index: ir.Value) -> bool:
    """Return True for constants and counters that are never negative, through reshapes."""
    made_by = _maker(index)
    unsigned = read_type(index.type).dtype.is_unsigned
    if made_by is None:
        return unsigned
    match made_by.name:
        case "ttir.constant":
            return bool((read_elements(made_by.attributes["value"]) >= 0).all())
        case "ttir.full":
            return definition_of(made_by).attributes()["fill_value"] >= 0
        case "ttir.arange":
            counts = definition_of(made_by).attributes()
            return min(counts["start"], counts["end"]) >= 0
        case "ttir.argmax" | "ttir.zeros" | "ttir.ones":
            return True
    return unsigned
