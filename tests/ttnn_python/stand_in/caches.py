"""Writes into caches of keys and values, [users, heads, length, width], or in pages."""

from typing import Any

from tests.ttnn_python.stand_in.tensor import Tensor


def fill_cache(cache: Tensor, x: Tensor, user: int) -> None:
    """The first rows of one user."""
    assert x.shape[0] == 1
    cache.values[user, :, : x.shape[2]] = x.values[0]


def paged_update_cache(
    cache: Tensor,
    x: Tensor,
    *,
    update_idxs_tensor: Tensor,
    page_table: Tensor | None = None,
    share_cache: bool | None = None,
    **_: Any,
) -> None:
    """A row a user, [1, users, heads filled up to a tile, width], at each one's own place."""
    heads, page = cache.shape[1], cache.shape[2]
    for user, at in enumerate(update_idxs_tensor.values.ravel()):
        if page_table is not None:
            cache.values[page_table.values[user, at // page], :, at % page] = x.values[0, user, :heads]
        else:
            cache.values[0 if share_cache else user, :, at] = x.values[0, user, :heads]


def paged_fill_cache(
    cache: Tensor,
    x: Tensor,
    page_table: Tensor,
    *,
    batch_idx: int = 0,
    batch_idx_tensor: Tensor | None = None,
) -> None:
    """The first rows of a user, page after page."""
    user = batch_idx if batch_idx_tensor is None else int(batch_idx_tensor.values.ravel()[0])
    page = cache.shape[2]
    for row in range(x.shape[2]):
        cache.values[page_table.values[user, row // page], :, row % page] = x.values[0, :, row]
