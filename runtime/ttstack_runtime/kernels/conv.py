"""Convolutions: the taps of a block of windows become a matrix, and one product gives their results."""

from collections.abc import Sequence
from functools import wraps
from itertools import product
from math import prod
from typing import Any

import numpy as np

from ttstack.ops.windows import PerAxis, Window, low_and_high, per_axis
from ttstack_runtime.kernels import eltwise
from ttstack_runtime.kernels.table import Array, Kernel, KernelTable
from ttstack_runtime.kernels.windows import on_images, pad_windows, tap

KERNELS = KernelTable()


def _activate(kernel: Kernel) -> Kernel:
    """A convolution whose result goes through the unary elementwise op that `activation` names, if it names one."""

    @wraps(kernel)
    def run(*operands: Any, activation: str = "", **attributes: Any) -> Any:
        out = kernel(*operands, **attributes)
        return eltwise.KERNELS.by_name[activation](out) if activation else out

    return run


_COLUMNS = 1 << 22  # elements of the matrix of taps that are made at a time


@KERNELS
@_activate
def conv1d(
    x: Array,
    weight: Array,
    bias: Array | None = None,
    *,
    stride: PerAxis,
    padding: PerAxis,
    dilation: PerAxis,
    groups: int,
    batch_dim: int = 0,
    length_dim: int = 1,
    channel_dim: int = 2,
) -> Array:
    """Cross-correlation over one axis; weight [O, C / groups, K]."""
    order = batch_dim, length_dim, channel_dim
    windows = _windows(x.shape, order, weight, stride, padding=padding, dilation=dilation)
    return _convolve(x, weight, bias, order, windows=windows, groups=groups)


@KERNELS
@_activate
@on_images
def conv2d(
    x: Array,
    weight: Array,
    bias: Array | None = None,
    *,
    stride: PerAxis,
    padding: PerAxis,
    dilation: PerAxis,
    groups: int,
    batch_dim: int = 0,
    height_dim: int = 1,
    width_dim: int = 2,
    channel_dim: int = 3,
) -> Array:
    """Cross-correlation over two axes; weight [O, C / groups, KH, KW]; padding n, [H, W] or [T, L, B, R]."""
    order = batch_dim, height_dim, width_dim, channel_dim
    windows = _windows(x.shape, order, weight, stride, padding=padding, dilation=dilation)
    return _convolve(x, weight, bias, order, windows=windows, groups=groups)


@KERNELS
@_activate
def conv3d(
    x: Array,
    weight: Array,
    bias: Array | None = None,
    *,
    stride: PerAxis,
    padding: PerAxis,
    groups: int,
    dilation: PerAxis = 1,
    batch_dim: int = 0,
    depth_dim: int = 1,
    height_dim: int = 2,
    width_dim: int = 3,
    channel_dim: int = 4,
    padding_mode: str = "zeros",
) -> Array:
    """Cross-correlation over three axes; weight [O, C / groups, KD, KH, KW]; pads zeros or `replicate`s."""
    order = batch_dim, depth_dim, height_dim, width_dim, channel_dim
    windows = _windows(x.shape, order, weight, stride, padding=padding, dilation=dilation)
    edge = None if padding_mode == "replicate" else 0.0
    return _convolve(x, weight, bias, order, windows=windows, groups=groups, edge=edge)


@KERNELS
@_activate
@on_images
def conv_transpose2d(
    x: Array,
    weight: Array,
    bias: Array | None = None,
    *,
    stride: PerAxis,
    padding: PerAxis,
    output_padding: PerAxis,
    dilation: PerAxis,
    groups: int,
    batch_dim: int = 0,
    height_dim: int = 1,
    width_dim: int = 2,
    channel_dim: int = 3,
) -> Array:
    """The transpose of `conv2d` as a linear map; weight [C, O / groups, KH, KW]."""
    order = batch_dim, height_dim, width_dim, channel_dim
    channels_last = x.transpose(order)
    batch, *sizes, channels = channels_last.shape
    kernel, out_channels = weight.shape[2:], weight.shape[1] * groups
    steps, spread = per_axis("stride", stride, 2), per_axis("dilation", dilation, 2)
    extra = per_axis("output_padding", output_padding, 2)
    rows = channels_last.reshape(-1, groups, channels // groups).swapaxes(0, 1)
    taps = np.matmul(rows, weight.reshape(groups, channels // groups, -1)).swapaxes(0, 1)
    taps = taps.reshape(batch, *sizes, out_channels, *kernel)
    spans = [(n - 1) * s + (k - 1) * d + 1 for n, s, k, d in zip(sizes, steps, kernel, spread, strict=True)]
    full = np.zeros((batch, *(n + e for n, e in zip(spans, extra, strict=True)), out_channels), taps.dtype)
    for i, j in product(range(kernel[0]), range(kernel[1])):
        down, right = i * spread[0], j * spread[1]
        at_rows = slice(down, down + (sizes[0] - 1) * steps[0] + 1, steps[0])
        at_columns = slice(right, right + (sizes[1] - 1) * steps[1] + 1, steps[1])
        full[:, at_rows, at_columns] += taps[..., i, j]
    crop = (slice(low, n - high) for (low, high), n in zip(low_and_high(padding, 2), full.shape[1:3], strict=True))
    cropped = full[:, *crop]
    return _with_bias(cropped, bias).transpose(np.argsort(order))


def _windows(
    shape: Sequence[int],
    order: Sequence[int],
    weight: Array,
    stride: PerAxis,
    *,
    padding: PerAxis,
    dilation: PerAxis,
) -> list[Window]:
    rank = weight.ndim - 2
    sizes = [shape[axis] for axis in order[1:-1]]
    strides, dilations = per_axis("stride", stride, rank), per_axis("dilation", dilation, rank)
    pads = low_and_high(padding, rank)
    kernel = weight.shape[2:]
    return [Window(sizes[i], kernel[i], strides[i], dilations[i], *pads[i]) for i in range(rank)]


def _convolve(
    x: Array,
    weight: Array,
    bias: Array | None,
    order: Sequence[int],
    *,
    windows: Sequence[Window],
    groups: int,
    edge: float | None = 0.0,
) -> Array:
    """Convolve `x`, whose batch, spatial and channel axes stand in `order`; the result has the same order."""
    source = pad_windows(x.transpose(order), windows, edge)
    depthwise = groups == source.shape[-1] == weight.shape[0] and weight.shape[1] == 1
    out = _depthwise(source, weight, windows) if depthwise else _by_columns(source, weight, windows, groups)
    return _with_bias(out, bias).transpose(np.argsort(order))


def _depthwise(source: Array, weight: Array, windows: Sequence[Window]) -> Array:
    """One filter a channel: the sum over taps of shifted inputs times the tap's weights."""
    out = np.zeros((len(source), *(w.count for w in windows), weight.shape[0]), source.dtype)
    for taps in product(*(range(w.kernel) for w in windows)):
        shifted = source[:, *(tap(w, t) for w, t in zip(windows, taps, strict=True))]
        out += shifted * weight[:, 0, *taps]
    return out


def _by_columns(source: Array, weight: Array, windows: Sequence[Window], groups: int) -> Array:
    """One product a block of windows: [groups, windows, taps * C / groups] by [groups, ..., O / groups]."""
    batch, channels, out_channels = len(source), source.shape[-1], weight.shape[0]
    counts = [w.count for w in windows]
    filters = np.moveaxis(weight.reshape(groups, out_channels // groups, *weight.shape[1:]), (1, 2), (-1, -2))
    filters = filters.reshape(groups, -1, out_channels // groups)
    view = _window_view(source, windows)
    out = np.empty((batch, *counts, out_channels), source.dtype)
    taps = prod(w.kernel for w in windows)
    step = max(1, _COLUMNS // max(1, prod(counts[1:]) * taps * channels))
    for n in range(batch):
        for start in range(0, counts[0], step):
            block = view[n, start : start + step]
            rows = np.moveaxis(block.reshape(-1, taps, groups, channels // groups), 2, 0)
            result = np.matmul(rows.reshape(groups, rows.shape[1], -1), filters)
            out[n, start : start + step] = result.swapaxes(0, 1).reshape(*block.shape[: len(windows)], -1)
    return out


def _window_view(source: Array, windows: Sequence[Window]) -> Array:
    """[N, *counts, *kernel, C] over the padded input, without a copy."""
    axes = tuple(range(1, len(windows) + 1))
    view = np.lib.stride_tricks.sliding_window_view(source, [w.extent for w in windows], axis=axes)
    strided = view[:, *(slice(0, None, w.stride) for w in windows), :, *(slice(0, None, w.dilation) for w in windows)]
    return np.moveaxis(strided, len(windows) + 1, -1)


def _with_bias(out: Array, bias: Array | None) -> Array:
    return out if bias is None else out + bias.reshape(-1)
