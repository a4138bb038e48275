"""Matrix products, attention and heads."""

from typing import Any

import numpy as np

from tests.ttnn_python.stand_in.eltwise import activated
from tests.ttnn_python.stand_in.reduction import shares
from tests.ttnn_python.stand_in.tensor import Array, DataType, Tensor, made


def matmul(
    a: Tensor,
    b: Tensor,
    *,
    bias: Tensor | None = None,
    transpose_a: bool = False,
    transpose_b: bool = False,
    program_config: Any = None,
    dtype: DataType | None = None,
    **_: Any,
) -> Tensor:
    """A product, with a bias, and the activation of its program configuration."""
    left = a.values.swapaxes(-1, -2) if transpose_a else a.values
    found = left @ (b.values.swapaxes(-1, -2) if transpose_b else b.values)
    found = found if bias is None else found + bias.values
    return made(a, activated(found, getattr(program_config, "fused_activation", None)), dtype)


def sparse_matmul(
    a: Tensor,
    b: Tensor,
    *,
    sparsity: Tensor,
    program_config: Any,
    is_input_a_sparse: bool,
    is_input_b_sparse: bool,
    dtype: DataType,
    **_: Any,
) -> Tensor:
    """Products of blocks where the sparsity, in bf16, is not 0."""
    assert sparsity.dtype is DataType.BFLOAT16
    assert program_config.mcast_in0
    if is_input_a_sparse:
        assert sparsity.shape == ((1, 1, 1, a.shape[1]) if is_input_b_sparse else (1, 1, *a.shape[:2]))
        used = sparsity.values.reshape(*a.shape[:2], 1, 1) != 0
        return made(a, np.where(used, a.values @ b.values, 0), dtype)
    assert sparsity.shape == (*a.shape[:2], 1, b.shape[1])
    products = a.values[:, :, None, None] @ b.values[0]
    return made(a, np.where(sparsity.values[..., None, None] != 0, products, 0), dtype)


def attention(
    q: Tensor,
    k: Tensor,
    v: Tensor,
    *,
    attn_mask: Tensor | None = None,
    is_causal: bool = True,
    scale: float | None = None,
    sliding_window_size: int | None = None,
    attention_sink: Tensor | None = None,
    cu_window_seqlens: Tensor | None = None,
    attn_mask_block_map: Tensor | None = None,
    program_config: Any = None,
    **_: Any,
) -> Tensor:
    """Heads of queries over those of keys, which several share; [batch, heads, rows, width]."""
    hidden = np.zeros((q.shape[2], k.shape[2]), bool)
    away = np.arange(k.shape[2]) - np.arange(q.shape[2])[:, None]
    if is_causal:
        hidden |= away > 0
    if sliding_window_size:
        hidden |= away <= -sliding_window_size if is_causal else abs(away) > sliding_window_size // 2
    if cu_window_seqlens is not None:
        of = np.searchsorted(cu_window_seqlens.values, np.arange(k.shape[2]), side="right")
        hidden |= of != of[:, None]
    assert attn_mask is None or attn_mask.shape[2] == q.shape[2]
    mask = np.where(hidden, -np.inf, 0.0 if attn_mask is None else attn_mask.values)
    if attn_mask_block_map is not None:
        size = program_config.q_chunk_size, program_config.k_chunk_size
        shown = attn_mask_block_map.values.repeat(size[0], 2).repeat(size[1], 3)[..., : q.shape[2], : k.shape[2]]
        mask = np.where(shown, mask, -np.inf)
    sink = None if attention_sink is None else attention_sink.values.reshape(1, -1, 1, 1)
    return made(q, _attended(q.values, k.values, v.values, mask, scale, sink))


def _attended(q: Array, k: Array, v: Array, mask: Array, scale: float | None, sink: Array | None) -> Array:
    shared = q.shape[1] // k.shape[1]
    k, v = k.repeat(shared, 1), v.repeat(shared, 1)
    scale = q.shape[-1] ** -0.5 if scale is None else scale
    scores = q @ k.swapaxes(-1, -2) * scale + mask
    if sink is None:
        return shares(scores) @ v
    column = np.broadcast_to(sink * scale, (*scores.shape[:-1], 1))
    return shares(np.concatenate([scores, column], -1))[..., :-1] @ v


def decode(
    q: Tensor,
    k: Tensor,
    v: Tensor,
    *,
    is_causal: bool = True,
    attn_mask: Tensor | None = None,
    cur_pos_tensor: Tensor | None = None,
    attention_sink: Tensor | None = None,
    scale: float | None = None,
    sliding_window_size: int | None = None,
    **_: Any,
) -> Tensor:
    """One query a user, [1, users, heads, width], over a cache [users, heads, length, width]."""
    if is_causal:
        assert cur_pos_tensor is not None
        away = np.arange(k.shape[2]) - cur_pos_tensor.values[:, None, None, None]
        outside = away <= -sliding_window_size if sliding_window_size else False
        mask = np.where((away > 0) | outside, -np.inf, 0.0)
    else:
        mask = np.zeros(1) if attn_mask is None else attn_mask.values.swapaxes(1, 2)
    sink = None if attention_sink is None else attention_sink.values[:, :1].reshape(1, -1, 1, 1)
    heads = q.values[0][:, :, None]
    return made(q, _attended(heads, k.values, v.values, mask, scale, sink)[:, :, 0][None])


def paged_decode(q: Tensor, k: Tensor, v: Tensor, page_table: Tensor, **keywords: Any) -> Tensor:
    """The same over pages, of which each user has a row of the table."""
    return decode(q, *(made(x, _joined(x.values, page_table.values)) for x in (k, v)), **keywords)


def latent_decode(
    q: Tensor, k: Tensor, v: Tensor | None = None, *, head_dim_v: int, page_table_tensor: Tensor, **keywords: Any
) -> Tensor:
    """The same over latent pages of one head, of whose columns the first are values."""
    values = k if v is None else v
    return paged_decode(q, k, made(values, values.values[..., :head_dim_v]), page_table_tensor, **keywords)


def chunked(
    q: Tensor,
    k: Tensor,
    v: Tensor,
    page_table: Tensor,
    *,
    chunk_start_idx_tensor: Tensor,
    scale: float | None = None,
    **_: Any,
) -> Tensor:
    """Queries that stand one after the other from an index on, over pages."""
    keys, values = (_joined(x.values, page_table.values) for x in (k, v))
    places = chunk_start_idx_tensor.values[0] + np.arange(q.shape[2])
    mask = np.where(np.arange(keys.shape[2]) > places[:, None], -np.inf, 0.0)
    return made(q, _attended(q.values, keys, values, mask, scale, None))


def _joined(pages: Array, table: Array) -> Array:
    found = pages[table].swapaxes(1, 2)
    return found.reshape(*found.shape[:2], -1, found.shape[-1])


def split_heads(
    x: Tensor, kv: Tensor | None = None, *, num_heads: int, num_kv_heads: int | None, transpose_key: bool, **_: Any
) -> tuple[Tensor, ...]:
    """Queries, keys and values of all heads out of rows; [batch, rows, columns]."""
    shared = num_kv_heads or num_heads
    columns = x.shape[-1] if kv is None else x.shape[-1] + kv.shape[-1]
    width = columns // (num_heads + 2 * shared)
    all_columns = x.values if kv is None else np.concatenate([x.values, kv.values], -1)
    parts = np.split(all_columns, [num_heads * width, (num_heads + shared) * width], -1)
    q, k, v = (p.reshape(*x.shape[:2], -1, width).swapaxes(1, 2) for p in parts)
    return made(x, q), made(x, k.swapaxes(-1, -2) if transpose_key else k), made(x, v)


def create_heads(x: Tensor, *, num_heads: int, num_kv_heads: int, transpose_k_heads: bool, **_: Any) -> list[Tensor]:
    """Queries alone of [batch, 1, rows, columns]."""
    assert num_kv_heads == 0
    assert not transpose_k_heads
    return [made(x, x.values[:, 0].reshape(x.shape[0], x.shape[2], num_heads, -1).swapaxes(1, 2))]


def split_users(x: Tensor, *, num_heads: int, num_kv_heads: int) -> tuple[Tensor, ...]:
    """Queries, keys and values of [1, 1, users, columns]."""
    heads = x.values.reshape(1, x.shape[2], num_heads + 2 * num_kv_heads, -1)
    return tuple(made(x, part) for part in np.split(heads, [num_heads, num_heads + num_kv_heads], 2))


def concatenate_heads(x: Tensor, **_: Any) -> Tensor:
    """Heads side by side."""
    return made(x, x.values.swapaxes(1, 2).reshape(x.shape[0], x.shape[2], -1))


def join_users(x: Tensor, *, num_heads: int) -> Tensor:
    """[1, 1, users, columns] of heads side by side; users are as many as fill a tile."""
    assert x.shape[1:3] == (32, num_heads)
    return made(x, x.values.reshape(1, 1, x.shape[1], -1))


def rotary_of_neighbours(x: Tensor, cos: Tensor, sin: Tensor, matrix: Tensor, **_: Any) -> Tensor:
    """Rows of [heads, 1, places, width] by tables of places, neighbours by a matrix of a tile; in bf16 alone."""
    assert (matrix.shape, cos.shape) == ((1, 1, 32, 32), (1, 1, *x.shape[2:]))
    assert {t.dtype for t in (x, cos, sin, matrix)} == {DataType.BFLOAT16}
    turned = (x.values.reshape(*x.shape[:-1], -1, 32) @ matrix.values[0, 0]).reshape(x.shape)
    return made(x, x.values * cos.values + turned * sin.values)


def rotary(x: Tensor, cos: Tensor, sin: Tensor, token_index: int, **_: Any) -> Tensor:
    """Rows of [1, users, heads, width] by one row of a table; as many rows come as fill tiles."""
    assert cos.shape[:2] == (1, 1)
    angles = (t.values[:, :, token_index : token_index + 1] for t in (cos, sin))
    turned = _turned(x.values, *angles)
    return made(x, np.pad(turned, ((0, 0), (0, 0), (0, -x.shape[2] % 32), (0, 0))))


def rotary_by_place(x: Tensor, cos: Tensor, sin: Tensor, *, is_decode_mode: bool, **_: Any) -> Tensor:
    """Rows [batch, heads, places, width] by the rows of a table; or [1, users, heads, width], each user by its own."""
    assert cos.shape == sin.shape == ((1, x.shape[1], 1, x.shape[3]) if is_decode_mode else (1, 1, *x.shape[2:]))
    return made(x, _turned(x.values, cos.values, sin.values))


def _turned(x: Array, cos: Array, sin: Array) -> Array:
    first, second = np.split(x, 2, -1)
    return x * cos + np.concatenate([-second, first], -1) * sin
