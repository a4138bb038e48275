"""Ops that make a tensor. The result's type is not among the attributes: the executor passes `dtype`."""

from typing import Any

import numpy as np
from numpy.typing import DTypeLike

from ttstack_runtime.kernels.table import Array, KernelTable

KERNELS = KernelTable()


@KERNELS
def constant(*, value: Any, dtype: DTypeLike | None = None, shape: tuple[int, ...] | None = None) -> Array:
    """`value` as an array; a splat is spread over `shape` without a copy."""
    array = np.asarray(value, dtype=dtype)
    return array if shape is None or array.shape == tuple(shape) else np.broadcast_to(array, shape)


@KERNELS
def full(*, shape: tuple[int, ...], fill_value: float, dtype: DTypeLike = np.float32) -> Array:
    """`fill_value` everywhere."""
    return np.full(shape, fill_value, dtype=dtype)


@KERNELS
def zeros(*, shape: tuple[int, ...], dtype: DTypeLike = np.float32) -> Array:
    """0 everywhere."""
    return np.zeros(shape, dtype=dtype)


@KERNELS
def ones(*, shape: tuple[int, ...], dtype: DTypeLike = np.float32) -> Array:
    """1 everywhere."""
    return np.ones(shape, dtype=dtype)


@KERNELS
def empty(*, shape: tuple[int, ...], dtype: DTypeLike = np.float32) -> Array:
    """Zeros: what a program reads from memory that nothing wrote is made repeatable."""
    return np.zeros(shape, dtype=dtype)


@KERNELS
def arange(
    *,
    start: int,
    end: int,
    step: int,
    arange_dimension: int = 0,
    shape: tuple[int, ...] | None = None,
    dtype: DTypeLike = np.float32,
) -> Array:
    """`start, start + step, ...` below `end` along `arange_dimension`, repeated over the rest of `shape`."""
    line = np.arange(start, end, step).astype(dtype)
    if shape is None:
        return line
    axis = arange_dimension % len(shape)
    return np.broadcast_to(line.reshape([-1 if d == axis else 1 for d in range(len(shape))]), shape)


@KERNELS
def rand(
    *,
    size: tuple[int, ...],
    low: float = 0.0,
    high: float = 1.0,
    seed: int = 0,
    dtype: DTypeLike = np.float32,
    shape: tuple[int, ...] | None = None,  # noqa: ARG001 the same as `size`
) -> Array:
    """Uniform samples of [`low`, `high`), the same for the same seed; not the device's random sequence."""
    unit = np.random.default_rng(seed).random(size)
    samples: Array = (low + unit * (high - low)).astype(dtype)
    return np.where(samples < high, samples, samples.dtype.type(low))  # rounding can reach `high`


@KERNELS
def dropout(
    x: Array,
    *,
    prob: float = 0.0,
    scale: float = 1.0,
    seed: int = 0,
    use_per_device_seed: bool = True,  # noqa: ARG001 one device is computed
) -> Array:
    """`x * scale`, each element zeroed with probability `prob`, the same for the same seed."""
    kept: Array = np.random.default_rng(seed).random(x.shape, dtype=np.float32) >= prob
    dropped: Array = np.zeros_like(x)
    return np.where(kept, x * x.dtype.type(scale), dropped)
