"""The core that all attention kernels share: softmax attention in blocks that bound the memory for scores."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from ttstack_runtime.kernels.table import Array

_SCORES = 1 << 21  # elements of one block of scores
_ALL = slice(None)


@dataclass(frozen=True)
class Visibility:
    """Which keys a query sees by position; key `j` stands at position `j`.

    A causal query at position `p` sees keys up to `p`, with a window of `w` only the last `w` of them.
    Without causality a window is centred: keys at most `w // 2` away.
    """

    positions: Array
    """[B or 1, S]: where each query stands."""
    is_causal: bool
    window: int | None = None

    def hidden_mask(self, batch: slice, rows: slice, columns: slice) -> Array | None:
        """[b, 1, 1, rows, columns]: True where a query does not see a key; None where all are seen."""
        if not self.is_causal and not self.window:
            return None
        away = self.distances(batch, rows, columns)
        if not self.is_causal:
            return np.abs(away) > (self.window or 0) // 2
        return (away > 0) | (away <= -self.window) if self.window else away > 0

    def distances(self, batch: slice, rows: slice, columns: slice) -> Array:
        """[b, 1, 1, rows, columns]: how far behind a query a key stands."""
        places = self.positions[batch if len(self.positions) > 1 else _ALL, rows]
        return np.arange(int(columns.start), int(columns.stop)) - places[:, None, None, :, None]

    def columns(self, rows: slice, count: int) -> slice:
        """The keys, of so many, that any of `rows` can see."""
        places = self.positions[:, rows]
        if not places.size or not (self.is_causal or self.window):
            return slice(0, count)
        before = (self.window or count) - 1 if self.is_causal else (self.window or 0) // 2
        after = 0 if self.is_causal else before
        first, last = int(places.min()) - before if self.window else 0, int(places.max()) + after
        stop = max(min(count, last + 1), 0)
        return slice(min(max(first, 0), stop), stop)


def attend(
    query: Array,
    key: Array,
    value: Array,
    *,
    scale: float | None,
    visible: Visibility,
    mask: Array | None = None,
    slopes: Array | None = None,
    sink: Array | None = None,
) -> Array:
    """`softmax(query @ key^T * scale + mask) @ value` of [B, Hq, S, D] on [B, Hkv, Sk, D], grouped queries.

    `mask` broadcasts to [B, Hq, S, Sk]: added to the scores, or bool, True where a key is seen. `slopes` [Hq] times
    the distance from query to key are added too. `sink` holds one score a query head that takes part in the softmax
    and has no value. A query that sees no key gives 0.
    """
    batch, heads, rows, depth = query.shape
    kv_heads = key.shape[1]
    group = heads // kv_heads
    scale = depth**-0.5 if scale is None else scale
    grouped = query.reshape(batch, kv_heads, group, rows, depth) * query.dtype.type(scale)
    mask = None if mask is None else _group_mask(mask, kv_heads)
    slopes = None if slopes is None else slopes.astype(query.dtype).reshape(kv_heads, group, 1, 1)
    sink = None if sink is None else sink.reshape(kv_heads, group, 1, 1)
    out = np.empty((batch, kv_heads, group, rows, value.shape[-1]), dtype=query.dtype)
    for b, h, r in _blocks(batch, kv_heads, rows, group * key.shape[2]):
        columns = visible.columns(r, key.shape[2])
        scores = _product(grouped[b, h, :, r], key[b, h, columns].swapaxes(-1, -2))
        if mask is not None:
            _add_mask(scores, _part(mask, b, h, r, columns))
        if slopes is not None:
            scores += slopes[h] * visible.distances(b, r, columns).astype(query.dtype)
        hidden = visible.hidden_mask(b, r, columns)
        if hidden is not None:
            np.copyto(scores, -np.inf, where=hidden)
        total = _exponentials(scores, None if sink is None else sink[h])
        out[b, h, :, r] = _product(scores, value[b, h, columns]) / total
    return out.reshape(batch, heads, rows, value.shape[-1])


def _blocks(batch: int, heads: int, rows: int, row_cost: int) -> Iterator[tuple[slice, slice, slice]]:
    """Slices of batch, key heads and query rows whose scores fit a block; whole heads where they do."""
    r_step = min(max(1, rows), max(1, _SCORES // max(1, row_cost)))
    h_step = max(1, _SCORES // max(1, row_cost * rows)) if r_step >= rows else 1
    b_step = max(1, h_step // max(1, heads))
    for b in range(0, batch, b_step):
        for h in range(0, heads, h_step):
            for r in range(0, rows, r_step):
                yield slice(b, b + b_step), slice(h, h + h_step), slice(r, min(r + r_step, rows))


def _product(a: Array, b: Array) -> Array:
    """[b, h, group, m, k] @ [b, h, k, n], with the group's rows as one matrix."""
    group, m = a.shape[2:4]
    return np.matmul(a.reshape(*a.shape[:2], group * m, a.shape[4]), b).reshape(*a.shape[:4], b.shape[-1])


def _group_mask(mask: Array, kv_heads: int) -> Array:
    """A mask as [B|1, Hkv|1, group|1, S|1, Sk|1]."""
    full = mask.reshape((1,) * (4 - mask.ndim) + mask.shape)
    heads = full.shape[1]
    split = (1, 1) if heads == 1 else (kv_heads, heads // kv_heads)
    return full.reshape(full.shape[0], *split, *full.shape[2:])


def _part(mask: Array, b: slice, h: slice, r: slice, columns: slice) -> Array:
    wanted = (b, h, _ALL, r, columns)
    return mask[tuple(_ALL if n == 1 else part for n, part in zip(mask.shape, wanted, strict=True))]


def _add_mask(scores: Array, mask: Array) -> None:
    if mask.dtype.kind == "b":
        np.copyto(scores, -np.inf, where=~mask)
    else:
        scores += mask


def _exponentials(scores: Array, sink: Array | None) -> Array:
    """Replace scores by their exponentials relative to the row's maximum; return the rows' sums, 0 made 1."""
    top = np.max(scores, axis=-1, keepdims=True, initial=-np.inf)
    if sink is not None:
        top = np.maximum(top, sink.astype(scores.dtype))
    top[top == -np.inf] = 0
    scores -= top
    np.exp(scores, out=scores)
    total = np.add.reduce(scores, axis=-1, keepdims=True)
    if sink is not None:
        total += np.exp(sink.astype(scores.dtype) - top)
    total[total == 0] = 1
    return total
