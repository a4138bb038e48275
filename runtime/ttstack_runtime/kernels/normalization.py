"""Normalisation. Statistics are computed in the operand's precision over centred values."""

from math import prod

import numpy as np

from ttstack_runtime.kernels.table import Array, KernelTable

KERNELS = KernelTable()


@KERNELS
def layer_norm(
    x: Array,
    weight: Array | None = None,
    bias: Array | None = None,
    residual: Array | None = None,
    *,
    normalized_shape: tuple[int, ...],
    epsilon: float = 1e-5,
) -> Array:
    """Mean 0 and variance 1 over the trailing `normalized_shape`, then `* weight + bias`, of `x + residual`."""
    rows = _rows(x, residual, normalized_shape)
    centred = rows - np.mean(rows, axis=-1, keepdims=True)
    return _affine(_divide_by_rms(centred, epsilon).reshape(x.shape), weight, bias)


@KERNELS
def rms_norm(
    x: Array,
    weight: Array | None = None,
    bias: Array | None = None,
    residual: Array | None = None,
    *,
    normalized_shape: tuple[int, ...],
    epsilon: float = 1e-5,
) -> Array:
    """`x / sqrt(mean(x^2) + epsilon)` over the trailing `normalized_shape`, `* weight + bias`; `x` with a residual."""
    rows = _rows(x, residual, normalized_shape)
    return _affine(_divide_by_rms(rows, epsilon).reshape(x.shape), weight, bias)


@KERNELS
def group_norm(
    x: Array,
    input_mask: Array | None = None,  # noqa: ARG001 selects a group's columns in a shard on the device
    weight: Array | None = None,
    bias: Array | None = None,
    *,
    num_groups: int,
    epsilon: float = 1e-12,
    channel_dim: int = 3,
) -> Array:
    """Mean 0 and variance 1 over each sample's group of channels, then `* weight + bias` by channel."""
    channels_first = np.moveaxis(x, channel_dim, 1)
    rows = channels_first.reshape(x.shape[0] * num_groups, -1)
    centred = rows - np.mean(rows, axis=-1, keepdims=True)
    normal = _divide_by_rms(centred, epsilon).reshape(channels_first.shape)
    along = [-1] + [1] * (x.ndim - 2)
    scale, offset = (None if v is None else v.reshape(along) for v in (weight, bias))
    return np.moveaxis(_affine(normal, scale, offset), 1, channel_dim)


@KERNELS
def batch_norm_inference(
    x: Array, scale: Array, offset: Array, mean: Array, variance: Array, *, epsilon: float, dimension: int
) -> Array:
    """`(x - mean) / sqrt(variance + epsilon) * scale + offset`, the parameters along `dimension`."""
    along = [-1 if d == dimension % x.ndim else 1 for d in range(x.ndim)]
    factor = scale.reshape(along) / np.sqrt(variance.reshape(along) + epsilon)
    return (x - mean.reshape(along)) * factor + offset.reshape(along)


@KERNELS
def batch_norm_training(
    x: Array,
    scale: Array,
    offset: Array,
    running_mean: Array,
    running_variance: Array,
    *,
    epsilon: float,
    dimension: int,
    momentum: float,
) -> tuple[Array, Array, Array]:
    """Normalise by the batch's own statistics; also the running ones, moved toward them by `momentum`.

    The variance is the biased one throughout: with a momentum of 1 the statistics are StableHLO's.
    """
    others = tuple(d for d in range(x.ndim) if d != dimension % x.ndim)
    mean = np.mean(x, axis=others, dtype=np.float64).astype(x.dtype)
    along = [-1 if d == dimension % x.ndim else 1 for d in range(x.ndim)]
    squares = np.square(x - mean.reshape(along))
    variance = np.mean(squares, axis=others, dtype=np.float64).astype(x.dtype)
    normal = batch_norm_inference(x, scale, offset, mean, variance, epsilon=epsilon, dimension=dimension)
    moved_mean = (1 - momentum) * running_mean + momentum * mean.reshape(running_mean.shape)
    moved_variance = (1 - momentum) * running_variance + momentum * variance.reshape(running_variance.shape)
    return normal, moved_mean, moved_variance


def _rows(x: Array, residual: Array | None, normalized_shape: tuple[int, ...]) -> Array:
    """What is normalised, a row for each mean."""
    return (x if residual is None else x + residual).reshape(-1, prod(normalized_shape))


def _divide_by_rms(rows: Array, epsilon: float) -> Array:
    mean_square = np.vecdot(rows, rows)[:, None] / rows.dtype.type(rows.shape[-1])
    return rows / np.sqrt(mean_square + rows.dtype.type(epsilon))


def _affine(x: Array, weight: Array | None, bias: Array | None) -> Array:
    """`x * weight + bias`, in the memory of `x`, which is a fresh array."""
    if weight is not None:
        x *= weight
    if bias is not None:
        x += bias
    return x
