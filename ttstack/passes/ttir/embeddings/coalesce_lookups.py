"""Coalescing of element lookups into lookups of rows."""

import math
from collections.abc import Callable, Iterator
from functools import partial

import numpy as np

from ttstack.dialects.ttir import views
from ttstack.dialects.ttir.build import broadcast_to, constant, elementwise, permute_dims, reshape_to
from ttstack.dialects.ttir.build import scalar as number
from ttstack.dialects.ttir.builders import ttir
from ttstack.dialects.types import read_type
from ttstack.mlir import ir
from ttstack.ops.shapes import axis
from ttstack.ops.types import DType
from ttstack.passes.rewriting.candidates import Candidate, Declined
from ttstack.passes.rewriting.rewrite import rewrite
from ttstack.passes.stages import Stage
from ttstack.passes.ttir.facts.distinct_slices import DistinctSlices, distinct_shape
from ttstack.passes.ttir.facts.linear_index import LinearIndex, linear_index
from ttstack.passes.ttir.facts.value_bounds import bounds
from ttstack.passes.ttir.queries.producers import scalar


@rewrite("coalesce-lookups", if_faster=True, stage=Stage.OPERANDS)
def coalesce_lookups(op: views.Reshape | views.Squeeze | views.Gather) -> Iterator[Candidate] | Declined | None:
    """`embedding(i * n + arange(n), column)` = `embedding(i, reshape(column, rows of n))`.

    Each lookup is a separate read, of one element or of a row. It applies if
    - the index grows by 1 along its last dimension, from multiples of the width of rows;
    - the index grows by `n` along a dimension of `m` positions, and selects a column of each block of `m` rows of `n`;
    - the index of a `gather` is the same along all dimensions after the gathered one, as after `expand`.

    An index out of bounds then selects a row or column of another block, instead of another element.
    """
    if isinstance(op, views.Gather):
        rows = _gathered_rows(op)
        return None if rows is None else iter([rows])
    lookup = views.Embedding.of(op.input)
    if lookup is None or not lookup.is_read_once or lookup.shape is not None or lookup.described.weight.shape[-1] != 1:
        return None
    candidates = _rows_of_elements(lookup)
    if not candidates:
        return Declined("the index does not grow evenly along a dimension")
    return (partial(_reshaped, candidate, op.described.results[0].shape) for candidate in candidates)


def _reshaped(build: Callable[[], ir.Value], shape: tuple[int, ...]) -> ir.Value:
    return reshape_to(build(), shape)


def _rows_of_elements(op: views.Embedding) -> list[Callable[[], ir.Value]]:
    """Return builders of the elements that an embedding looks up, in the shape of its index."""
    shape, size = op.described.input.shape, op.described.weight.size
    wrapped = _before_wrapping(op.input, size)
    index = linear_index(op.input if wrapped is None else wrapped)
    candidates: list[Callable[[], ir.Value]] = []
    for dim in range(-len(shape), 0):
        extent, split = shape[dim], index.without(dim)
        if extent == 1 or split is None:
            continue
        step, first = split
        if dim == -1 and step == 1 and size % extent == 0 and (rows := first.divide(extent)) is not None:
            candidates.append(partial(_look_up_rows, op, rows, wraps=wrapped is not None))
        elif (
            wrapped is None
            and step > 0
            and size % (step * extent) == 0
            and (columns := _columns(first, step, extent, size)) is not None
        ):
            candidates.append(partial(_look_up_columns, op, columns, dim, step))
    return candidates


def _columns(index: LinearIndex, step: int, extent: int, size: int) -> LinearIndex | None:
    """Return `block * step + column` of an index `block * step * extent + column`; None unless `column < step`.

    If there is one block, this follows from all lookups being in the table.
    """
    block = step * extent
    if block == size:
        return index
    column = LinearIndex(index.offsets % block, {value: n for value, n in index.factors.items() if n % block})
    ranges = [_range_of_term(value, n, size) for value, n in column.factors.items()]
    low = column.offsets.min() + sum(least for least, _ in ranges)
    high = column.offsets.max() + sum(most for _, most in ranges)
    if not 0 <= low <= high < step:
        return None
    blocks = LinearIndex(
        index.offsets // block * step, {value: n // extent for value, n in index.factors.items() if n % block == 0}
    )
    return blocks.plus(column)


def _range_of_term(value: ir.Value, factor: int, size: int) -> tuple[float, float]:
    """Return the bounds of `factor * value` for values that stay within a table of this size."""
    ends = sorted(factor * end for end in _guarded(value, size / factor))
    return ends[0], ends[1]


def _guarded(value: ir.Value, behind: float) -> tuple[float, float]:
    """Return the bounds of a value, or those of `x` in `where(least <= x < end, x, other)` if `other` >= `behind`."""
    if (choice := views.Where.of(value)) is not None and (both := views.LogicalAnd.of(choice.first)) is not None:
        low, high = views.Ge.of(both.lhs), views.Lt.of(both.rhs)
        if low is not None and high is not None and low.lhs == high.lhs == choice.second:
            least, end, other = scalar(low.rhs), scalar(high.rhs), scalar(choice.third)
            if least is not None and end is not None and other is not None and 0 < behind <= other:
                return least, end - 1
    return bounds(value)


def _before_wrapping(index: ir.Value, size: int) -> ir.Value | None:
    """Return `x` of an index `where(x < 0, x + size, x)`, in which negative numbers count from the end of the table."""
    choice = views.Where.of(index)
    negative = None if choice is None else views.Lt.of(choice.first)
    if choice is None or negative is None or negative.lhs != choice.third or scalar(negative.rhs) != 0:
        return None
    from_end = views.Add.of(choice.second)
    is_wrapped = from_end is not None and (from_end.lhs, scalar(from_end.rhs)) == (choice.third, size)
    return choice.third if is_wrapped else None


def _look_up_rows(op: views.Embedding, rows: LinearIndex, *, wraps: bool) -> ir.Value:
    """Look up rows that are as wide as the index's last dimension; negative indices count from the end."""
    *_, width = op.described.input.shape
    count = op.described.weight.size // width
    row = _built(rows, op, -1)
    if wraps:
        t = read_type(row.type)
        negative = ttir.lt(row, number(0, t), result=t.with_dtype(DType.I1))
        row = ttir.where(negative, elementwise("add", row, count, result=t), row)
    return _place(ttir.embedding(row, reshape_to(op.weight, (count, width))), op, -1)


def _look_up_columns(op: views.Embedding, columns: LinearIndex, dim: int, step: int) -> ir.Value:
    """Look up columns of matrices with a row for each position of a dimension, and `step` columns."""
    extent, size = op.described.input.shape[dim], op.described.weight.size
    matrices = reshape_to(op.weight, (size // (extent * step), extent, step))
    table = reshape_to(permute_dims(matrices, (0, 2, 1)), (size // extent, extent))
    return _place(ttir.embedding(_built(columns, op, dim), table), op, dim)


def _built(index: LinearIndex, op: views.Embedding, dim: int) -> ir.Value:
    """Build an index with extent 1 along a dimension, and drop this dimension."""
    t = op.described.input
    assert isinstance(t.dtype, DType)
    value = index.build(t.dtype)
    extents = [1] * t.rank
    for d, extent in enumerate(reversed(read_type(value.type).shape)):
        extents[-1 - d] = extent
    del extents[dim]
    return reshape_to(value, extents)


def _place(rows: ir.Value, op: views.Embedding, dim: int) -> ir.Value:
    """Permute the last dimension to its position in the index, and repeat as the index does."""
    shape = op.described.input.shape
    order = [*range(len(shape) - 1)]
    order.insert(len(shape) + dim, len(shape) - 1)
    return broadcast_to(permute_dims(rows, order), shape)


def _gathered_rows(op: views.Gather) -> Candidate | None:
    gather = op.described
    dim, shape = axis(gather.dim, gather.input.rank), gather.index.shape
    rest = shape[dim + 1 :]
    same = set(distinct_shape(op.index)[dim + 1 :]) == {1} and rest == gather.input.shape[dim + 1 :]
    whole = shape[:dim] == gather.input.shape[:dim]
    if not same or not whole or math.prod(rest) == 1 or not gather.input.dtype.is_float:
        return None
    return partial(_look_up_gathered, op, dim)


def _look_up_gathered(op: views.Gather, dim: int) -> ir.Value:
    """Look up rows of all leading dimensions in one merged table."""
    gather = op.described
    t, shape = gather.index, gather.index.shape
    lead, count, width = math.prod(shape[:dim]), gather.input.shape[dim], math.prod(shape[dim + 1 :])
    index = DistinctSlices().of(op.index)
    index = broadcast_to(index, (*shape[: dim + 1], *(1 for _ in shape[dim + 1 :])))
    index = reshape_to(index, (lead, shape[dim]))
    if lead > 1:
        first = np.arange(lead)[:, None] * count
        index = elementwise("add", index, constant(first, t.with_shape((lead, 1))), result=read_type(index.type))
    return reshape_to(ttir.embedding(index, reshape_to(op.input, (lead * count, width))), shape)
