"""Reductions, scans and softmax.

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
def softmax(
    x: Array,
    mask: Array | None = None,
    *,
    dimension: int,
    numericStable: bool = False,  # noqa: ARG001, N803
) -> Array:
    """`exp(x) / sum(exp(x))` along `dimension`, of `x + mask`; shifted by the maximum, so that nothing overflows."""
    x = x if mask is None else x + mask
    out = x - np.max(x, axis=dimension, keepdims=True, initial=-np.inf)
    np.exp(out, out=out)
    out /= sum_(out, dim_arg=(dimension,), keep_dim=True)
    return out


def _axes(x: Array, dim_arg: tuple[int, ...] | None) -> tuple[int, ...]:
    return tuple(axis % x.ndim for axis in dim_arg) if dim_arg else tuple(range(x.ndim))


def _accumulator(x: Array) -> np.dtype:
    return np.dtype(np.float64) if x.dtype.kind == "f" else x.dtype


def _limits(x: Array) -> tuple[float, float]:
    if x.dtype.kind == "f":
        return -np.inf, np.inf
    return (0, 1) if x.dtype.kind == "b" else (np.iinfo(x.dtype).min, np.iinfo(x.dtype).max)
