"""Attention of new tokens over a cache, in the form of its kernels."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from ttstack.dialects.base import attribute_values, definition_of, operands_by_place
from ttstack.dialects.ttir.build import broadcast_to, constant, slice_along
from ttstack.dialects.ttir.builders import ttir
from ttstack.dialects.types import read_type
from ttstack.mlir import ir
from ttstack.ops.base import OPS
from ttstack.ops.decode import (
    CacheAttention,
    ChunkedScaledDotProductAttention,
    PagedFlashMultiLatentAttentionDecode,
    ScaledDotProductAttentionDecode,
)
from ttstack.ops.types import TILE, DType, TensorType
from ttstack.passes.rewriting.pattern import Pattern
from ttstack.passes.ttir.queries.fill import cut_to, fill


def _fit(op: ir.Operation) -> list[ir.Value] | None:
    """Pad heads to one width, latent and chunked heads to whole tiles, and caches to whole tiles of rows."""
    attention = definition_of(op)
    assert isinstance(attention, CacheAttention)
    before = dict(zip(type(attention).operand_specs(), operands_by_place(type(attention), op), strict=False))
    attributes: dict[str, Any] = attribute_values(type(attention), op)
    operands = {**before, **_of_one_width(attention, before)}
    if isinstance(attention, PagedFlashMultiLatentAttentionDecode):
        attributes["head_dim_v"] = _whole(attention.head_dim_v)
        if attention.attention_mask is None and not (attention.is_causal and attention.cur_pos_tensor):
            operands["cur_pos_tensor"], attributes["is_causal"] = _last_position(attention), True
    elif isinstance(attention, ScaledDotProductAttentionDecode):
        operands |= _of_whole_rows(attention, operands)
    if all(operands[name] is value for name, value in before.items()):
        return None
    if "output" in operands:
        operands["output"] = operands["query"]  # of the type of the result, and not read
    attributes.setdefault("scale", 1 / math.sqrt(attention.widths()[0]))
    result = ttir.build(attention.mnemonic, *operands.values(), **attributes)
    return [cut_to(result, attention.results[0].shape)]


def _of_one_width(attention: CacheAttention, operands: dict[str, ir.Value | None]) -> dict[str, ir.Value | None]:
    """Pad queries, keys and values with zeros; latent values become separate columns."""
    inputs = {name: v for name, v in operands.items() if name in ("query", "key", "value") and v is not None}
    widths = {name: read_type(v.type).shape[3] for name, v in inputs.items()}
    wanted = dict.fromkeys(inputs, max(widths.values()))
    if isinstance(attention, PagedFlashMultiLatentAttentionDecode):
        wanted = {name: _whole(attention.head_dim_v if name == "value" else widths["key"]) for name in inputs}
    elif isinstance(attention, ChunkedScaledDotProductAttention):
        wanted = {name: _whole(width) for name, width in wanted.items()}
    return {
        name: fill(slice_along(v, 3, 0, min(widths[name], wanted[name])), 3, wanted[name]) for name, v in inputs.items()
    }


def _last_position(attention: PagedFlashMultiLatentAttentionDecode) -> ir.Value:
    """Return the last position of each user, at the capacity of its pages."""
    users, _, keys = attention.lengths()
    return constant(np.full(users, keys - 1), TensorType((users,), DType.I32))


def _of_whole_rows(
    attention: ScaledDotProductAttentionDecode, operands: dict[str, ir.Value | None]
) -> dict[str, ir.Value | None]:
    """Pad keys and values, with a mask that hides the padded rows unless positions do."""
    rows, mask = attention.key.shape[2], operands["attention_mask"]
    whole = _whole(rows)
    if whole == rows or attention.is_causal:
        return {}
    cache = {name: fill(v, 2, whole) for name in ("key", "value") if (v := operands[name]) is not None}
    users, heads, _ = attention.lengths()
    if mask is None:
        mask = constant(np.zeros((1, 1, 1, rows)), TensorType((1, 1, 1, rows), attention.query.dtype))
    every = broadcast_to(mask, (users, 1, heads, rows))
    return {**cache, "attention_mask": fill(every, 3, whole, -math.inf)}


def _whole(extent: int) -> int:
    return extent + -extent % TILE


DECODE: Sequence[tuple[str, Pattern]] = tuple(
    (f"ttir.{name}", _fit) for name, op in OPS.items() if issubclass(op, CacheAttention)
)
