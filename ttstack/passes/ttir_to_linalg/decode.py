"""Attention of one new token or a chunk per user over a cache."""

import numpy as np

from ttstack.ops.decode import (
    ChunkedScaledDotProductAttention,
    PagedFlashMultiLatentAttentionDecode,
    PagedScaledDotProductAttentionDecode,
    ScaledDotProductAttentionDecode,
)
from ttstack.ops.types import DType
from ttstack.passes.ttir_to_linalg.attention import attend
from ttstack.passes.ttir_to_linalg.checks import inside
from ttstack.passes.ttir_to_linalg.indexing import take
from ttstack.passes.ttir_to_linalg.scalars import maximum
from ttstack.passes.ttir_to_linalg.table import LoweringTable
from ttstack.passes.ttir_to_linalg.tensors import Dense, elementwise, literal

LOWERINGS = LoweringTable()
Masks = tuple[Dense | None, Dense | None, Dense | None]
"""An additive mask, positions of users, and a sink."""


@LOWERINGS("scaled_dot_product_attention_decode")
def _plain(op: ScaledDotProductAttentionDecode, query: Dense, key: Dense, value: Dense, *rest: Dense | None) -> Dense:
    return _decode(op, query, key, value, _masks(rest)).cast(op.results[0].dtype)


@LOWERINGS("paged_scaled_dot_product_attention_decode")
def _paged(
    op: PagedScaledDotProductAttentionDecode,
    query: Dense,
    key: Dense,
    value: Dense,
    table: Dense,
    _output: Dense,
    *rest: Dense | None,
) -> Dense:
    return _decode(op, query, _unpage(key, table), _unpage(value, table), _masks(rest)).cast(op.results[0].dtype)


@LOWERINGS("paged_flash_multi_latent_attention_decode")
def _latent(
    op: PagedFlashMultiLatentAttentionDecode,
    query: Dense,
    key: Dense,
    value: Dense | None,
    table: Dense,
    *rest: Dense | None,
) -> Dense:
    keys = _unpage(key, table)
    whole = keys if value is None else _unpage(value, table)
    values = whole.slice([0] * 4, [*whole.shape[:3], op.head_dim_v])
    return _decode(op, query, keys, values, _masks(rest)).cast(op.results[0].dtype)


@LOWERINGS("chunked_scaled_dot_product_attention")
def _chunked(
    op: ChunkedScaledDotProductAttention,
    query: Dense,
    key: Dense,
    value: Dense,
    table: Dense,
    start: Dense,
    _output: Dense,
) -> Dense:
    line = literal(np.arange(query.shape[2])[None], DType.I64)
    places = elementwise(lambda s, i: s + i, [start.cast(DType.I64), line], DType.I64)
    keys, values = _unpage(key, table), _unpage(value, table)
    found = attend(query, keys, values, scale=op.scale, causal=True, positions=places)
    return found.cast(op.results[0].dtype)


def _masks(rest: tuple[Dense | None, ...]) -> Masks:
    mask, positions, sink = rest
    return mask, positions, sink


def _decode(
    op: ScaledDotProductAttentionDecode | PagedScaledDotProductAttentionDecode | PagedFlashMultiLatentAttentionDecode,
    query: Dense,
    key: Dense,
    value: Dense,
    masks: Masks,
) -> Dense:
    """Compute [1, B, Hq, D] on [B, Hkv, S, D]; the mask broadcasts to [B, 1, Hq, S]."""
    mask, places, sink = masks
    causal = op.is_causal and places is not None
    added = None if mask is None else mask.reshape(*(1,) * (4 - mask.rank), *mask.shape).transpose([0, 2, 1, 3])
    found = attend(
        query.transpose([1, 2, 0, 3]),
        key,
        value,
        scale=op.scale,
        causal=causal,
        window=op.window if causal else None,
        positions=places.cast(DType.I64).reshape(-1, 1) if causal and places is not None else None,
        mask=added,
        sink=sink,
    )
    return found.transpose([2, 0, 1, 3])


def _unpage(pages: Dense, table: Dense) -> Dense:
    """Gather [blocks, H, n, D] as [users, H, blocks of a user * n, D]; a negative entry reads block 0."""
    _, heads, length, depth = pages.shape
    users, count = table.shape
    named = elementwise(lambda b: maximum(b, 0), [table.reshape(-1).cast(DType.I64)], DType.I64)
    found = take(pages, inside(named, pages.shape[0]), 0).reshape(users, count, heads, length, depth)
    return found.transpose([0, 2, 1, 3, 4]).reshape(users, heads, count * length, depth)
