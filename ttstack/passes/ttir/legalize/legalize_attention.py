"""Attention in the form of its kernels: a mask row for each query, heads and caches of whole tiles."""

import math
from typing import Any

import numpy as np

from ttstack.dialects.base import attribute_values, definition_of, operands_by_place
from ttstack.dialects.ttir.build import broadcast_to, constant
from ttstack.dialects.ttir.builders import ttir
from ttstack.dialects.types import read_type
from ttstack.mlir import ir
from ttstack.ops.attention import ScaledDotProductAttention
from ttstack.ops.block_sparse import BlockSparseAttention
from ttstack.ops.linear_bias import LinearBiasAttention
from ttstack.ops.types import TILE, ElementType, TensorType
from ttstack.passes.base import Pass
from ttstack.passes.rewriting.pattern import apply_patterns
from ttstack.passes.stages import Stage
from ttstack.passes.ttir.legalize.legalize_decode_attention import DECODE
from ttstack.passes.ttir.legalize.legalize_rotary import ROTARY
from ttstack.passes.ttir.queries.fill import cut_to, fill

_WHOLE = (ScaledDotProductAttention, BlockSparseAttention, LinearBiasAttention)
"""Attention over whole sequences."""

_OPERAND_COUNT = len(ScaledDotProductAttention.operand_specs())


class LegalizeAttention(Pass, name="legalize-attention", stage=Stage.OPERANDS):
    """Repeat masks and pad heads as ttnn's attention requires.

    Heads narrower than a tile, value heads narrower than key heads, and rows of a decode cache are padded. Causal
    attention with different numbers of queries and keys gets a mask. Rotary embeddings of neighbours get the matrix
    that the library's kernel uses.
    """

    def run(self, module: ir.Module) -> None:
        """Rewrite every attention and rotary embedding that its kernel does not support."""
        apply_patterns(module, [*((f"ttir.{spec.mnemonic}", _fit) for spec in _WHOLE), *DECODE, *ROTARY])


def _fit(op: ir.Operation) -> list[ir.Value] | None:
    attention = definition_of(op)
    assert isinstance(attention, ScaledDotProductAttention)
    *inputs, mask, sink = (operands := operands_by_place(type(attention), op))[:_OPERAND_COUNT]
    fitting = [_whole_tiles(value) for value in inputs if value is not None]
    queries, keys = attention.query.shape[2], attention.key.shape[2]
    shifted = attention.is_causal and queries != keys
    rows = hidden_keys(queries, keys, attention.query.dtype, attention.sliding_window_size) if shifted else mask
    rows = _for_all(rows, queries)
    if all(new is old for new, old in zip((*fitting, rows), (*inputs, mask), strict=True)):
        return None
    scale = 1 / math.sqrt(attention.query.shape[3]) if attention.scale is None else attention.scale
    attributes: dict[str, Any] = attribute_values(type(attention), op) | {"scale": scale}
    if shifted:
        attributes["is_causal"] = False
        attributes.pop("sliding_window_size", None)
    result = ttir.build(attention.mnemonic, *fitting, rows, sink, *operands[_OPERAND_COUNT:], **attributes)
    return [cut_to(result, attention.results[0].shape)]


def hidden_keys(queries: int, keys: int, dtype: ElementType, window: int | None = None) -> ir.Value:
    """Return a mask [1, 1, queries, keys] that shows each query the keys up to its position, or a window of them."""
    away = np.arange(keys)[None, :] - np.arange(queries)[:, None]
    hidden = (away > 0) | (away <= -(window or keys + queries))
    values = np.where(hidden, -np.inf, 0.0).astype(dtype.numpy)
    return constant(values[None, None], TensorType((1, 1, queries, keys), dtype))


def _for_all(mask: ir.Value | None, queries: int) -> ir.Value | None:
    if mask is None:
        return None
    return broadcast_to(mask, (*read_type(mask.type).shape[:2], queries, read_type(mask.type).shape[3]))


def _whole_tiles(value: ir.Value) -> ir.Value:
    width = read_type(value.type).shape[3]
    return fill(value, 3, width + -width % TILE)
