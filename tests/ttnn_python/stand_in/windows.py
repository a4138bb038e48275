"""Convolutions and pools; images are [1, 1, N * H * W, C]."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from tests.ttnn_python.stand_in.eltwise import activated
from tests.ttnn_python.stand_in.tensor import Array, DataType, Layout, Tensor, made

Sides = list[tuple[int, int]]


def conv2d(
    *,
    input_tensor: Tensor,
    weight_tensor: Tensor,
    bias_tensor: Tensor | None = None,
    in_channels: int,
    out_channels: int,
    batch_size: int,
    input_height: int,
    input_width: int,
    stride: Sequence[int],
    padding: Sequence[int],
    dilation: Sequence[int],
    groups: int,
    conv_config: Any,
    **keywords: Any,
) -> Tensor:
    """Weights [out, in of a group, rows, columns]."""
    assert weight_tensor.shape[:2] == (out_channels, in_channels // groups)
    images = input_tensor.values.reshape(batch_size, input_height, input_width, in_channels)
    found = _convolved(images, weight_tensor.values, stride, _sides(padding), dilation, groups)
    return _ended(input_tensor, found, bias_tensor, conv_config, **keywords)


def conv_transpose2d(
    *,
    input_tensor: Tensor,
    weight_tensor: Tensor,
    bias_tensor: Tensor | None = None,
    in_channels: int,
    out_channels: int,
    batch_size: int,
    input_height: int,
    input_width: int,
    kernel_size: Sequence[int],
    stride: Sequence[int],
    padding: Sequence[int],
    output_padding: Sequence[int],
    dilation: Sequence[int],
    groups: int,
    conv_config: Any,
    **keywords: Any,
) -> Tensor:
    """Each pixel adds its multiple of the weights, [in, out of a group, rows, columns], at its own place."""
    images = input_tensor.values.reshape(batch_size, input_height, input_width, groups, in_channels // groups)
    weights = weight_tensor.values.reshape(groups, in_channels // groups, out_channels // groups, *kernel_size)
    spans = [d * (k - 1) for d, k in zip(dilation, kernel_size, strict=True)]
    full = [
        (n - 1) * s + span + 1 + more
        for n, s, span, more in zip((input_height, input_width), stride, spans, output_padding, strict=True)
    ]
    found = np.zeros((batch_size, *full, groups, out_channels // groups))
    for row, column in np.ndindex(*kernel_size):
        top, left = row * dilation[0], column * dilation[1]
        rows = slice(top, top + (input_height - 1) * stride[0] + 1, stride[0])
        columns = slice(left, left + (input_width - 1) * stride[1] + 1, stride[1])
        found[:, rows, columns] += np.einsum("nhwgi,gio->nhwgo", images, weights[..., row, column])
    rows, columns = (slice(low, extent - high) for extent, (low, high) in zip(full, _sides(padding), strict=True))
    cut = found[:, rows, columns]
    whole = cut.reshape(*cut.shape[:3], out_channels)
    return _ended(input_tensor, whole, bias_tensor, conv_config, **keywords)


def _convolved(
    images: Array, weights: Array, stride: Sequence[int], sides: Sides, dilation: Sequence[int], groups: int
) -> Array:
    windows = _windows(np.pad(images, [(0, 0), *sides, (0, 0)]), weights.shape[2:], stride, dilation)
    apart = windows.reshape(*windows.shape[:3], groups, -1, *windows.shape[4:])
    kernels = weights.reshape(groups, -1, *weights.shape[1:])
    found = np.einsum("nhwgirc,goirc->nhwgo", apart, kernels, optimize=True)
    return found.reshape(*found.shape[:3], -1)


def _windows(images: Array, kernel: Sequence[int], stride: Sequence[int], dilation: Sequence[int]) -> Array:
    """[N, H, W, C, rows, columns]."""
    spans = [d * (k - 1) + 1 for d, k in zip(dilation, kernel, strict=True)]
    found = sliding_window_view(images, spans, axis=(1, 2))
    return found[:, :: stride[0], :: stride[1], :, :: dilation[0], :: dilation[1]]


def _ended(
    x: Tensor,
    found: Array,
    bias: Tensor | None,
    config: Any,
    *,
    dtype: DataType | None = None,
    **_: Any,
) -> Tensor:
    sums = found if bias is None else found + bias.values
    rows = activated(sums, getattr(config, "activation", None)).reshape(1, 1, -1, found.shape[-1])
    return made(x, rows, dtype, getattr(config, "output_layout", Layout.TILE))


def _sides(padding: Sequence[int]) -> Sides:
    """Above and below, left and right."""
    if len(padding) == 2:
        return [(p, p) for p in padding]
    top, bottom, left, right = padding
    return [(top, bottom), (left, right)]


def max_pool2d(
    x: Tensor,
    n: int,
    h: int,
    w: int,
    c: int,
    kernel: Sequence[int],
    stride: Sequence[int],
    padding: Sequence[int],
    dilation: Sequence[int],
    *,
    ceil_mode: bool,
    **keywords: Any,
) -> Tensor:
    """The greatest of each window."""
    sides, _ = _reaching([h, w], kernel, stride, _sides(padding), dilation, ceil_mode=ceil_mode)
    around = np.pad(x.values.reshape(n, h, w, c), [(0, 0), *sides, (0, 0)], constant_values=-np.inf)
    return _pooled(x, _windows(around, kernel, stride, dilation).max((-1, -2)), **keywords)


def avg_pool2d(
    x: Tensor,
    n: int,
    h: int,
    w: int,
    c: int,
    kernel: Sequence[int],
    stride: Sequence[int],
    padding: Sequence[int],
    *,
    ceil_mode: bool,
    count_include_pad: bool,
    **keywords: Any,
) -> Tensor:
    """The mean of each window: of all that lies inside the padding, or of the image's own pixels."""
    sides, beyond = _reaching([h, w], kernel, stride, _sides(padding), [1, 1], ceil_mode=ceil_mode)
    inside = np.ones((1, h, w, 1))
    if count_include_pad:
        inner = [(low, high - more) for (low, high), more in zip(sides, beyond, strict=True)]
        counted = np.pad(inside, [(0, 0), *inner, (0, 0)], constant_values=1)
        counted = np.pad(counted, [(0, 0), *((0, more) for more in beyond), (0, 0)])
    else:
        counted = np.pad(inside, [(0, 0), *sides, (0, 0)])
    around = np.pad(x.values.reshape(n, h, w, c), [(0, 0), *sides, (0, 0)])
    sums, counts = (_windows(t, kernel, stride, [1, 1]).sum((-1, -2)) for t in (around, counted))
    return _pooled(x, sums / counts, **keywords)


def _reaching(
    extents: Sequence[int],
    kernel: Sequence[int],
    stride: Sequence[int],
    sides: Sides,
    dilation: Sequence[int],
    *,
    ceil_mode: bool,
) -> tuple[Sides, list[int]]:
    """The sides with what a last window, which begins inside, lacks at the end, and how much that is."""
    beyond = []
    for extent, k, s, (low, high), d in zip(extents, kernel, stride, sides, dilation, strict=True):
        rest = (extent + low + high - d * (k - 1) - 1) % s
        windows = -(-(extent + low + high - d * (k - 1) - 1) // s)
        beyond.append(s - rest if ceil_mode and rest and windows * s < extent + low else 0)
    return [(low, high + more) for (low, high), more in zip(sides, beyond, strict=True)], beyond


def _pooled(x: Tensor, found: Array, *, dtype: DataType, output_layout: Layout, **_: Any) -> Tensor:
    return made(x, found.reshape(1, 1, -1, found.shape[-1]), dtype, output_layout)
