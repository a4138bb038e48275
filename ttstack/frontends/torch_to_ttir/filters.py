"""Linear maps along one axis of an image, as constant matrices: averages and resampling."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ttstack.dialects.ttir.build import constant, permute_dims
from ttstack.dialects.ttir.builders import ttir
from ttstack.dialects.types import read_type
from ttstack.mlir import ir
from ttstack.ops.types import TensorType

Matrix = NDArray[Any]
"""[elements of the result, elements of the operand]."""

_CUBIC = -0.75
"""The free coefficient of the cubic kernel."""

_SMOOTH_CUBIC = -0.5
"""The same for antialiased shrinking in PyTorch."""


def along(x: ir.Value, dim: int, matrix: Matrix) -> ir.Value:
    """Apply `matrix` to dimension `dim` of `x`."""
    t = read_type(x.type)
    factor = constant(matrix, TensorType(matrix.shape, t.dtype))
    order = [*(d for d in range(t.rank) if d != dim), dim]
    product = ttir.matmul(permute_dims(x, order), factor, transpose_b=True)
    return permute_dims(product, [order.index(d) for d in range(t.rank)])


def averages(size: int, count: int) -> Matrix:
    """Return a matrix of means of `count` parts of `size` elements, overlapping if those do not divide."""
    matrix = np.zeros((count, size))
    for i in range(count):
        begin, end = i * size // count, -(-(i + 1) * size // count)
        matrix[i, begin:end] = 1 / (end - begin)
    return matrix


def window_means(size: int, count: int, kernel: int, stride: int, pad: int, *, whole: bool) -> Matrix:
    """Return a matrix of means of `count` windows; `whole` counts padding, but not overhang."""
    matrix = np.zeros((count, size))
    for i in range(count):
        begin = i * stride - pad
        end = min(begin + kernel, size + pad)
        low, high = max(begin, 0), min(end, size)
        matrix[i, low:high] = 1 / ((end - begin) if whole else (high - low))
    return matrix


def nearest(size: int, count: int, step: float, *, centred: bool = False) -> Matrix:
    """Return a matrix that selects the element at or before each position, `step` apart."""
    at = ((np.arange(count) + 0.5 * centred) * step).astype(int)
    return taps(size, at[:, None], np.ones((count, 1)))


def linear(size: int, count: int, step: float, *, corners: bool) -> Matrix:
    """Return a matrix that interpolates between the two elements around each position."""
    at = np.clip(_positions(size, count, step, corners=corners), 0, size - 1)
    below = np.floor(at).astype(int)
    share = at - below
    return taps(size, below[:, None] + [0, 1], np.stack([1 - share, share], 1))


def smoothing_matrix(size: int, count: int, step: float, *, corners: bool, reach: int) -> Matrix:
    """Return a matrix that averages elements within `reach` of each position, or `reach` steps if longer.

    With `reach` 1 weights fall linearly with the distance, with 2 as in a cubic kernel, and sum to 1.
    """
    if corners:
        step = (size - 1) / max(count - 1, 1)
    width = max(step, 1.0)
    centres = (np.arange(count) + 0.5) * step
    distance = np.abs(np.arange(size) + 0.5 - centres[:, None]) / width
    weights = np.maximum(1 - distance, 0) if reach == 1 else cubic_weight(distance, _SMOOTH_CUBIC) * (distance < 2)
    return weights / weights.sum(1, keepdims=True)


def cubic(size: int, count: int, step: float, *, corners: bool) -> Matrix:
    """Return a matrix that interpolates between the four elements around each position."""
    at = _positions(size, count, step, corners=corners)
    places = np.floor(at).astype(int)[:, None] + [-1, 0, 1, 2]
    return taps(size, places, cubic_weight(np.abs(at[:, None] - places)))


def _positions(size: int, count: int, step: float, *, corners: bool) -> NDArray[Any]:
    """Return the position in the operand of each result element.

    With `corners`, first and last elements map to themselves.
    """
    if corners:
        return np.arange(count) * ((size - 1) / max(count - 1, 1))
    return (np.arange(count) + 0.5) * step - 0.5


def cubic_weight(distance: NDArray[Any], free: float = _CUBIC) -> NDArray[Any]:
    """Return the weight of an element at a distance; `free` is the kernel's free coefficient."""
    near = ((free + 2) * distance - (free + 3)) * distance**2 + 1
    far = ((distance - 5) * distance + 8) * distance * free - 4 * free
    return np.where(distance <= 1, near, far)


def taps(size: int, places: NDArray[Any], weights: NDArray[Any]) -> Matrix:
    """Return a matrix with these weights; positions out of range are clamped to the edge."""
    matrix = np.zeros((len(places), size))
    rows = np.broadcast_to(np.arange(len(places))[:, None], places.shape)
    np.add.at(matrix, (rows, np.clip(places, 0, size - 1)), weights)
    return matrix
