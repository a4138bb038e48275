"""Norms of rows that are divided over devices, each sum made of the sums of all devices along the axis."""

from collections.abc import Sequence
from itertools import repeat

import numpy as np

from ttstack.ops.devices import Mesh
from ttstack_runtime.kernels.collective import all_reduce
from ttstack_runtime.kernels.mesh import Shares
from ttstack_runtime.kernels.table import Array, KernelTable

KERNELS = KernelTable()


@KERNELS
def distributed_rms_norm(
    inputs: Shares,
    weights: Shares | None = None,
    residuals: Shares | None = None,
    *,
    mesh: Mesh,
    cluster_axis: int,
    epsilon: float = 1e-5,
) -> list[Array]:
    """`x / sqrt(mean(x^2) + epsilon) * weight` over whole rows, `x` the input with its residual."""
    rows = _sums(inputs, residuals)
    return _scale(_divide_by_rms(rows, mesh, cluster_axis, epsilon), weights, None)


@KERNELS
def distributed_layer_norm(
    inputs: Shares,
    weights: Shares | None = None,
    biases: Shares | None = None,
    residuals: Shares | None = None,
    *,
    mesh: Mesh,
    cluster_axis: int,
    epsilon: float = 1e-5,
) -> list[Array]:
    """Mean 0 and variance 1 over whole rows, then `* weight + bias`, of the input with its residual."""
    rows = _sums(inputs, residuals)
    centred = [x - mean for x, mean in zip(rows, _means(rows, mesh, cluster_axis), strict=True)]
    return _scale(_divide_by_rms(centred, mesh, cluster_axis, epsilon), weights, biases)


def _sums(inputs: Shares, residuals: Shares | None) -> Sequence[Array]:
    return inputs if residuals is None else [x + r for x, r in zip(inputs, residuals, strict=True)]


def _means(shares: Shares, mesh: Mesh, axis: int) -> list[Array]:
    """The mean of each row, over all devices along the axis: their parts are of one width."""
    means = [np.mean(x, axis=-1, keepdims=True) for x in shares]
    totals = all_reduce(means, mesh=mesh, reduce_type="sum", cluster_axis=axis)
    return [total / np.asarray(mesh.extent(axis), total.dtype) for total in totals]


def _divide_by_rms(rows: Shares, mesh: Mesh, axis: int, epsilon: float) -> list[Array]:
    squares = _means([np.square(x) for x in rows], mesh, axis)
    return [x / np.sqrt(s + np.asarray(epsilon, x.dtype)) for x, s in zip(rows, squares, strict=True)]


def _scale(rows: Shares, weights: Shares | None, biases: Shares | None) -> list[Array]:
    scaled = [x if w is None else x * w for x, w in zip(rows, weights or repeat(None), strict=False)]
    return [x if b is None else x + b for x, b in zip(scaled, biases or repeat(None), strict=False)]
