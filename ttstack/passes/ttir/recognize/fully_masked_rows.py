"""Fully masked rows of scores: softmax makes them NaN, attention as one op makes them 0."""

import numpy as np

from ttstack.dialects.elements import elements_attribute
from ttstack.dialects.ttir.builders import ttir
from ttstack.dialects.types import read_type
from ttstack.mlir import ir
from ttstack.passes.ttir.facts.mask_elements import MaskElements
from ttstack.passes.ttir.facts.value_bounds import bounds
from ttstack.passes.ttir.queries.compile_time import MOST_MASK_ELEMENTS, elements
from ttstack.passes.ttir.queries.producers import find_producer, scalar

_AT_A_TIME = 2**22
"""Number of mask elements that are computed at once."""


def with_nan_rows(mask: ir.Value) -> ir.Value:
    """Return the mask with NaN in rows of only -inf; the mask itself if it has no such rows.

    The row maximum times 0 is 0, or NaN if it is infinite. Common parts of several attentions are computed once.
    """
    if np.isfinite(bounds(mask)[0]) or not _may_hide_rows(mask):
        return mask
    zero = read_type(mask.type).with_shape((1, 1, 1, 1))
    nothing = ttir.constant(result=zero, value=elements_attribute(np.zeros(zero.shape, zero.dtype.numpy), zero))
    largest = ttir.max(mask, keep_dim=True, dim_arg=(-1,))
    return ttir.add(mask, ttir.multiply(largest, nothing))


def _may_hide_rows(mask: ir.Value) -> bool:
    value, hides = _what_hides(mask)
    *lead, queries, keys = (1, 1, 1, 1, *read_type(value.type).shape)[-4:]
    parts = MaskElements(queries, keys, min(MOST_MASK_ELEMENTS, _AT_A_TIME), elements(MOST_MASK_ELEMENTS))
    for part in parts.rows(value, (lead[0], lead[1])):
        if part is None:
            return True
        hidden = np.isneginf(part.elements) if hides is None else part.elements == hides
        if hidden.all(axis=-1).any():
            return True
    return False


def _what_hides(mask: ir.Value) -> tuple[ir.Value, bool | None]:
    """Return the operand that decides where the mask is -inf, and for truth values, which of them hides."""
    if (op := find_producer(mask, "add")) is not None:
        operand = next(
            (v for v, other in (op.operands, reversed(op.operands)) if np.isfinite(bounds(other)).all()), None
        )
        return (mask, None) if operand is None else _what_hides(operand)
    if (op := find_producer(mask, "where")) is not None:
        condition, *choices = op.operands
        for hides, (number, other) in ((True, choices), (False, reversed(choices))):
            if scalar(number) == -np.inf and np.isfinite(bounds(other)).all():
                return condition, hides
    return mask, None
