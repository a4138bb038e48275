"""Attention of new tokens over a cache in the form that its kernels take."""

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
    """Heads of one width, latent ones and those of chunks of whole tiles, and caches of whole tiles of rows."""
    found = definition_of(op)
    assert isinstance(found, CacheAttention)
    before = dict(zip(type(found).operand_specs(), operands_by_place(type(found), op), strict=False))
    attributes: dict[str, Any] = attribute_values(type(found), op)
    places = {**before, **_of_one_width(found, before)}
    if isinstance(found, PagedFlashMultiLatentAttentionDecode):
        attributes["head_dim_v"] = _whole(found.head_dim_v)
        if found.attention_mask is None and not (found.is_causal and found.cur_pos_tensor):
            places["cur_pos_tensor"], attributes["is_causal"] = _last_place(found), True
    elif isinstance(found, ScaledDotProductAttentionDecode):
        places |= _of_whole_rows(found, places)
    if all(places[name] is value for name, value in before.items()):
        return None
    if "output" in places:
        places["output"] = places["query"]  # of the type of the result, and not read
    attributes.setdefault("scale", 1 / math.sqrt(found.widths()[0]))
    result = ttir.build(found.mnemonic, *places.values(), **attributes)
    return [cut_to(result, found.results[0].shape)]


def _of_one_width(found: CacheAttention, places: dict[str, ir.Value | None]) -> dict[str, ir.Value | None]:
    """Queries, keys and values, filled up with zeros; latent values are the columns that count alone."""
    given = {name: v for name, v in places.items() if name in ("query", "key", "value") and v is not None}
    widths = {name: read_type(v.type).shape[3] for name, v in given.items()}
    wanted = dict.fromkeys(given, max(widths.values()))
    if isinstance(found, PagedFlashMultiLatentAttentionDecode):
        wanted = {name: _whole(found.head_dim_v if name == "value" else widths["key"]) for name in given}
    elif isinstance(found, ChunkedScaledDotProductAttention):
        wanted = {name: _whole(width) for name, width in wanted.items()}
    return {
        name: fill(slice_along(v, 3, 0, min(widths[name], wanted[name])), 3, wanted[name]) for name, v in given.items()
    }


def _last_place(found: PagedFlashMultiLatentAttentionDecode) -> ir.Value:
    """For each user the place up to which it sees all that its pages hold."""
    users, _, keys = found.lengths()
    return constant(np.full(users, keys - 1), TensorType((users,), DType.I32))


def _of_whole_rows(
    found: ScaledDotProductAttentionDecode, places: dict[str, ir.Value | None]
) -> dict[str, ir.Value | None]:
    """Keys and values, and a mask that hides the rows that are filled up, where positions do not."""
    rows, mask = found.key.shape[2], places["attention_mask"]
    whole = _whole(rows)
    if whole == rows or found.is_causal:
        return {}
    cache = {name: fill(v, 2, whole) for name in ("key", "value") if (v := places[name]) is not None}
    users, heads, _ = found.lengths()
    if mask is None:
        mask = constant(np.zeros((1, 1, 1, rows)), TensorType((1, 1, 1, rows), found.query.dtype))
    every = broadcast_to(mask, (users, 1, heads, rows))
    return {**cache, "attention_mask": fill(every, 3, whole, -math.inf)}


def _whole(extent: int) -> int:
    return extent + -extent % TILE


DECODE: Sequence[tuple[str, Pattern]] = tuple(
    (f"ttir.{name}", _fit) for name, op in OPS.items() if issubclass(op, CacheAttention)
)
