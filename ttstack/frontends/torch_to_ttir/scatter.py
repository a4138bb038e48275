"""Values written into a tensor: by index, into a slice, or everywhere."""

import math
from collections.abc import Mapping
from functools import partial

import numpy as np

from ttstack.dialects.ttir.build import (
    broadcast_to,
    cast,
    concat_along,
    constant,
    elementwise,
    permute_dims,
    reshape_to,
    scalar,
    slice_along,
    splat,
)
from ttstack.dialects.ttir.builders import ttir
from ttstack.dialects.types import read_type
from ttstack.frontends.torch_to_ttir.eltwise import where
from ttstack.frontends.torch_to_ttir.indexing import positions
from ttstack.frontends.torch_to_ttir.scalar_lines import on_lines
from ttstack.frontends.torch_to_ttir.table import TorchConversionTable
from ttstack.frontends.torch_to_ttir.torch_op import TorchOp
from ttstack.mlir import ir
from ttstack.ops.shapes import axis
from ttstack.ops.types import DType, TensorType

CONVERSIONS = TorchConversionTable()

_KINDS = {"sum": "sum", "add": "sum", "prod": "prod", "multiply": "prod", "amax": "max", "amin": "min"}
_NEUTRAL = {"sum": 0.0, "prod": 1.0, "max": -math.inf, "min": math.inf}
_REPLACE = "invalid"
"""The kind of `ttir.scatter` that replaces present values."""


@CONVERSIONS("scatter.src", "scatter.value", to="scatter broadcast")
def _scatter(call: TorchOp) -> ir.Value:
    """Replace elements along one dimension."""
    return _scattered(call, call.operand(3), _REPLACE)


@CONVERSIONS("scatter_add", to="scatter")
def _scatter_add(call: TorchOp) -> ir.Value:
    """Add to elements along one dimension."""
    return _scattered(call, call.operand(3), "sum")


@CONVERSIONS("scatter.reduce", to="scatter")
def _scatter_reduce(call: TorchOp) -> ir.Value:
    """Add to or multiply elements along one dimension."""
    return _scattered(call, call.operand(3), _kind(call, 4))


_MEAN = "scatter broadcast ones add maximum div zeros"


@CONVERSIONS("scatter_reduce.two", to=_MEAN)
def _scatter_reduce_two(call: TorchOp) -> ir.Value:
    """Combine elements along one dimension; excluded ones are set to the neutral element first."""
    return _combine(call, call.tensor(2), call.tensor(3), call.text(4), own=call.flag(5))


@CONVERSIONS("index_reduce", to=f"{_MEAN} reshape")
@on_lines
def _index_reduce(call: TorchOp) -> ir.Value:
    """Combine slices of the source with the indexed ones."""
    source, dim = call.tensor(3), axis(call.integer(1), call.result.rank)
    index = _index_of(call, dim, read_type(source.type).shape)
    return _combine(call, index, source, call.text(4), own=call.flag(5))


@CONVERSIONS("put", to="scatter reshape lt add where")
def _put(call: TorchOp) -> ir.Value:
    """Replace or add to elements at row-major positions."""
    x, index, values = (reshape_to(v, (read_type(v.type).size,)) for v in (call.tensor(i) for i in range(3)))
    kind = "sum" if call.flag(3) else _REPLACE
    position = positions([index], [call.result.size])
    return reshape_to(ttir.scatter(x, position, values, dim=0, scatter_reduce_type=kind), call.result.shape)


def _combine(call: TorchOp, index: ir.Value, source: ir.Value, reduction: str, *, own: bool) -> ir.Value:
    """Combine `source` with present values, or only with the neutral element unless `own`."""
    if reduction == "mean":
        return _average(call, index, source, own=own)
    if reduction not in _KINDS:
        call.refuse(f"reduces by {reduction!r}", f"{', '.join(_KINDS)} and mean are supported")
    kind, x = _KINDS[reduction], call.tensor(0)
    if not own and not call.result.dtype.is_float and kind in ("max", "min"):
        call.refuse("leaves out what was there", "call it with include_self=True, or on real numbers")
    if not own:
        neutral = splat(_NEUTRAL[kind], read_type(source.type))
        x = ttir.scatter(x, index, neutral, dim=call.integer(1), scatter_reduce_type=_REPLACE)
    return ttir.scatter(x, index, source, dim=call.integer(1), scatter_reduce_type=kind)


def _average(call: TorchOp, index: ir.Value, source: ir.Value, *, own: bool) -> ir.Value:
    """Divide the sum by the number of included values."""
    if not call.result.dtype.is_float:
        call.refuse("averages integers", "call it on real numbers")
    attributes = {"dim": call.integer(1), "scatter_reduce_type": "sum"}
    x, f, given = call.tensor(0), partial(elementwise, result=call.result), read_type(source.type)
    ones = ttir.scatter(splat(own, call.result), index, splat(1, given), **attributes)
    if not own:
        x = ttir.scatter(x, index, splat(0, given), dim=call.integer(1))
    return f("div", ttir.scatter(x, index, source, **attributes), f("maximum", ones, 1))


def _kind(call: TorchOp, i: int) -> str:
    name = call.text(i)
    if name not in _KINDS:
        call.refuse(f"reduces by {name!r}", "sum, prod, amax and amin are supported")
    return _KINDS[name]


def _scattered(call: TorchOp, source: ir.Value | float, kind: str) -> ir.Value:
    x, index = call.tensor(0), call.tensor(2)
    t = read_type(index.type)
    values = source if isinstance(source, ir.Value) else scalar(source, call.result)
    values = broadcast_to(values, t.shape) if read_type(values.type).size == 1 else values
    return ttir.scatter(x, index, values, dim=call.integer(1), scatter_reduce_type=kind)


@CONVERSIONS("index_add", "index_copy", to="scatter reshape broadcast multiply")
@on_lines
def _index_add(call: TorchOp) -> ir.Value:
    """Add slices of the source to the indexed ones, or replace them."""
    dim, source = axis(call.integer(1), call.result.rank), call.tensor(3)
    shape = read_type(source.type).shape
    adds = "index_add" in call.name
    if adds and call.number(4) != 1:
        source = elementwise("multiply", source, call.number(4), result=read_type(source.type))
    kind = "sum" if adds else _REPLACE
    return ttir.scatter(call.tensor(0), _index_of(call, dim, shape), source, dim=dim, scatter_reduce_type=kind)


@CONVERSIONS("index_fill.int_Scalar", to="scatter reshape broadcast")
@on_lines
def _index_fill(call: TorchOp) -> ir.Value:
    """Fill the indexed slices with a number."""
    dim, shape = axis(call.integer(1), call.result.rank), list(call.result.shape)
    shape[dim] = read_type(call.tensor(2).type).size
    values = broadcast_to(scalar(call.number(3), call.result), tuple(shape))
    return ttir.scatter(call.tensor(0), _index_of(call, dim, tuple(shape)), values, dim=dim)


def _index_of(call: TorchOp, dim: int, shape: tuple[int, ...]) -> ir.Value:
    """Return the index for each element of a source of that shape."""
    line = [1] * len(shape)
    line[dim] = shape[dim]
    return broadcast_to(reshape_to(call.tensor(2), line), shape)


@CONVERSIONS("index_put", to="scatter lt ge logical_and where multiply add reshape permute broadcast")
def _index_put(call: TorchOp) -> ir.Value:
    """Scatter rows; a mask with one value becomes a selection."""
    picks = {d: v for d, v in enumerate(call.optionals(1)) if v is not None}
    if any(read_type(v.type).dtype is DType.I1 for v in picks.values()):
        return _mask(call, picks)
    x, values, dims = call.tensor(0), cast(call.tensor(2), call.result.dtype), list(picks)
    shape = call.result.shape
    position = positions(list(picks.values()), [shape[d] for d in dims])
    kind = "sum" if call.flag(3) else _REPLACE
    if len(dims) == 1 and read_type(position.type).rank <= 1:
        return _along(x, dims[0], position, values, kind)
    rest = [d for d in range(len(shape)) if d not in dims]
    order = (*dims, *rest)
    count, width = read_type(position.type).size, math.prod(shape[d] for d in rest)
    source = reshape_to(_rows(values, dims, shape, read_type(position.type).shape), (count, width))
    table = reshape_to(permute_dims(x, order), (math.prod(shape[d] for d in dims), width))
    index = broadcast_to(reshape_to(position, (count, 1)), (count, width))
    written = ttir.scatter(table, index, source, dim=0, scatter_reduce_type=kind)
    back = tuple(order.index(d) for d in range(len(shape)))
    return permute_dims(reshape_to(written, tuple(shape[d] for d in order)), back)


def _along(x: ir.Value, dim: int, position: ir.Value, values: ir.Value, kind: str) -> ir.Value:
    """Scatter along the only indexed dimension."""
    shape, count = list(read_type(x.type).shape), read_type(position.type).size
    if not read_type(position.type).rank:
        values = reshape_to(
            broadcast_to(values, (*shape[:dim], *shape[dim + 1 :])), (*shape[:dim], 1, *shape[dim + 1 :])
        )
    shape[dim] = count
    index = broadcast_to(reshape_to(position, (*(1,) * dim, count, *(1,) * (len(shape) - dim - 1))), tuple(shape))
    source = broadcast_to(values, tuple(shape))
    return ttir.scatter(x, index, source, dim=dim, scatter_reduce_type=kind)


def _rows(values: ir.Value, dims: list[int], shape: tuple[int, ...], picked: tuple[int, ...]) -> ir.Value:
    """Return values with the indexed dimensions first; before, they are at the first of adjacent indices."""
    lead = dims[0] if dims == list(range(dims[0], dims[-1] + 1)) else 0
    rest = [extent for d, extent in enumerate(shape) if d not in dims]
    full = broadcast_to(values, (*rest[:lead], *picked, *rest[lead:]))
    middle, rank = len(picked), len(picked) + len(rest)
    return permute_dims(full, (*range(lead, lead + middle), *range(lead), *range(lead + middle, rank)))


def _mask(call: TorchOp, picks: Mapping[int, ir.Value]) -> ir.Value:
    values, mask = call.tensor(2), picks.get(0)
    if mask is None or len(picks) > 1 or read_type(values.type).size != 1 or call.flag(3):
        call.refuse("writes several values by a mask", "write torch.where(mask, values, x)")
    shape = read_type(mask.type).shape
    mask = reshape_to(mask, (*shape, *(1,) * (call.result.rank - len(shape))))
    return where(mask, reshape_to(values, (1,) * call.result.rank), call.tensor(0), call.result)


@CONVERSIONS("slice_scatter", to="slice_static concat scatter constant broadcast")
def _slice_scatter(call: TorchOp) -> ir.Value:
    """Concatenate the part before, the source, and the part after; scatter for a slice with steps."""
    x, source = call.tensor(0), cast(call.tensor(1), call.result.dtype)
    shape = call.result.shape
    dim = axis(call.integer(2), len(shape))
    start, end = (None if call.is_none(i) else call.integer(i) for i in (3, 4))
    begin, end, step = slice(start, end, call.integer(5)).indices(shape[dim])
    if step == 1:
        return _replace(x, source, dim, begin)
    line = [1] * len(shape)
    line[dim] = read_type(source.type).shape[dim]
    places = np.arange(begin, end, step).reshape(line)
    index = constant(places, TensorType(tuple(line), DType.I32))
    return ttir.scatter(x, broadcast_to(index, read_type(source.type).shape), source, dim=dim)


@CONVERSIONS("select_scatter", to="slice_static concat reshape")
def _select_scatter(call: TorchOp) -> ir.Value:
    """Concatenate the part before, the source as a slice of one, and the part after."""
    shape = call.result.shape
    dim = axis(call.integer(2), len(shape))
    source = reshape_to(cast(call.tensor(1), call.result.dtype), (*shape[:dim], 1, *shape[dim + 1 :]))
    return _replace(call.tensor(0), source, dim, axis(call.integer(3), shape[dim], "index"))


@CONVERSIONS("diagonal_scatter", to="permute reshape scatter constant")
def _diagonal_scatter(call: TorchOp) -> ir.Value:
    """Replace the elements of a diagonal."""
    x, source, offset = call.tensor(0), call.tensor(1), call.integer(2)
    rank = call.result.rank
    dims = [axis(call.integer(i), rank) for i in (3, 4)]
    order = [*(d for d in range(rank) if d not in dims), *dims]
    x = permute_dims(x, order)
    *lead, rows, columns = shape = read_type(x.type).shape
    count = read_type(source.type).shape[-1]
    begin = offset if offset >= 0 else -offset * columns
    places = np.broadcast_to(begin + np.arange(count) * (columns + 1), (*lead, count))
    index = constant(places, TensorType((*lead, count), DType.I32))
    written = ttir.scatter(reshape_to(x, (*lead, rows * columns)), index, source, dim=len(lead))
    return permute_dims(reshape_to(written, shape), [order.index(d) for d in range(rank)])


def _replace(x: ir.Value, source: ir.Value, dim: int, begin: int) -> ir.Value:
    extent, length = (read_type(v.type).shape[dim] for v in (x, source))
    if not length:
        return x
    bounds = [(0, begin), (begin + length, extent)]
    before, after = ([slice_along(x, dim, low, high)] if low < high else [] for low, high in bounds)
    return concat_along([*before, source, *after], dim)


@CONVERSIONS("copy", "fill.Tensor", to="broadcast reshape")
def _copy(call: TorchOp) -> ir.Value:
    """Broadcast and cast the source to the result's type."""
    return broadcast_to(cast(call.tensor(1), call.result.dtype), call.result.shape)
