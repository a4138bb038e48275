"""Gradients of resizing, of edge padding, and of means over volumes, by transposed matrices."""

from collections.abc import Sequence
from functools import partial

import numpy as np

from ttstack.dialects.types import read_type
from ttstack.frontends.torch_to_ttir.filters import (
    Matrix,
    along,
    averages,
    cubic,
    linear,
    nearest,
    smoothing_matrix,
    taps,
    window_means,
)
from ttstack.frontends.torch_to_ttir.resize import Axis
from ttstack.frontends.torch_to_ttir.table import TorchConversionTable
from ttstack.frontends.torch_to_ttir.torch_op import TorchOp
from ttstack.mlir import ir

CONVERSIONS = TorchConversionTable()

_TARGETS = "permute matmul constant"


@CONVERSIONS(*(f"upsample_nearest{d}d_backward" for d in (1, 2, 3)), to=_TARGETS)
def _nearest(call: TorchOp) -> ir.Value:
    """Add up the gradients of an element's copies."""
    return _resized(call, 3, nearest)


@CONVERSIONS(*(f"_upsample_nearest_exact{d}d_backward" for d in (1, 2, 3)), to=_TARGETS)
def _nearest_exact(call: TorchOp) -> ir.Value:
    """Add up the gradients of an element's copies."""
    return _resized(call, 3, partial(nearest, centred=True))


@CONVERSIONS("upsample_linear1d_backward", "upsample_bilinear2d_backward", "upsample_trilinear3d_backward", to=_TARGETS)
def _linear(call: TorchOp) -> ir.Value:
    """Add up the weighted gradients of the elements that use it."""
    return _resized(call, 4, partial(linear, corners=call.flag(3)))


@CONVERSIONS("upsample_bicubic2d_backward", to=_TARGETS)
def _cubic(call: TorchOp) -> ir.Value:
    """Add up the weighted gradients of the elements that use it."""
    return _resized(call, 4, partial(cubic, corners=call.flag(3)))


@CONVERSIONS("_upsample_bilinear2d_aa_backward", to=_TARGETS)
def _smooth_linear(call: TorchOp) -> ir.Value:
    """Add up the weighted gradients of the elements that use it."""
    return _resized(call, 4, partial(smoothing_matrix, corners=call.flag(3), reach=1))


@CONVERSIONS("_upsample_bicubic2d_aa_backward", to=_TARGETS)
def _smooth_cubic(call: TorchOp) -> ir.Value:
    """Add up the weighted gradients of the elements that use it."""
    return _resized(call, 4, partial(smoothing_matrix, corners=call.flag(3), reach=2))


def _resized(call: TorchOp, first: int, axis: Axis) -> ir.Value:
    """Apply the transposed matrices of resizing; factors, or None, start at operand `first`."""
    counts, sizes = call.integers(1), call.integers(2)[2:]
    matrices = list[Matrix]()
    for i, (size, count) in enumerate(zip(sizes, counts, strict=True)):
        factor = count / size if call.is_none(first + i) else float(call.number(first + i))
        matrices.append(axis(size, count, 1 / factor))
    return _transposed(call, matrices)


@CONVERSIONS(*(f"replication_pad{d}d_backward" for d in (1, 2, 3)), to=_TARGETS)
def _replication_pad(call: TorchOp) -> ir.Value:
    """Add up gradients of repeated edges; cropped elements have none."""
    amounts, sizes = call.integers(2), call.result.shape
    pairs = [amounts[i : i + 2] for i in range(0, len(amounts), 2)][::-1]
    matrices = list[Matrix]()
    for (low, high), size in zip(pairs, sizes[len(sizes) - len(pairs) :], strict=True):
        places = np.arange(-low, size + high)[:, None]
        matrices.append(taps(size, places, np.ones(places.shape)))
    return _transposed(call, matrices)


@CONVERSIONS("avg_pool2d_backward", "avg_pool3d_backward", to=_TARGETS)
def _avg_pool(call: TorchOp) -> ir.Value:
    """Apply the transposed means of windows along each axis, or sums for a given divisor."""
    axes = 3 if "3d" in call.name else 2
    out, sizes = read_type(call.tensor(0).type).shape[-axes:], call.result.shape[-axes:]
    kernel, padding = call.sides(2, axes), call.sides(4, axes)
    stride = call.sides(3, axes) or kernel
    divided = not call.is_none(7)
    whole = call.flag(6) or divided
    matrices = [window_means(*axis, whole=whole) for axis in zip(sizes, out, kernel, stride, padding, strict=True)]
    if divided:
        matrices[0] = matrices[0] * (np.prod(kernel) / call.integer(7))
    return _transposed(call, matrices)


@CONVERSIONS("_adaptive_avg_pool2d_backward", "_adaptive_avg_pool3d_backward", to=_TARGETS)
def _adaptive_avg_pool(call: TorchOp) -> ir.Value:
    """Apply the transposed means of parts along each axis."""
    axes = 3 if "3d" in call.name else 2
    out, sizes = read_type(call.tensor(0).type).shape[-axes:], call.result.shape[-axes:]
    return _transposed(call, [averages(size, count) for size, count in zip(sizes, out, strict=True)])


def _transposed(call: TorchOp, matrices: Sequence[Matrix]) -> ir.Value:
    """Return the gradient times the transposed matrix of each of the last axes, except for identities."""
    found, first = call.tensor(0), call.result.rank - len(matrices)
    for i, matrix in enumerate(matrices):
        if matrix.shape[0] != matrix.shape[1] or (matrix != np.eye(len(matrix))).any():
            found = along(found, first + i, matrix.T)
    return found
