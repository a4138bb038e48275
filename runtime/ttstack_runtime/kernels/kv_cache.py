"""Caches of keys and values: these kernels write to their first operand and have no result.

A plain cache is [users, heads, length, depth]. A paged cache is [blocks, heads, block length, depth], and row
`u` of the page table lists the blocks of user `u` in order.
"""

import numpy as np

from ttstack.diagnostics import ExecutionError
from ttstack_runtime.kernels.table import Array, KernelTable

KERNELS = KernelTable()


@KERNELS
def update_cache(cache: Array, rows: Array, update_index: Array, *, batch_offset: int) -> tuple[()]:
    """Write [users, heads, n, depth], or [1, heads, users, depth], from position `update_index` on."""
    users = cache.shape[0] - batch_offset
    values = rows.transpose(2, 1, 0, 3) if rows.shape[0] == 1 and 1 < rows.shape[2] <= users else rows
    starts = np.broadcast_to(update_index.reshape(-1).astype(np.int64), len(values))
    at = starts[:, None] + np.arange(values.shape[2], dtype=np.int64)
    _check("position", at, cache.shape[2])
    owners = batch_offset + np.arange(len(values), dtype=np.int64)[:, None]
    cache[owners, :, at] = values.transpose(0, 2, 1, 3)
    return ()


@KERNELS
def fill_cache(cache: Array, rows: Array, *, batch_offset: int) -> tuple[()]:
    """Write the first positions of the users from `batch_offset` on."""
    cache[batch_offset : batch_offset + len(rows), :, : rows.shape[2]] = rows
    return ()


@KERNELS
def paged_update_cache(
    cache: Array,
    rows: Array,
    update_index: Array,
    page_table: Array | None = None,
    *,
    share_cache: bool = False,
) -> tuple[()]:
    """Write [1, users, heads, depth], each user at its own `update_index`; a negative one skips the user.

    Heads past those of the cache are padding. A shared cache without pages holds one user, whom all write.
    """
    at = update_index.reshape(-1).astype(np.int64)
    users = np.flatnonzero(at >= 0)
    values = rows[0, users, : cache.shape[1]]
    if page_table is None:
        _check("position", at[users], cache.shape[2])
        cache[np.zeros_like(users) if share_cache else users, :, at[users]] = values
        return ()
    length = cache.shape[2]
    _check("position", at[users], page_table.shape[1] * length)
    blocks = page_table.astype(np.int64)[users, at[users] // length]
    cache[_check("page", blocks, len(cache)), :, at[users] % length] = values
    return ()


@KERNELS
def paged_fill_cache(cache: Array, rows: Array, page_table: Array, batch_idx_tensor: Array | None = None) -> tuple[()]:
    """Write [users, heads, n, depth] to the first positions of the users named, of user 0 if none is.

    Heads past those of the cache are padding.
    """
    users = [0] if batch_idx_tensor is None else batch_idx_tensor.reshape(-1).astype(np.int64)
    at, length = np.arange(rows.shape[2], dtype=np.int64), cache.shape[2]
    for user, values in zip(users, rows[:, : cache.shape[1]], strict=True):
        blocks = page_table.astype(np.int64)[user, at // length]
        cache[_check("page", blocks, len(cache)), :, at % length] = values.swapaxes(0, 1)
    return ()


def _check(what: str, indices: Array, count: int) -> Array:
    """`indices`, every one from 0 up to `count`.

    Raises:
        ExecutionError: one is not.
    """
    if indices.size and not 0 <= indices.min() <= indices.max() < count:
        worst = indices.max() if indices.max() >= count else indices.min()
        raise ExecutionError(f"{what} {worst} is outside of a cache that has {count}")
    return indices
