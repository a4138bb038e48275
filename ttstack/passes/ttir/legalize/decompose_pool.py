"""Decomposition of pools and resizing without a kernel: dilated means, wide padding, few channels.

Such means are sums of shifted slices, first of rows, then of columns.
"""

import math
from functools import reduce

import numpy as np

from ttstack.diagnostics import UnsupportedOpError
from ttstack.dialects.base import definition_of
from ttstack.dialects.elements import elements_attribute
from ttstack.dialects.location import read_location
from ttstack.dialects.ttir.build import reshape_to
from ttstack.dialects.ttir.builders import ttir
from ttstack.dialects.types import read_type
from ttstack.frontends.limits import DILATED_TAPS
from ttstack.mlir import ir
from ttstack.ops.pool import AvgPool2d, MaxPool2d, Pool, Upsample2d
from ttstack.ops.types import TILE, DType, ElementType, TensorType
from ttstack.ops.windows import Window
from ttstack.passes.rewriting.pattern import Pattern
from ttstack.passes.ttir.queries.fill import cut_to, fill

_SMALLER = "pool in steps, each of a smaller kernel, or without dilation"


def _average(op: ir.Operation) -> list[ir.Value] | None:
    pool = definition_of(op)
    assert isinstance(pool, AvgPool2d)
    taps, dilated = sum(w.kernel for w in pool.windows), any(w.dilation > 1 < w.kernel for w in pool.windows)
    if not dilated and (taps > DILATED_TAPS or not _is_mostly_padding(pool)):
        return None
    if taps > DILATED_TAPS:
        what = f"`{op.name}` is dilated, of a kernel of {' x '.join(str(w.kernel) for w in pool.windows)}"
        why = f"the device has none that is dilated, and at most {DILATED_TAPS} rows and columns are written out"
        raise UnsupportedOpError(what, loc=read_location(op.location) or None, notes=(why,), hint=_SMALLER)
    result = pool.results[0]
    total = _pad(reshape_to(_cast(op.operands[0], DType.F32), pool.images().shape), pool.windows)
    for axis, window in enumerate(pool.windows, start=1):
        total = reduce(_add, [_tap(total, axis, window, number) for number in range(window.kernel)])
    mean = ttir.div(total, _counts(pool))
    return [_cast(reshape_to(mean, result.shape), result.dtype)]


def _is_mostly_padding(pool: Pool) -> bool:
    """Return True if a window can have more padding than the library allows, which is half of it."""
    return any(2 * max(w.low, w.high) > w.kernel for w in pool.windows)


def _greatest(op: ir.Operation) -> list[ir.Value] | None:
    """Pad images explicitly, up to the end of the last window, and pool without padding."""
    pool = definition_of(op)
    assert isinstance(pool, MaxPool2d)
    if not (_is_mostly_padding(pool) and pool.input.dtype.is_float):
        return None
    images = reshape_to(op.operands[0], pool.images().shape)
    ends = [max(0, (w.count - 1) * w.stride + w.extent - w.size - w.low) for w in pool.windows]
    around = (0, 0, *(p for w, end in zip(pool.windows, ends, strict=True) for p in (w.low, end)), 0, 0)
    kernel, stride, dilation = (
        tuple(getattr(w, name) for w in pool.windows) for name in ("kernel", "stride", "dilation")
    )
    pooled = ttir.max_pool2d(
        ttir.pad(images, padding=around, value=-math.inf),
        kernel=kernel,
        stride=stride,
        dilation=dilation,
        padding=0,
        ceil_mode=False,
    )
    return [reshape_to(pooled, pool.results[0].shape)]


def _resize(op: ir.Operation) -> list[ir.Value] | None:
    """Pad channels to whole tiles, which the library needs for interpolation."""
    resized = definition_of(op)
    assert isinstance(resized, Upsample2d)
    channels = resized.input.shape[3]
    if resized.mode == "nearest" or channels % TILE == 0 or resized.results[0] == resized.input:
        return None
    whole = fill(op.operands[0], 3, channels + -channels % TILE)
    enlarged = ttir.upsample2d(whole, scale_factor=resized.scale_factor, mode=resized.mode)
    return [cut_to(enlarged, resized.results[0].shape)]


def _cast(value: ir.Value, dtype: ElementType) -> ir.Value:
    t = read_type(value.type)
    return value if t.dtype == dtype else ttir.typecast(value, result=t.with_dtype(dtype))


def _add(a: ir.Value, b: ir.Value) -> ir.Value:
    return ttir.add(a, b)


def _pad(images: ir.Value, windows: tuple[Window, ...]) -> ir.Value:
    padding = (0, 0, *(p for w in windows for p in (w.low, w.high + w.overhang)), 0, 0)
    return ttir.pad(images, padding=padding, value=0.0) if any(padding) else images


def _tap(images: ir.Value, axis: int, window: Window, number: int) -> ir.Value:
    """Slice the elements that one tap of every window reads along the axis."""
    extents = list(read_type(images.type).shape)
    begins, ends, step = [0] * len(extents), extents, [1] * len(extents)
    begins[axis] = number * window.dilation
    ends[axis] = begins[axis] + (window.count - 1) * window.stride + 1
    step[axis] = window.stride
    return ttir.slice_static(images, begins=tuple(begins), ends=tuple(ends), step=tuple(step))


def _counts(pool: AvgPool2d) -> ir.Value:
    """Return the number of elements in the mean of each window."""
    rows, columns = (np.array(w.taps(padding_counts=pool.count_include_pad)) for w in pool.windows)
    counts = np.outer(rows, columns)
    if (counts == counts[0, 0]).all():
        counts = counts[:1, :1]
    t = TensorType((1, *counts.shape, 1), DType.F32)
    return ttir.constant(result=t, value=elements_attribute(counts.reshape(t.shape).astype(np.float32), t))


POOLS: tuple[tuple[str, Pattern], ...] = (
    ("ttir.avg_pool2d", _average),
    ("ttir.max_pool2d", _greatest),
    ("ttir.upsample2d", _resize),
)
