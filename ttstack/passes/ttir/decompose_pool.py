"""Dilated average pools, which the library does not have: sums of shifted slices, first of rows, then of columns."""

from functools import reduce
from typing import Any

import numpy as np

from ttstack.diagnostics import UnsupportedOpError
from ttstack.dialects.base import describe
from ttstack.dialects.elements import elements_attribute
from ttstack.dialects.location import read_location
from ttstack.dialects.ttir.build import reshape_to
from ttstack.dialects.ttir.builders import ttir
from ttstack.dialects.types import read_type
from ttstack.frontends.limits import DILATED_TAPS
from ttstack.mlir import ir
from ttstack.ops.pool import AvgPool2d
from ttstack.ops.types import DType, TensorType
from ttstack.ops.windows import Window
from ttstack.passes.pattern import Pattern

_SMALLER = "pool in steps, each of a smaller kernel, or without dilation"


def _average(op: ir.Operation) -> list[ir.Value] | None:
    pool = describe(op)
    assert isinstance(pool, AvgPool2d)
    if all(w.dilation == 1 or w.kernel == 1 for w in pool.windows):
        return None
    taps = sum(w.kernel for w in pool.windows)
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


def _cast(value: ir.Value, dtype: Any) -> ir.Value:
    t = read_type(value.type)
    return value if t.dtype == dtype else ttir.typecast(value, result=t.with_dtype(dtype))


def _add(a: ir.Value, b: ir.Value) -> ir.Value:
    return ttir.add(a, b)


def _pad(images: ir.Value, windows: tuple[Window, ...]) -> ir.Value:
    padding = (0, 0, *(p for w in windows for p in (w.low, w.high + w.overhang)), 0, 0)
    return ttir.pad(images, padding=padding, value=0.0) if any(padding) else images


def _tap(images: ir.Value, axis: int, window: Window, number: int) -> ir.Value:
    """What that tap of every window along the axis sees."""
    extents = list(read_type(images.type).shape)
    begins, ends, step = [0] * len(extents), extents, [1] * len(extents)
    begins[axis] = number * window.dilation
    ends[axis] = begins[axis] + (window.count - 1) * window.stride + 1
    step[axis] = window.stride
    return ttir.slice_static(images, begins=tuple(begins), ends=tuple(ends), step=tuple(step))


def _counts(pool: AvgPool2d) -> ir.Value:
    """How many elements the mean of each window is of."""
    rows, columns = (np.array(w.taps(padding_counts=pool.count_include_pad)) for w in pool.windows)
    counts = np.outer(rows, columns)
    if (counts == counts[0, 0]).all():
        counts = counts[:1, :1]
    t = TensorType((1, *counts.shape, 1), DType.F32)
    return ttir.constant(result=t, value=elements_attribute(counts.reshape(t.shape).astype(np.float32), t))


POOLS: tuple[tuple[str, Pattern], ...] = (("ttir.avg_pool2d", _average),)
