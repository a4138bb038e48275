"""Affine quantization: one scale and zero point for the tensor, or one for each index of `axis`.

Rounding is to nearest, ties to even, and results saturate, as in StableHLO's `uniform_quantize`.
"""

import numpy as np

from ttstack.ops.types import QuantType
from ttstack_runtime.kernels.table import Array, KernelTable

KERNELS = KernelTable()

Limits = tuple[int, int] | None
"""Least and greatest integer of a result; all of its type where None."""


@KERNELS
def quantize(x: Array, *, target: QuantType) -> Array:
    """`x / scale + zero_point` with the parameters of `target`."""
    scale, zero_point = _parameters(target)
    return quantize_unrolled(x, scale, zero_point, axis=target.axis, dtype=target.numpy, limits=target.limits)


@KERNELS
def dequantize(x: Array, *, source: QuantType) -> Array:
    """`(x - zero_point) * scale` with the parameters of `source`."""
    return dequantize_unrolled(x, *_parameters(source), axis=source.axis)


@KERNELS
def requantize(x: Array, *, source: QuantType, target: QuantType) -> Array:
    """The integers of `source` as those of `target`."""
    axis = target.axis if source.axis is None else source.axis
    parameters = (*_parameters(source), *_parameters(target))
    return requantize_unrolled(x, *parameters, axis=axis, dtype=target.numpy, limits=target.limits)


@KERNELS
def quantize_unrolled(
    x: Array,
    scale: Array,
    zero_point: Array,
    *,
    axis: int | None = None,
    dtype: np.dtype,
    limits: Limits = None,
) -> Array:
    """`x / scale + zero_point` as the integer type `dtype`; the quotient has the precision of its operands.

    ONNX divides in float32: a quotient that is half way there need not be so in float64.
    """
    exact = np.float64 if np.float64 in (x.dtype, scale.dtype) else np.float32
    real = x.astype(exact) / _along(scale, x, axis).astype(exact)
    return _integers(real, _along(zero_point, x, axis), dtype, limits)


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
    limits: Limits = None,
) -> Array:
    """The integers of one scale and zero point as those of another, of `dtype` or the type of `x`."""
    whole = x.astype(np.int64) - _along(in_zero_point, x, axis).astype(np.int64)
    real = whole * (_along(in_scale, x, axis).astype(np.float64) / _along(out_scale, x, axis))
    return _integers(real, _along(out_zero_point, x, axis), x.dtype if dtype is None else dtype, limits)


def _along(parameter: Array, x: Array, axis: int | None) -> Array:
    """A parameter of one element, or of one element a slice of `axis`, so that it broadcasts to `x`."""
    if parameter.size == 1 or axis is None:
        return parameter.reshape(())
    return parameter.reshape([-1 if d == axis % x.ndim else 1 for d in range(x.ndim)])


def _parameters(q: QuantType) -> tuple[Array, Array]:
    return np.array(q.scales), np.array(q.zero_points)


def _integers(real: Array, zero_point: Array, dtype: np.dtype, limits: Limits) -> Array:
    whole = np.iinfo(dtype)
    low, high = limits or (whole.min, whole.max)
    shifted = np.rint(real) + zero_point.astype(np.float64)
    return np.clip(np.nan_to_num(shifted, nan=0.0, posinf=np.inf, neginf=-np.inf), low, high).astype(dtype)
