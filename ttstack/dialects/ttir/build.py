"""Builders shared by conversions and rewrites: casts, numbers, slices and shapes.

No-ops are not built.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ttstack.dialects.defining_op import defining_op
from ttstack.dialects.elements import elements_attribute
from ttstack.dialects.ttir.builders import ttir
from ttstack.dialects.types import read_type
from ttstack.mlir import ir
from ttstack.ops.base import MAX_VARIADIC
from ttstack.ops.indexing import SliceStatic
from ttstack.ops.shapes import axis
from ttstack.ops.types import DType, ElementType, TensorType

_I32 = np.iinfo(np.int32)


def reshape_to(value: ir.Value, shape: Sequence[int]) -> ir.Value:
    """Reshape `value`, unless it has that shape."""
    if read_type(value.type).shape == tuple(shape):
        return value
    return ttir.reshape(value, shape=tuple(shape))


def permute_dims(value: ir.Value, order: Sequence[int]) -> ir.Value:
    """Permute the dimensions of `value`, unless the order is the identity."""
    if list(order) == list(range(len(order))):
        return value
    return ttir.permute(value, permutation=tuple(order))


def slice_as(value: ir.Value, cut: SliceStatic) -> ir.Value:
    """Slice `value` as `cut` slices a tensor of its type, unless that is all of it."""
    assert read_type(value.type) == cut.input
    if cut.results[0] == cut.input:
        return value
    return ttir.slice_static(value, begins=cut.begins, ends=cut.ends, step=cut.step)


def cast(value: ir.Value, dtype: ElementType) -> ir.Value:
    """Cast `value`, unless it has that element type; a bool is whether the number is not 0."""
    t = read_type(value.type)
    if t.dtype is dtype:
        return value
    if dtype is DType.I1:
        return ttir.ne(value, scalar(0, t), result=t.with_dtype(dtype))
    return ttir.typecast(value, result=t.with_dtype(dtype))


def splat(number: float, t: TensorType) -> ir.Value:
    """Build a splat; a constant if `ttir.full` cannot represent the number exactly."""
    value = float(number) if t.dtype.is_float else wrap_integer(number, t.dtype)
    if t.dtype is DType.F64 or not (isinstance(value, float) or _I32.min <= value <= _I32.max):
        return constant(np.full(t.shape, value, t.dtype.numpy), t)
    return ttir.full(result=t, shape=t.shape, fill_value=value)


def wrap_integer(number: float, dtype: ElementType) -> int:
    """Return the integer with the number's low bits, as PyTorch casts it."""
    if dtype is DType.I1:
        return int(number != 0)
    least = 0 if dtype.is_unsigned else -(1 << dtype.bits - 1)
    return (int(number) - least) % (1 << dtype.bits) + least


def constant(values: NDArray[Any], t: TensorType) -> ir.Value:
    """Build a constant tensor."""
    return ttir.constant(result=t, value=elements_attribute(values, t))


def scalar(number: float, like: TensorType) -> ir.Value:
    """Build a number that broadcasts against tensors of type `like`, in their element type."""
    return splat(number, like.with_shape((1,) * like.rank))


def elementwise(mnemonic: str, *operands: ir.Value | float, result: TensorType) -> ir.Value:
    """Build an elementwise op on tensors and numbers, all cast to the result's element type."""
    values = [cast(x, result.dtype) if isinstance(x, ir.Value) else scalar(x, result) for x in operands]
    return ttir.build(mnemonic, *values)


def with_leading_ones(value: ir.Value, rank: int) -> ir.Value:
    """Add leading unit dimensions to `value`."""
    shape = read_type(value.type).shape
    return reshape_to(value, (1,) * (rank - len(shape)) + shape)


def broadcast_to(value: ir.Value, shape: tuple[int, ...]) -> ir.Value:
    """Repeat `value` along unit dimensions and new leading ones; to an extent of 0, slice nothing."""
    value = with_leading_ones(value, len(shape))
    for dim in (d for d, extent in enumerate(shape) if not extent):
        value = slice_along(value, dim, 0, 0)
    factors = tuple(new if old == 1 else 1 for old, new in zip(read_type(value.type).shape, shape, strict=True))
    return value if set(factors) <= {1} else ttir.broadcast(value, broadcast_dimensions=factors)


def before_broadcast(value: ir.Value) -> ir.Value:
    """Return the source of broadcasts that produce `value`; `value` itself without any."""
    while (broadcast := defining_op(value, "ttir.broadcast")) is not None:
        value = broadcast.operands[0]
    return value


def slice_along(x: ir.Value, dim: int, begin: int, end: int, step: int = 1) -> ir.Value:
    """Slice `x[begin:end:step]` along one dimension, unless that is all of it."""
    shape = read_type(x.type).shape
    if (begin, end, step) == (0, shape[dim], 1):
        return x
    begins, ends, steps = [0] * len(shape), list(shape), [1] * len(shape)
    begins[dim], ends[dim], steps[dim] = begin, end, step
    return ttir.slice_static(x, begins=tuple(begins), ends=tuple(ends), step=tuple(steps))


def concat_along(parts: Sequence[ir.Value], dim: int) -> ir.Value:
    """Concatenate parts; in groups first if there are more than an op supports."""
    while len(parts) > 1:
        groups = [parts[i : i + MAX_VARIADIC] for i in range(0, len(parts), MAX_VARIADIC)]
        parts = [ttir.concat(*group, dim=dim) if len(group) > 1 else group[0] for group in groups]
    return parts[0]


def diagonal(x: ir.Value, offset: int, first: int, second: int) -> ir.Value:
    """Return the diagonal of two dimensions, as last dimension."""
    rank = read_type(x.type).rank
    dims = axis(first, rank), axis(second, rank)
    x = permute_dims(x, (*(d for d in range(rank) if d not in dims), *dims))
    *lead, rows, columns = read_type(x.type).shape
    count = max(0, min(rows, columns - offset) if offset >= 0 else min(rows + offset, columns))
    begin = offset if offset >= 0 else -offset * columns
    line = reshape_to(x, (*lead, rows * columns))
    end = begin + (count - 1) * (columns + 1) + 1 if count else begin
    return slice_along(line, len(lead), begin, end, columns + 1)
