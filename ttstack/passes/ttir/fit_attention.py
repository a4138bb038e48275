"""Attention in the form that its kernel takes: a row of the mask for each query, and heads of whole tiles."""

import math
from collections.abc import Sequence
from typing import Any

from ttstack.dialects.base import attribute_values, describe, operands_by_place
from ttstack.dialects.ttir.builders import ttir
from ttstack.dialects.types import read_type
from ttstack.mlir import ir
from ttstack.ops.attention import ScaledDotProductAttention
from ttstack.ops.types import TILE
from ttstack.passes.base import Pass
from ttstack.passes.pattern import apply_patterns


class FitAttention(Pass, name="fit-attention"):
    """A mask of one row is repeated for all queries, once for all readers; narrow heads are filled up with zeros."""

    def run(self, module: ir.Module) -> None:
        """Rewrite every attention that its kernel would not take."""
        apply_patterns(module, [(f"ttir.{ScaledDotProductAttention.mnemonic}", _fit)])


def _fit(op: Any) -> list[ir.Value] | None:
    found = describe(op)
    assert isinstance(found, ScaledDotProductAttention)
    *inputs, mask, sink = operands_by_place(ScaledDotProductAttention, op)
    fitting = [_whole_tiles(value) for value in inputs if value is not None]
    rows = _for_all(mask, found.query.shape[2])
    if fitting == inputs and rows == mask:
        return None
    scale = 1 / math.sqrt(found.query.shape[3]) if found.scale is None else found.scale
    attributes: dict[str, Any] = attribute_values(ScaledDotProductAttention, op) | {"scale": scale}
    result = ttir.build(found.mnemonic, *fitting, rows, sink, **attributes)
    return [_cut(result, found.results[0].shape)]


def _for_all(mask: ir.Value | None, queries: int) -> ir.Value | None:
    if mask is None or read_type(mask.type).shape[-2] == queries:
        return mask
    return ttir.broadcast(mask, broadcast_dimensions=(1, 1, queries, 1))


def _whole_tiles(value: ir.Value) -> ir.Value:
    missing = -read_type(value.type).shape[-1] % TILE
    if not missing:
        return value
    return ttir.pad(value, padding=(0,) * 7 + (missing,), value=0.0)


def _cut(value: ir.Value, shape: Sequence[int]) -> ir.Value:
    if read_type(value.type).shape == tuple(shape):
        return value
    return ttir.slice_static(value, begins=(0,) * 4, ends=tuple(shape), step=(1,) * 4)
