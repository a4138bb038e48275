"""Pools as combinations of the taps' shifted inputs, and resizing."""

from collections.abc import Iterator
from itertools import product

import numpy as np

from ttstack.mlir import linalg
from ttstack.ops.pool import AvgPool2d, GlobalAvgPool2d, MaxPool2dWithIndices, Pool, Upsample2d
from ttstack.ops.types import DType
from ttstack.ops.windows import Window, low_and_high, per_axis
from ttstack.passes.ttir_to_linalg.conv import images
from ttstack.passes.ttir_to_linalg.indexing import take
from ttstack.passes.ttir_to_linalg.movement import number_of, pad
from ttstack.passes.ttir_to_linalg.movement import scale_and_add as moved
from ttstack.passes.ttir_to_linalg.reduction import limits, mean_of
from ttstack.passes.ttir_to_linalg.scalars import Scalar, compare, is_nan, maximum, select
from ttstack.passes.ttir_to_linalg.table import LoweringTable
from ttstack.passes.ttir_to_linalg.tensors import Dense, elementwise, elementwise_all, full, literal

LOWERINGS = LoweringTable()


@LOWERINGS("max_pool2d")
def _max_pool(op: Pool, x: Dense) -> Dense:
    out, *rest = (t for _, t in _taps(op, images(op, x), limits(x.dtype)[0]))
    for tap in rest:
        out = elementwise(maximum, [out, tap], x.dtype)
    return out.reshape(*op.results[0].shape)


@LOWERINGS("avg_pool2d")
def _avg_pool(op: AvgPool2d, x: Dense) -> Dense:
    source = images(op, x).wide()
    out, *rest = (t for _, t in _taps(op, source, 0))
    for tap in rest:
        out = elementwise(lambda a, b: a + b, [out, tap], out.dtype)
    rows, columns = (np.array(w.taps(padding_counts=op.count_include_pad)) for w in _windows(op, source))
    seen = literal((rows[:, None] * columns)[..., None].astype(np.float32), DType.F32)
    mean = elementwise(lambda e, n: e / n, [out, seen], out.dtype)
    return mean.cast(op.results[0].dtype).reshape(*op.results[0].shape)


@LOWERINGS("max_pool2d_with_indices")
def _max_pool_places(op: MaxPool2dWithIndices, x: Dense, *_outputs: Dense | None) -> tuple[Dense, Dense]:
    source = images(op, x).wide()
    rows, columns = _windows(op, source)
    lowest = limits(source.dtype)[0]
    shape = (source.shape[0], rows.count, columns.count, source.shape[3])
    best, places = full(shape, lowest, source.dtype), full(shape, -1, DType.I64)
    height, width = source.shape[1:3]
    for (i, j), tap in _taps(op, source, lowest):

        def body(so_far: Scalar, place: Scalar, e: Scalar, i: int = i, j: int = j) -> tuple[Scalar, Scalar]:
            at_row, at_column = (
                number_of(moved(linalg.IndexOp(d).result, w.stride, t * w.dilation - w.low))
                for d, w, t in ((1, rows, i), (2, columns, j))
            )
            inside = (at_row >= 0) & (at_row < height) & (at_column >= 0) & (at_column < width)
            better = (e > so_far) | compare("lt", place, 0)
            better = (better | is_nan(e) if e.is_float else better) & inside
            return select(better, e, so_far), select(better, at_row * width + at_column, place)

        best, places = elementwise_all(body, [best, places, tap], (best.dtype, DType.I64))
    first, second = op.results
    return best.cast(first.dtype).reshape(*first.shape), places.cast(second.dtype).reshape(*second.shape)


@LOWERINGS("global_avg_pool2d")
def _global_pool(op: GlobalAvgPool2d, x: Dense) -> Dense:
    return mean_of(x, [1, 2], keep=True).cast(op.results[0].dtype)


@LOWERINGS("upsample2d")
def _upsample(op: Upsample2d, x: Dense) -> Dense:
    out = x if op.mode == "nearest" else x.wide()
    for axis, factor in zip((1, 2), per_axis("scale_factor", op.scale_factor, 2), strict=True):
        out = _repeat(out, axis, factor) if op.mode == "nearest" else _stretch(out, axis, factor)
    return out.cast(op.results[0].dtype)


def _repeat(x: Dense, axis: int, factor: int) -> Dense:
    return take(x, literal(np.repeat(np.arange(x.shape[axis]), factor), DType.I64), axis)


def _stretch(x: Dense, axis: int, factor: int) -> Dense:
    length = x.shape[axis]
    centres = np.maximum((np.arange(length * factor, dtype=np.float64) + 0.5) / factor - 0.5, 0)
    below = centres.astype(np.int64)
    along = [-1 if d == axis else 1 for d in range(x.rank)]
    share = literal((centres - below).reshape(along), DType.F64).cast(x.dtype)
    above = np.minimum(below + 1, length - 1)
    parts = [take(x, literal(at, DType.I64), axis) for at in (below, above)]
    return elementwise(lambda a, b, s: a * (1 - s) + b * s, [*parts, share], x.dtype)


def _windows(op: Pool, x: Dense) -> list[Window]:
    sizes, strides, dilations = (per_axis(n, getattr(op, n), 2) for n in ("kernel", "stride", "dilation"))
    pads = low_and_high(op.padding, 2)
    return [Window(x.shape[i + 1], sizes[i], strides[i], dilations[i], *pads[i], op.ceil_mode) for i in range(2)]


def _taps(op: Pool, x: Dense, edge: float) -> Iterator[tuple[tuple[int, int], Dense]]:
    """Yield each tap with its element of every window."""
    rows, columns = _windows(op, x)
    low, high = [0, rows.low, columns.low, 0], [0, rows.high + rows.overhang, columns.high + columns.overhang, 0]
    source = pad(x, low, high, edge)
    sizes, steps = [x.shape[0], rows.count, columns.count, x.shape[3]], [1, rows.stride, columns.stride, 1]
    for i, j in product(range(rows.kernel), range(columns.kernel)):
        yield (i, j), source.slice([0, i * rows.dilation, j * columns.dilation, 0], sizes, steps)
