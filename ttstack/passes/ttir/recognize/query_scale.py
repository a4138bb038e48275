"""Folding of scalar factors of queries and keys into the scale of attention."""

import math

from ttstack.dialects.base import attribute_values, operands_by_place
from ttstack.dialects.ttir.builders import ttir
from ttstack.dialects.types import read_type
from ttstack.mlir import ir
from ttstack.ops.attention import ScaledDotProductAttention
from ttstack.passes.ttir.queries.movement_chain import before_moves, move_alike
from ttstack.passes.ttir.queries.producers import factor


def take_scale(op: ir.Operation) -> list[ir.Value] | None:
    """Fold factors of queries and keys into the scale of attention."""
    query, key, *others = operands_by_place(ScaledDotProductAttention, op)
    assert query is not None
    assert key is not None
    (query, before), (key, times) = _unscaled(query), _unscaled(key)
    number = before * times
    if number in {0, 1} or not math.isfinite(number):
        return None
    attributes = attribute_values(ScaledDotProductAttention, op)
    scale = attributes.pop("scale", None)
    own = 1 / math.sqrt(read_type(query.type).shape[-1]) if scale is None else scale
    mnemonic = ScaledDotProductAttention.mnemonic
    return [ttir.build(mnemonic, query, key, *others, **attributes, scale=own * number)]


def _unscaled(value: ir.Value) -> tuple[ir.Value, float]:
    """Return a value without its scalar factor, and the factor; 1 without one."""
    source, moves = before_moves(value)
    if (scaled := factor(source)) is None:
        return value, 1.0
    return move_alike(scaled[0], moves), scaled[1]
