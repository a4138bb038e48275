"""Sorting, selection of the best, and sampling among them."""

import numpy as np

from ttstack_runtime.kernels.table import Array, KernelTable

KERNELS = KernelTable()


@KERNELS
def sort(
    x: Array,
    *,
    dim: int = -1,
    descending: bool = False,
    stable: bool = False,  # noqa: ARG001 always stable
) -> tuple[Array, Array]:
    """Sorted values and their positions along `dim`; equal elements keep their order, NaN is the largest."""
    order = sort_positions(x, dim, descending)
    return np.take_along_axis(x, order, axis=dim), order


@KERNELS
def topk(
    x: Array,
    *,
    k: int,
    dim: int = -1,
    largest: bool = True,
    sorted: bool = False,  # noqa: A002, ARG001 the op's attribute
) -> tuple[Array, Array]:
    """The `k` largest or smallest values along `dim`, best first, and their positions; of ties the first."""
    order = np.take(sort_positions(x, dim, largest), np.arange(k), axis=dim)
    return np.take_along_axis(x, order, axis=dim), order


@KERNELS
def sampling(values: Array, indices: Array, k: Array, p: Array, temp: Array, *, seed: int | None = None) -> Array:
    """One token id a row of [B, C] candidates: `k` best, least set of probability `p`, then a draw.

    `k`, `p` and `temp` hold one element a row. A temperature of 0 takes the best candidate.
    """
    order = sort_positions(values, -1, descending=True)
    scores = np.take_along_axis(values, order, axis=-1).astype(np.float64)
    temperature = temp.reshape(-1, 1).astype(np.float64)
    weights = np.exp((scores - scores[:, :1]) / np.where(temperature > 0, temperature, 1))
    ranks = np.arange(values.shape[-1], dtype=np.int64)
    weights[ranks >= np.where(temperature > 0, np.maximum(k.reshape(-1, 1), 1), 1)] = 0
    weights /= weights.sum(axis=-1, keepdims=True)
    before = np.cumsum(weights, axis=-1) - weights
    weights[(before >= p.reshape(-1, 1)) & (ranks > 0)] = 0
    cumulative = np.cumsum(weights, axis=-1)
    draw = np.random.default_rng(seed or 0).random((len(values), 1)) * cumulative[:, -1:]
    picked = (cumulative <= draw).sum(axis=-1, keepdims=True)
    return np.take_along_axis(indices, np.take_along_axis(order, picked, axis=-1), axis=-1).reshape(-1)


def sort_positions(x: Array, dim: int, descending: bool) -> Array:
    """Stable positions of the sorted elements along `dim`."""
    if not descending:
        return np.argsort(x, axis=dim, stable=True)
    mirrored = np.argsort(np.flip(x, dim), axis=dim, stable=True)
    return x.shape[dim] - 1 - np.flip(mirrored, dim)
