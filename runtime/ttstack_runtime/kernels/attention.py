"""Attention and the reshapes around it."""

import numpy as np

from ttstack_runtime.kernels.flash import Visibility, attend
from ttstack_runtime.kernels.table import Array, KernelTable

KERNELS = KernelTable()


@KERNELS
def scaled_dot_product_attention(
    query: Array,
    key: Array,
    value: Array,
    attention_mask: Array | None = None,
    attention_sink: Array | None = None,
    *,
    is_causal: bool = True,
    scale: float | None = None,
    sliding_window_size: int | None = None,
) -> Array:
    """`softmax(query @ key^T * scale + mask) @ value`, [B, Hq, S, D] on [B, Hkv, Sk, D].

    Query `i` and key `i` stand at the same position, also where S and Sk differ. `attention_sink` holds one
    score a query head, which is not scaled.
    """
    positions = np.arange(query.shape[2], dtype=np.int64)[None]
    visible = Visibility(positions, is_causal, sliding_window_size)
    return attend(query, key, value, scale=scale, visible=visible, mask=attention_mask, sink=attention_sink)


@KERNELS
def concatenate_heads(x: Array) -> Array:
    """[B, H, S, D] to [B, S, H * D]."""
    batch, heads, rows, depth = x.shape
    return x.transpose(0, 2, 1, 3).reshape(batch, rows, heads * depth)


@KERNELS
def split_heads(x: Array, *, num_heads: int) -> Array:
    """[B, S, H * D] to [B, H, S, D]."""
    batch, rows, width = x.shape
    return x.reshape(batch, rows, num_heads, width // num_heads).transpose(0, 2, 1, 3)


@KERNELS
def split_query_key_value_and_split_heads(
    x: Array,
    kv: Array | None = None,
    *,
    num_heads: int,
    num_kv_heads: int | None = None,
    transpose_key: bool,
) -> tuple[Array, Array, Array]:
    """Query, key and value of [B, heads, S, D] from [B, S, (H + 2 Hkv) * D], or key and value from `kv`."""
    kv_heads = num_kv_heads or num_heads
    depth = x.shape[-1] // (num_heads + (2 * kv_heads if kv is None else 0))
    pairs = x[..., num_heads * depth :] if kv is None else kv
    query = _split_heads(x[..., : num_heads * depth], num_heads)
    key = _split_heads(pairs[..., : kv_heads * depth], kv_heads)
    value = _split_heads(pairs[..., kv_heads * depth :], kv_heads)
    return query, key.swapaxes(-1, -2) if transpose_key else key, value


@KERNELS
def split_query_key_value_decode(x: Array, *, num_heads: int, num_kv_heads: int) -> tuple[Array, ...]:
    """Query, key and value of [1, users, heads, D] from [1, users, (H + 2 Hkv) * D]."""
    heads = x.reshape(*x.shape[:2], num_heads + 2 * num_kv_heads, -1)
    return tuple(np.split(heads, [num_heads, num_heads + num_kv_heads], axis=2))


@KERNELS
def concatenate_heads_decode(x: Array) -> Array:
    """[1, users, H * D] from [1, users, H, D]."""
    return x.reshape(*x.shape[:2], -1)


def _split_heads(x: Array, heads: int) -> Array:
    """[B, S, H * D] to [B, H, S, D]."""
    batch, rows, width = x.shape
    return x.reshape(batch, rows, heads, width // heads).transpose(0, 2, 1, 3)
