"""Affine quantization with scales and zero points as operands, one for the tensor or one along `axis`.

Rounding is to nearest, ties to even, and results saturate, as in StableHLO's `uniform_quantize`.
"""

import numpy as np

from ttstack_runtime.kernels.table import Array, KernelTable

KERNELS = KernelTable()


@KERNELS
def quantize_unrolled(
    x: Array, scale: Array, zero_point: Array, *, axis: int | None = None, dtype: np.dtype
) -> Array:
    """`x / scale + zero_point` as the integer type `dtype`."""
    real = x.astype(np.float64) / _along(scale, x, axis)
    return _integers(real, _along(zero_point, x, axis), np.dtype(dtype))


@KERNELS
def dequantize_unrolled(x: Array, scale: Array, zero_point: Array, *, axis: int | None = None) -> Array:
    """`(x - zero_point) * scale` in the type of `scale`."""
    whole = x.astype(np.int64) - _along(zero_point, x, axis).astype(np.int64)
    return (whole * _along(scale, x, axis).astype(np.float64)).astype(scale.dtype)


@KERNELS
def requantize_unrolled(
    x: Array,
    in_scale: Array,
    in_zero_point: Array,
    out_scale: Array,
    out_zero_point: Array,
    *,
    axis: int | None = None,
    dtype: np.dtype | None = None,
) -> Array:
    """The integers of one scale and zero point as those of another, of `dtype` or the type of `x`."""
    whole = x.astype(np.int64) - _along(in_zero_point, x, axis).astype(np.int64)
    real = whole * (_along(in_scale, x, axis).astype(np.float64) / _along(out_scale, x, axis))
    return _integers(real, _along(out_zero_point, x, axis), x.dtype if dtype is None else np.dtype(dtype))


def _along(parameter: Array, x: Array, axis: int | None) -> Array:
    """A parameter of one element, or of one element a slice of `axis`, so that it broadcasts to `x`."""
    if parameter.size == 1 or axis is None:
        return parameter.reshape(())
    return parameter.reshape([-1 if d == axis % x.ndim else 1 for d in range(x.ndim)])


def _integers(real: Array, zero_point: Array, dtype: np.dtype) -> Array:
    limits = np.iinfo(dtype)
    shifted = np.rint(real) + zero_point.astype(np.float64)
    return np.clip(np.nan_to_num(shifted, nan=0.0), limits.min, limits.max).astype(dtype)
