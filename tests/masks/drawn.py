"""Masks of each kind, drawn: bool [batch, heads, queries, keys], true where a query sees a key."""

from collections.abc import Callable
from typing import Any

import numpy as np

Mask = np.ndarray[Any, Any]
Rng = np.random.Generator


def _places(rng: Rng) -> tuple[Mask, Mask]:
    """Queries and keys as a column and a row; as many of both."""
    n = int(rng.integers(1, 300))
    return np.arange(n)[:, None], np.arange(n)[None, :]


def _documents(rng: Rng, n: int) -> Mask:
    return np.sort(rng.integers(0, int(rng.integers(1, 9)), n))


def causal(rng: Rng) -> Mask:
    q, k = _places(rng)
    return k <= q


def window(rng: Rng) -> Mask:
    q, k = _places(rng)
    return (k <= q) & (k > q - int(rng.integers(1, 2 * len(q) + 1)))


def centred(rng: Rng) -> Mask:
    q, k = _places(rng)
    return abs(q - k) <= int(rng.integers(0, len(q)))


def prefix(rng: Rng) -> Mask:
    q, k = _places(rng)
    return (k <= q) | (k < int(rng.integers(0, len(q) + 1)))


def documents(rng: Rng) -> Mask:
    q, k = _places(rng)
    of = _documents(rng, len(q))
    return of[q] == of[k]


def causal_documents(rng: Rng) -> Mask:
    q, k = _places(rng)
    of = _documents(rng, len(q))
    return (of[q] == of[k]) & (k <= q)


def padding(rng: Rng) -> Mask:
    """Keys up to a given length, one for each of a batch; some are 0."""
    batch, q, n = (int(rng.integers(1, most)) for most in (4, 200, 300))
    lengths = rng.integers(0, n + 1, batch)
    return np.broadcast_to(np.arange(n) < lengths[:, None, None, None], (batch, 1, q, n))


def blocks(rng: Rng) -> Mask:
    """Blocks of any size that are seen or not, one choice a head."""
    q, k, size = (int(rng.integers(1, most)) for most in (300, 300, 90))
    seen = rng.random((1, int(rng.integers(1, 4)), -(-q // size), -(-k // size))) < rng.random()
    return seen.repeat(size, 2).repeat(size, 3)[..., :q, :k]


def intersection(rng: Rng) -> Mask:
    q, k = _places(rng)
    of, n = _documents(rng, len(q)), len(q)
    seen = (k <= q) & (k > q - int(rng.integers(1, n + 1))) & (of[q] == of[k])
    return seen & (k < rng.integers(0, n + 1, int(rng.integers(1, 3)))[:, None, None, None])


def scattered(rng: Rng) -> Mask:
    q, k = (int(rng.integers(1, most)) for most in (200, 200))
    return rng.random((1, 1, q, k)) < rng.random() ** 4


KINDS: tuple[Callable[[Rng], Mask], ...] = (
    causal,
    window,
    centred,
    prefix,
    documents,
    causal_documents,
    padding,
    blocks,
    intersection,
    scattered,
)


def draw(kind: Callable[[Rng], Mask], seed: int) -> Mask:
    """One of a kind, in four dimensions."""
    found = kind(np.random.default_rng(seed))
    return found.reshape((1,) * (4 - found.ndim) + found.shape)
