"""Pools and resizing of NHWC images; a pool is the combination of its taps' shifted inputs."""

from collections.abc import Iterator
from itertools import product

import numpy as np

from ttstack.ops.windows import PerAxis, Window, low_and_high, per_axis
from ttstack_runtime.kernels.table import Array, KernelTable
from ttstack_runtime.kernels.windows import on_images, pad_windows, positions, tap

KERNELS = KernelTable()


@KERNELS
@on_images
def max_pool2d(
    x: Array, *, kernel: PerAxis, stride: PerAxis, dilation: PerAxis, padding: PerAxis, ceil_mode: bool
) -> Array:
    """Largest element of each window; padding never wins, NaN does."""
    windows = _windows(x, kernel, stride, dilation=dilation, padding=padding, ceil_mode=ceil_mode)
    taps = _taps(pad_windows(x, windows, _lowest(x)), windows)
    out = next(taps)[1].copy()
    for _, shifted in taps:
        np.maximum(out, shifted, out=out)
    return out


@KERNELS
@on_images
def max_pool2d_with_indices(
    x: Array,
    *_outputs: Array | None,
    kernel: PerAxis,
    stride: PerAxis,
    dilation: PerAxis,
    padding: PerAxis,
    ceil_mode: bool,
) -> tuple[Array, Array]:
    """Largest element of each window and its position `row * W + column`; the first of equals."""
    windows = _windows(x, kernel, stride, dilation=dilation, padding=padding, ceil_mode=ceil_mode)
    rows, columns = (positions(w) for w in windows)
    taps = _taps(pad_windows(x, windows, _lowest(x)), windows)
    shape = (len(x), windows[0].count, windows[1].count, x.shape[-1])
    out, indices = np.full(shape, _lowest(x), x.dtype), np.full(shape, -1, np.int64)
    for (i, j), shifted in taps:
        row, column = rows[:, i][:, None], columns[:, j]
        inside = (row >= 0) & (row < x.shape[1]) & (column >= 0) & (column < x.shape[2])
        better = (shifted > out) | np.isnan(shifted) | (indices < 0)
        better &= inside[..., None]
        np.copyto(out, shifted, where=better)
        np.copyto(indices, (row * x.shape[2] + column)[..., None], where=better)
    return out, indices


@KERNELS
@on_images
def avg_pool2d(
    x: Array,
    *,
    kernel: PerAxis,
    stride: PerAxis,
    dilation: PerAxis,
    padding: PerAxis,
    ceil_mode: bool,
    count_include_pad: bool = True,
) -> Array:
    """Mean of each window, over padding too if it counts; what overhangs the padding never counts."""
    windows = _windows(x, kernel, stride, dilation=dilation, padding=padding, ceil_mode=ceil_mode)
    total = np.zeros((len(x), windows[0].count, windows[1].count, x.shape[-1]), x.dtype)
    for _, shifted in _taps(pad_windows(x, windows, 0.0), windows):
        total += shifted
    rows, columns = (np.array(w.taps(padding_counts=count_include_pad)) for w in windows)
    return total / (rows[:, None] * columns)[..., None].astype(x.dtype)


@KERNELS
def global_avg_pool2d(x: Array) -> Array:
    """Mean over height and width, which stay as axes of length 1."""
    return np.mean(x, axis=(1, 2), keepdims=True, dtype=np.float64).astype(x.dtype)


@KERNELS
def upsample2d(x: Array, *, scale_factor: PerAxis, mode: str = "nearest") -> Array:
    """Height and width times `scale_factor`; `bilinear` between pixel centres, as in torch."""
    factors = per_axis("scale_factor", scale_factor, 2)
    out = x
    for axis, factor in zip((1, 2), factors, strict=True):
        out = np.repeat(out, factor, axis) if mode == "nearest" else _stretch(out, axis, factor)
    return out


def _windows(
    x: Array, kernel: PerAxis, stride: PerAxis, *, dilation: PerAxis, padding: PerAxis, ceil_mode: bool
) -> list[Window]:
    forms = {"kernel": kernel, "stride": stride, "dilation": dilation}
    sizes, strides, dilations = (per_axis(name, value, 2) for name, value in forms.items())
    pads = low_and_high(padding, 2)
    return [Window(x.shape[i + 1], sizes[i], strides[i], dilations[i], *pads[i], ceil_mode) for i in range(2)]


def _taps(source: Array, windows: list[Window]) -> Iterator[tuple[tuple[int, int], Array]]:
    """Each tap of the kernel with the elements that it sees, one a window."""
    for i, j in product(range(windows[0].kernel), range(windows[1].kernel)):
        yield (i, j), source[:, tap(windows[0], i), tap(windows[1], j)]


def _lowest(x: Array) -> float:
    return -np.inf if x.dtype.kind == "f" else int(np.iinfo(x.dtype).min)


def _stretch(x: Array, axis: int, factor: int) -> Array:
    length = x.shape[axis]
    centres = np.maximum((np.arange(length * factor, dtype=np.float64) + 0.5) / factor - 0.5, 0)
    below = centres.astype(np.int64)
    along = [-1 if d == axis else 1 for d in range(x.ndim)]
    share = (centres - below).reshape(along).astype(x.dtype)
    above = np.minimum(below + 1, length - 1)
    return np.take(x, below, axis) * (1 - share) + np.take(x, above, axis) * share
