"""Attention of one new token a user, or of a chunk of new tokens, over what the cache holds."""

import numpy as np

from ttstack_runtime.kernels.flash import Visibility, attend
from ttstack_runtime.kernels.table import Array, KernelTable

KERNELS = KernelTable()


@KERNELS
def scaled_dot_product_attention_decode(
    query: Array,
    key: Array,
    value: Array,
    attention_mask: Array | None,
    cur_pos_tensor: Array | None,
    attention_sink: Array | None = None,
    *,
    is_causal: bool = True,
    scale: float | None = None,
    sliding_window_size: int | None = None,
) -> Array:
    """[1, B, Hq, D] on [B, Hkv, S, D]; user `b` stands at `cur_pos[b]`, and sees nothing if that is negative.

    The mask broadcasts to [B, 1, Hq, S] and is added to the scores. Of a sink of several columns, the first counts.
    """
    causal = is_causal and cur_pos_tensor is not None
    users = query.shape[1]
    places = np.zeros(users, np.int64) if cur_pos_tensor is None else cur_pos_tensor.reshape(-1).astype(np.int64)
    out = attend(
        query.transpose(1, 2, 0, 3),
        key,
        value,
        scale=scale,
        visible=Visibility(places[:, None], causal, sliding_window_size if causal else None),
        mask=None if attention_mask is None else _by_head(attention_mask),
        sink=None if attention_sink is None else attention_sink.reshape(query.shape[2], -1)[:, 0],
    )
    return out.transpose(2, 0, 1, 3)


@KERNELS
def paged_scaled_dot_product_attention_decode(
    query: Array,
    key: Array,
    value: Array,
    page_table: Array,
    _output: Array | None = None,
    attention_mask: Array | None = None,
    cur_pos_tensor: Array | None = None,
    attention_sink: Array | None = None,
    *,
    is_causal: bool = True,
    scale: float | None = None,
    sliding_window_size: int | None = None,
) -> Array:
    """`scaled_dot_product_attention_decode` with keys and values in pages [blocks, Hkv, block length, D]."""
    return scaled_dot_product_attention_decode(
        query,
        _unpage(key, page_table),
        _unpage(value, page_table),
        attention_mask,
        cur_pos_tensor,
        attention_sink,
        is_causal=is_causal,
        scale=scale,
        sliding_window_size=sliding_window_size,
    )


@KERNELS
def paged_flash_multi_latent_attention_decode(
    query: Array,
    key: Array,
    value: Array | None,
    page_table: Array,
    attention_mask: Array | None = None,
    cur_pos_tensor: Array | None = None,
    attention_sink: Array | None = None,
    *,
    head_dim_v: int,
    is_causal: bool = True,
    scale: float | None = None,
) -> Array:
    """Decode attention on latent pages: values are the first `head_dim_v` columns of the keys if absent."""
    keys = _unpage(key, page_table)
    return scaled_dot_product_attention_decode(
        query,
        keys,
        keys[..., :head_dim_v] if value is None else _unpage(value, page_table)[..., :head_dim_v],
        attention_mask,
        cur_pos_tensor,
        attention_sink,
        is_causal=is_causal,
        scale=scale,
    )


@KERNELS
def chunked_scaled_dot_product_attention(
    query: Array,
    key: Array,
    value: Array,
    page_table: Array,
    chunk_start_idx: Array | int,
    _output: Array | None = None,
    *,
    scale: float | None = None,
) -> Array:
    """Causal attention of a chunk of queries [B, Hq, S, D] that starts at position `chunk_start_idx`."""
    start = int(np.asarray(chunk_start_idx).reshape(-1)[0])
    places = start + np.arange(query.shape[2], dtype=np.int64)[None]
    keys, values = _unpage(key, page_table), _unpage(value, page_table)
    return attend(query, keys, values, scale=scale, visible=Visibility(places, is_causal=True))


def _by_head(mask: Array) -> Array:
    """A mask that broadcasts to [B, 1, Hq, S] as [B, Hq, 1, S]."""
    return mask.reshape((1,) * (4 - mask.ndim) + mask.shape).swapaxes(1, 2)


def _unpage(pages: Array, page_table: Array) -> Array:
    """[blocks, H, n, D] as [users, H, blocks of a user * n, D]; a negative entry reads block 0."""
    blocks = np.maximum(page_table.astype(np.int64), 0)
    users, count = blocks.shape
    gathered = pages[blocks].transpose(0, 2, 1, 3, 4)
    return gathered.reshape(users, pages.shape[1], count * pages.shape[2], pages.shape[3])
