"""Slices, splits, and elements gathered by index."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from ttstack.dialects.base import definition_of
from ttstack.dialects.defining_op import defining_op
from ttstack.dialects.elements import read_elements
from ttstack.dialects.ttir.build import (
    broadcast_to,
    concat_along,
    constant,
    elementwise,
    permute_dims,
    reshape_to,
    slice_along,
)
from ttstack.dialects.ttir.builders import ttir
from ttstack.dialects.types import read_type
from ttstack.frontends.conversion.windows import MOST_BLOCKS, UNFOLD, windows
from ttstack.frontends.torch_to_ttir.boundary import list_of
from ttstack.frontends.torch_to_ttir.eltwise import compare, where
from ttstack.frontends.torch_to_ttir.index_range import is_never_negative, largest
from ttstack.frontends.torch_to_ttir.table import TorchConversionTable
from ttstack.frontends.torch_to_ttir.torch_op import TorchOp
from ttstack.mlir import ir
from ttstack.ops.shapes import axis, broadcast, promote
from ttstack.ops.types import DType, TensorType

CONVERSIONS = TorchConversionTable()


@CONVERSIONS("slice.Tensor", to="slice_static")
def _slice(call: TorchOp) -> ir.Value:
    """Slice with bounds clamped to the tensor."""
    x = call.tensor(0)
    shape = read_type(x.type).shape
    dim = axis(call.integer(1), len(shape))
    start = None if call.is_none(2) else call.integer(2)
    end = None if call.is_none(3) else call.integer(3)
    begin, end, step = slice(start, end, call.integer(4)).indices(shape[dim])
    return slice_along(x, dim, begin, max(begin, end), step)


@CONVERSIONS("narrow", to="slice_static")
def _narrow(call: TorchOp) -> ir.Value:
    """Slice a length from a start."""
    dim, start = axis(call.integer(1), call.result.rank), call.integer(2)
    start = start % read_type(call.tensor(0).type).shape[dim] if start < 0 else start
    return slice_along(call.tensor(0), dim, start, start + call.integer(3))


@CONVERSIONS("select.int", to="slice_static squeeze")
def _select(call: TorchOp) -> ir.Value:
    """Slice one element and drop the dimension."""
    x = call.tensor(0)
    shape = read_type(x.type).shape
    dim = axis(call.integer(1), len(shape))
    at = axis(call.integer(2), shape[dim], "index")
    return ttir.squeeze(slice_along(x, dim, at, at + 1), dim=dim)


@CONVERSIONS("split.Tensor", to="slice_static")
def _split(call: TorchOp) -> ir.Value:
    """Slice parts of one size."""
    extent, size = _extent(call, 2), call.integer(1)
    return _slices(call, [min(size, extent - at) for at in range(0, extent, size)])


@CONVERSIONS("split_with_sizes", to="slice_static")
def _split_with_sizes(call: TorchOp) -> ir.Value:
    """Slice parts of the given sizes."""
    return _slices(call, call.integers(1))


@CONVERSIONS("chunk", to="slice_static")
def _chunk(call: TorchOp) -> ir.Value:
    """Slice parts of one size."""
    extent = _extent(call, 2)
    size = max(1, -(-extent // call.integer(1)))
    return _slices(call, [min(size, extent - at) for at in range(0, extent, size)])


@CONVERSIONS("unbind.int", to="slice_static squeeze")
def _unbind(call: TorchOp) -> ir.Value:
    """Slice single elements and drop the dimension."""
    x, extent = call.tensor(0), _extent(call, 1)
    dim = axis(call.integer(1), read_type(x.type).rank)
    parts = [ttir.squeeze(slice_along(x, dim, at, at + 1), dim=dim) for at in range(extent)]
    return list_of(parts, call.op.results[0].type)


def _extent(call: TorchOp, i: int) -> int:
    """Return the extent along the dimension in operand `i`."""
    shape = read_type(call.tensor(0).type).shape
    return shape[axis(call.integer(i), len(shape))]


def _slices(call: TorchOp, sizes: Sequence[int]) -> ir.Value:
    x = call.tensor(0)
    dim = axis(call.integer(2), read_type(x.type).rank)
    ends = [sum(sizes[: i + 1]) for i in range(len(sizes))]
    parts = [slice_along(x, dim, end - size, end) for end, size in zip(ends, sizes, strict=True)]
    return list_of(parts, call.op.results[0].type)


@CONVERSIONS("roll", to="slice_static concat reshape")
def _roll(call: TorchOp) -> ir.Value:
    """Concatenate the end of each dimension and its beginning."""
    x, dims = call.tensor(0), call.integers(2)
    if not dims:
        x, dims = reshape_to(x, (call.result.size,)), (0,)
    for shift, d in zip(call.integers(1), dims, strict=True):
        shape = read_type(x.type).shape
        dim = axis(d, len(shape))
        at = -shift % max(shape[dim], 1)
        if at:
            x = concat_along([slice_along(x, dim, at, shape[dim]), slice_along(x, dim, 0, at)], dim)
    return reshape_to(x, call.result.shape)


@CONVERSIONS("diff", to="slice_static concat subtract ne")
def _diff(call: TorchOp) -> ir.Value:
    """Subtract the previous element, `n` times; compare bools."""
    x, dim = call.tensor(0), axis(call.integer(2), call.result.rank)
    parts = [call.optional(3), x, call.optional(4)]
    x = concat_along([part for part in parts if part is not None], dim)
    for _ in range(call.integer(1)):
        extent = read_type(x.type).shape[dim]
        late, early = slice_along(x, dim, 1, extent), slice_along(x, dim, 0, extent - 1)
        bools = call.result.dtype is DType.I1
        x = compare("ne", late, early) if bools else elementwise("subtract", late, early, result=call.result)
    return x


@CONVERSIONS("gather", to="gather")
def _gather(call: TorchOp) -> ir.Value:
    """Gather elements along one dimension."""
    return ttir.gather(call.tensor(0), call.tensor(2), dim=call.integer(1))


@CONVERSIONS("index_select", to="embedding permute reshape slice_static")
def _index_select(call: TorchOp) -> ir.Value:
    """Look up rows of a table with the indexed dimension first; slice for constant consecutive indices."""
    x = call.tensor(0)
    dim = axis(call.integer(1), read_type(x.type).rank)
    if (cut := _cut(x, dim, call.tensor(2))) is not None:
        return cut
    return reshape_to(
        pick_rows(x, [dim], reshape_to(call.tensor(2), call.result.shape[dim : dim + 1])), call.result.shape
    )


@CONVERSIONS("unfold", to=f"{UNFOLD} embedding permute constant")
def _unfold(call: TorchOp) -> ir.Value:
    """Concatenate blocks as long as a step, or look up windows as rows; their elements become the last dimension."""
    shape = read_type(call.tensor(0).type).shape or (1,)
    x, size, step = reshape_to(call.tensor(0), shape), call.integer(2), call.integer(3)
    dim = axis(call.integer(1), len(shape))
    count = (shape[dim] - size) // step + 1
    if dim == len(shape) - 1 and size <= MOST_BLOCKS * step:
        return reshape_to(windows(x, size, step), call.result.shape)
    places = np.arange(count)[:, None] * step + np.arange(size)
    picked = pick_rows(x, [dim], constant(places, TensorType((count, size), DType.I32)))
    apart = reshape_to(picked, (*shape[:dim], count, size, *shape[dim + 1 :]))
    order = [d for d in range(len(shape) + 1) if d != dim + 1]
    return reshape_to(permute_dims(apart, (*order, dim + 1)), call.result.shape)


@CONVERSIONS(
    "index.Tensor",
    "_unsafe_index.Tensor",
    to="embedding gather lt ge logical_and where multiply add reshape permute broadcast slice_static",
)
def _index(call: TorchOp) -> ir.Value:
    """Compute row-major positions, then gather elements if the last dimensions are indexed, otherwise look up rows.

    Constant consecutive positions along one dimension are a slice.
    """
    x, indices = call.tensor(0), dict(enumerate(call.optionals(1)))
    picks = {d: v for d, v in indices.items() if v is not None}
    if any(read_type(v.type).dtype is DType.I1 for v in picks.values()):
        call.refuse("picks by a mask", "the number of picked elements must not depend on values")
    t, dims = read_type(x.type), list(picks)
    if len(dims) == 1 and (cut := _cut(x, dims[0], picks[dims[0]])) is not None:
        return reshape_to(cut, call.result.shape)
    position = positions(list(picks.values()), [t.shape[d] for d in dims])
    if dims[0] > 0 and dims == list(range(dims[0], t.rank)):
        return reshape_to(_gathered(x, dims[0], position), call.result.shape)
    return reshape_to(pick_rows(x, dims, position), call.result.shape)


def _cut(x: ir.Value, dim: int, index: ir.Value) -> ir.Value | None:
    """Return a slice of `x` along a dimension; None unless the positions are constant and consecutive."""
    made_by, extent = defining_op(index), read_type(x.type).shape[dim]
    known = None if made_by is None else _elements(made_by)
    if known is None or not known.size:
        return None
    at = np.where(known < 0, known + extent, known).ravel()
    first, count = int(at[0]), at.size
    inside = first >= 0 and first + count <= extent
    return slice_along(x, dim, first, first + count) if inside and (at == first + np.arange(count)).all() else None


def _elements(made_by: ir.Operation) -> np.ndarray[Any, Any] | None:
    """Return the elements of a constant, a fill or a counter along one dimension; otherwise None."""
    match made_by.name:
        case "ttir.constant":
            return read_elements(made_by.attributes["value"])
        case "ttir.full":
            return np.full(read_type(made_by.results[0].type).shape, definition_of(made_by).attributes()["fill_value"])
        case "ttir.arange" if read_type(made_by.results[0].type).rank == 1:
            counts = definition_of(made_by).attributes()
            return np.arange(counts["start"], counts["end"], counts["step"])
    return None


def positions(indices: Sequence[ir.Value], extents: Sequence[int]) -> ir.Value:
    """Return row-major positions from an index for each extent."""
    types = [read_type(v.type) for v in indices]
    result = TensorType(broadcast(*(t.shape for t in types)), promote(*types))
    position, *rest = map(_from_front, indices, extents)
    for index, extent in zip(rest, extents[1:], strict=True):
        row = elementwise("multiply", position, extent, result=result)
        position = elementwise("add", row, _inside(index, extent, math.prod(extents)), result=result)
    return position


def _inside(index: ir.Value, extent: int, size: int) -> ir.Value:
    """Map an index out of its range behind all elements, instead of to another row."""
    if is_never_negative(index) and largest(index) < extent:
        return index
    t = read_type(index.type)
    within = compare("logical_and", compare("ge", index, 0), compare("lt", index, extent))
    return where(within, index, size, t)


def _from_front(index: ir.Value, extent: int) -> ir.Value:
    """Convert negative indices, which count from the end, to nonnegative ones."""
    if is_never_negative(index):
        return index
    t = read_type(index.type)
    return where(compare("lt", index, 0), elementwise("add", index, extent, result=t), index, t)


def _gathered(x: ir.Value, lead: int, position: ir.Value) -> ir.Value:
    """Gather the elements at `position` after `lead` leading dimensions."""
    shape = read_type(x.type).shape
    rows, count = math.prod(shape[:lead]), read_type(position.type).size
    index = broadcast_to(reshape_to(position, (1, count)), (rows, count))
    return ttir.gather(reshape_to(x, (rows, math.prod(shape[lead:]))), index, dim=1)


def pick_rows(x: ir.Value, dims: list[int], position: ir.Value) -> ir.Value:
    """Look up rows of the table indexed by `dims`; they replace adjacent `dims`, and otherwise come first."""
    shape, picked = read_type(x.type).shape, read_type(position.type).rank
    rest = [d for d in range(len(shape)) if d not in dims]
    width = math.prod(shape[d] for d in rest)
    table = reshape_to(permute_dims(x, (*dims, *rest)), (math.prod(shape[d] for d in dims), width))
    rows = ttir.embedding(position, table)
    lead = dims[0] if dims == list(range(dims[0], dims[-1] + 1)) else 0
    if lead == 0:
        return rows
    spread = reshape_to(rows, (*read_type(position.type).shape, *(shape[d] for d in rest)))
    front = range(picked, picked + lead)
    return permute_dims(spread, (*front, *range(picked), *range(picked + lead, picked + len(rest))))
