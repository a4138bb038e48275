"""Concatenation, padding and windows of tensors, and conversion of indices."""

from collections.abc import Sequence

from ttstack.mlir import arith, ir
from ttstack.ops.types import DType
from ttstack.ops.windows import Window
from ttstack.passes.ttir_to_linalg import scalars
from ttstack.passes.ttir_to_linalg.scalars import Number, Scalar
from ttstack.passes.ttir_to_linalg.tensors import Dense, empty, full, generic


def concat(parts: Sequence[Dense], axis: int) -> Dense:
    """Concatenate tensors along an axis."""
    shape = list(parts[0].shape)
    shape[axis] = sum(p.shape[axis] for p in parts)
    out = Dense(empty(shape, parts[0].dtype), tuple(shape), parts[0].dtype)
    at = 0
    for part in parts:
        out = out.put(part, [at if d == axis else 0 for d in range(len(shape))])
        at += part.shape[axis]
    return out


def pad(x: Dense, low: Sequence[int], high: Sequence[int], number: Number) -> Dense:
    """Pad with a number."""
    if not any(low) and not any(high):
        return x
    shape = [lo + n + hi for lo, n, hi in zip(low, x.shape, high, strict=True)]
    return full(shape, number, x.dtype).put(x, low)


def strided_windows(x: Dense, windows: Sequence[Window]) -> Dense:
    """Return [N, C, *kernel, *counts] of a padded [N, C, *spatial]: the element at each tap of each window."""
    count = len(windows)
    taps, places = range(2, 2 + count), range(2 + count, 2 + 2 * count)
    rank = 2 + 2 * count
    dim = ir.AffineDimExpr.get
    spatial = [dim(p) * w.stride + dim(t) * w.dilation for t, p, w in zip(taps, places, windows, strict=True)]
    shape = (*x.shape[:2], *(w.kernel for w in windows), *(w.count for w in windows))
    maps = [ir.AffineMap.get(rank, 0, [dim(0), dim(1), *spatial]), ir.AffineMap.get_identity(rank)]
    (made,) = generic([x.value], [empty(shape, x.dtype)], maps, [False] * rank, lambda arguments: [arguments[0]])
    return Dense(made, shape, x.dtype)


def index_of(x: Scalar) -> ir.Value:
    """Convert an integer to an index."""
    convert = arith.index_castui if x.dtype.is_unsigned else arith.index_cast
    return convert(ir.IndexType.get(), x.value)


def number_of(index: ir.Value, dtype: DType = DType.I64) -> Scalar:
    """Convert an index to an integer."""
    return Scalar(arith.index_cast(scalars.memory_element(dtype), index), dtype)


def scale_and_add(index: ir.Value, factor: int, offset: int = 0) -> ir.Value:
    """Return `index * factor + offset`."""
    kind = ir.IndexType.get()
    scaled = index if factor == 1 else arith.muli(index, arith.constant(kind, factor))
    return scaled if offset == 0 else arith.addi(scaled, arith.constant(kind, offset))
