"""Reductions, scans, softmax, sorting and sampling.

Sums and products of float32 accumulate in float64, so that they do not depend on the memory order; integers
wrap in their own type.
"""

from math import prod

import numpy as np

from ttstack_runtime.kernels.table import Array, KernelTable

KERNELS = KernelTable()


@KERNELS
def sum_(x: Array, *, keep_dim: bool = False, dim_arg: tuple[int, ...] | None = None) -> Array:
    """Sum over `dim_arg`, all axes if absent."""
    total = np.add.reduce(x, axis=_axes(x, dim_arg), dtype=_accumulator(x), keepdims=keep_dim)
    return np.asarray(total, dtype=x.dtype)


@KERNELS
def mean(x: Array, *, keep_dim: bool = False, dim_arg: tuple[int, ...] | None = None) -> Array:
    """Mean over `dim_arg`, all axes if absent; integers truncate."""
    axes = _axes(x, dim_arg)
    count = prod(x.shape[axis] for axis in axes)
    total = np.add.reduce(x, axis=axes, dtype=np.float64, keepdims=keep_dim)
    return np.asarray(np.asarray(total) / np.float64(count)).astype(x.dtype)


@KERNELS
def max_(x: Array, *, keep_dim: bool = False, dim_arg: tuple[int, ...] | None = None) -> Array:
    """Largest element over `dim_arg`; NaN wins, nothing gives the lowest value."""
    return np.max(x, axis=_axes(x, dim_arg), keepdims=keep_dim, initial=_limits(x)[0])


@KERNELS
def min_(x: Array, *, keep_dim: bool = False, dim_arg: tuple[int, ...] | None = None) -> Array:
    """Smallest element over `dim_arg`; NaN wins, nothing gives the highest value."""
    return np.min(x, axis=_axes(x, dim_arg), keepdims=keep_dim, initial=_limits(x)[1])


@KERNELS
def prod_(x: Array, *, keep_dim: bool = False, dim_arg: tuple[int, ...] | None = None) -> Array:
    """Product over `dim_arg`, all axes if absent."""
    product = np.multiply.reduce(x, axis=_axes(x, dim_arg), dtype=_accumulator(x), keepdims=keep_dim)
    return np.asarray(product, dtype=x.dtype)


@KERNELS
def reduce_and(x: Array, *, keep_dim: bool = False, dim_arg: tuple[int, ...] | None = None) -> Array:
    """Whether all elements over `dim_arg` are not zero."""
    return np.all(x != 0, axis=_axes(x, dim_arg), keepdims=keep_dim)


@KERNELS
def reduce_or(x: Array, *, keep_dim: bool = False, dim_arg: tuple[int, ...] | None = None) -> Array:
    """Whether any element over `dim_arg` is not zero."""
    return np.any(x != 0, axis=_axes(x, dim_arg), keepdims=keep_dim)


@KERNELS
def argmax(x: Array, *, keep_dim: bool = False, dim_arg: tuple[int, ...] | None = None) -> Array:
    """Position of the first largest element, NaN being largest; row-major among `dim_arg` if several."""
    axes = _axes(x, dim_arg)
    kept = [axis for axis in range(x.ndim) if axis not in axes]
    rows = x.transpose(*kept, *axes).reshape(*[x.shape[axis] for axis in kept], -1)
    positions = np.asarray(rows.argmax(axis=-1))
    return np.expand_dims(positions, axes) if keep_dim else positions


@KERNELS
def cumsum(x: Array, *, dim: int) -> Array:
    """Inclusive running sum along `dim`."""
    return np.cumsum(x, axis=dim, dtype=_accumulator(x)).astype(x.dtype, copy=False)


@KERNELS
def cumprod(x: Array, *, dim: int) -> Array:
    """Inclusive running product along `dim`."""
    return np.cumprod(x, axis=dim, dtype=_accumulator(x)).astype(x.dtype, copy=False)


@KERNELS
def softmax(x: Array, *, dimension: int, numericStable: bool = False) -> Array:  # noqa: ARG001, N803
    """`exp(x) / sum(exp(x))` along `dimension`; always shifted by the maximum, so that nothing overflows."""
    out = x - np.max(x, axis=dimension, keepdims=True, initial=-np.inf)
    np.exp(out, out=out)
    out /= np.add.reduce(out, axis=dimension, keepdims=True)
    return out


@KERNELS
def sort(
    x: Array,
    *,
    dim: int = -1,
    descending: bool = False,
    stable: bool = False,  # noqa: ARG001 always stable
) -> tuple[Array, Array]:
    """Sorted values and their positions along `dim`; equal elements keep their order, NaN is the largest."""
    order = _sorting(x, dim, descending)
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
    order = np.take(_sorting(x, dim, largest), np.arange(k), axis=dim)
    return np.take_along_axis(x, order, axis=dim), order


@KERNELS
def sampling(
    values: Array, indices: Array, k: Array, p: Array, temp: Array, *, seed: int | None = None
) -> Array:
    """One token id a row of [B, C] candidates: `k` best, least set of probability `p`, then a draw.

    `k`, `p` and `temp` hold one element a row. A temperature of 0 takes the best candidate.
    """
    order = _sorting(values, -1, descending=True)
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


def _axes(x: Array, dim_arg: tuple[int, ...] | None) -> tuple[int, ...]:
    return tuple(axis % x.ndim for axis in dim_arg) if dim_arg else tuple(range(x.ndim))


def _accumulator(x: Array) -> np.dtype:
    return np.dtype(np.float64) if x.dtype.kind == "f" else x.dtype


def _limits(x: Array) -> tuple[float, float]:
    if x.dtype.kind == "f":
        return -np.inf, np.inf
    return (0, 1) if x.dtype.kind == "b" else (np.iinfo(x.dtype).min, np.iinfo(x.dtype).max)


def _sorting(x: Array, dim: int, descending: bool) -> Array:
    """Stable positions of the sorted elements along `dim`."""
    if not descending:
        return np.argsort(x, axis=dim, stable=True)
    mirrored = np.argsort(np.flip(x, dim), axis=dim, stable=True)
    return x.shape[dim] - 1 - np.flip(mirrored, dim)
