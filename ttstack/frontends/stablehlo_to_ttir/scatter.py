"""Scatters to computed positions: into windows, into slices, and to the selected elements of windows."""

from collections.abc import Sequence

import numpy as np

from ttstack.dialects.ttir.build import (
    broadcast_to,
    concat_along,
    constant,
    permute_dims,
    reshape_to,
    scalar,
    slice_along,
    splat,
)
from ttstack.dialects.ttir.builders import ttir
from ttstack.dialects.types import read_type
from ttstack.frontends.limits import TAPS
from ttstack.frontends.stablehlo_to_ttir import body
from ttstack.frontends.stablehlo_to_ttir.gather import clamp_starts
from ttstack.frontends.stablehlo_to_ttir.positions import WindowStarts, WindowTable, components, counter, within
from ttstack.frontends.stablehlo_to_ttir.shape import pad_around
from ttstack.frontends.stablehlo_to_ttir.stablehlo_op import StablehloOp
from ttstack.frontends.stablehlo_to_ttir.table import StablehloConversionTable
from ttstack.frontends.stablehlo_to_ttir.window import Windows
from ttstack.mlir import ir, stablehlo
from ttstack.ops.types import DType, TensorType

CONVERSIONS = StablehloConversionTable()

_REPLACE = "invalid"
"""The kind of `ttir.scatter` that replaces present values."""


@CONVERSIONS("scatter", to="scatter concat slice_static ge lt logical_and where multiply add permute reshape")
def _scatter(call: StablehloOp) -> Sequence[ir.Value]:
    """Scatter rows of a table; rows out of range go to an extra row, which is sliced off."""
    n = stablehlo.ScatterDimensionNumbers(call.attribute("scatter_dimension_numbers"))
    count = len(call.operands) // 2
    shape, updates = call.types[0].shape, call.types[count + 1].shape
    if not call.types[count + 1].size or not call.types[0].size:
        return call.operands[:count]
    given = iter(n.update_window_dims)
    single = {*n.inserted_window_dims, *n.input_batching_dims}
    sizes = tuple(1 if d in single else updates[next(given)] for d in range(len(shape)))
    parts = components(call.tensor(count), n.index_vector_dim)
    batch = tuple(e for d, e in enumerate(updates) if d not in n.update_window_dims)
    along = {d: within(v, -sizes[d], shape[d]) for d, v in zip(n.scattered_dims_to_operand_dims, parts, strict=True)}
    for d, at in zip(n.input_batching_dims, n.scatter_indices_batching_dims, strict=True):
        along[d] = counter(batch, at - (at > n.index_vector_dim))
    table, starts = WindowTable.of(shape, sizes, list(along)), WindowStarts(batch, along)
    places = table.places(starts)
    if (inside := table.inside(starts)) is not None:
        places = ttir.where(inside, places, scalar(table.rows, read_type(places.type)))
    order = _order(n.update_window_dims, [d for d in range(len(shape)) if d not in single], table, len(updates))
    return [
        _write(table, x, places, permute_dims(source, order), how)
        for x, source, how in zip(call.operands, call.operands[count + 1 :], _kinds(call, count), strict=False)
    ]


def _order(window_dims: Sequence[int], kept: Sequence[int], table: WindowTable, rank: int) -> tuple[int, ...]:
    """Return the permutation of updates to [batch, offsets, full dimensions]; unit dimensions count as offsets."""
    place = dict(zip(kept, window_dims, strict=True))
    batch = [d for d in range(rank) if d not in window_dims]
    return (*batch, *(place[d] for d in (*table.picked, *table.whole) if d in place))


def _kinds(call: StablehloOp, count: int) -> list[str]:
    """Return how each operand is combined with its updates."""
    block = call.block()
    if (usual := body.kind(block)) is not None:
        bools = call.types[0].dtype is DType.I1
        if usual in ("and", "or") and not bools:
            call.refuse(f"combines by {usual} bit by bit", "add, multiply, min, max or replace")
        return [{"and": "min", "or": "max"}.get(usual, usual)]
    if body.region_results(block) != list(block.arguments)[count:]:
        call.refuse("combines values in a way of its own", "add, multiply, min, max or replace")
    return [_REPLACE] * count


def _write(table: WindowTable, x: ir.Value, places: ir.Value, source: ir.Value, how: str) -> ir.Value:
    t = read_type(x.type)
    count, width = read_type(places.type).size, table.width
    beyond = splat(0, t.with_shape((1, width)))
    index = broadcast_to(reshape_to(places, (count, 1)), (count, width))
    operands = [concat_along([table.matrix(x), beyond], 0), index, reshape_to(source, (count, width))]
    done = ttir.scatter(*operands, dim=0, scatter_reduce_type=how)
    return table.operand(slice_along(done, 0, 0, table.rows))


@CONVERSIONS("dynamic_update_slice", to="slice_static concat scatter maximum minimum add broadcast")
def _dynamic_update_slice(call: StablehloOp) -> ir.Value:
    """Clamp starts; with constant ones, concatenate the parts before, the update, and the parts after."""
    x, update = call.tensor(0), call.tensor(1)
    shape, sizes = call.types[0].shape, call.types[1].shape
    if not call.types[1].size:
        return x
    starts = clamp_starts(call, 2, sizes)
    fixed = [at for at in starts if isinstance(at, int)]
    if len(fixed) == len(starts):
        return _replace(x, update, fixed)
    moved = [d for d, (extent, size) in enumerate(zip(shape, sizes, strict=True)) if size != extent]
    scalars = {d: splat(at, TensorType((), DType.I32)) if isinstance(at, int) else at for d, at in enumerate(starts)}
    if len(moved) == 1:
        return _along_one(x, update, moved[0], scalars[moved[0]])
    table, where = WindowTable.of(shape, sizes, moved), WindowStarts((), {d: scalars[d] for d in moved})
    order = (*table.picked, *table.whole)
    return _write(table, x, table.places(where), permute_dims(update, order), _REPLACE)


def _replace(x: ir.Value, update: ir.Value, starts: Sequence[int]) -> ir.Value:
    """Replace a part of `x` at constant starts: along the first dimension that it does not fill, then inside."""
    shape, sizes = read_type(x.type).shape, read_type(update.type).shape
    dim = next((d for d, (extent, size) in enumerate(zip(shape, sizes, strict=True)) if extent != size), None)
    if dim is None:
        return update
    begin, end = starts[dim], starts[dim] + sizes[dim]
    inner = _replace(slice_along(x, dim, begin, end), update, [0 if d == dim else at for d, at in enumerate(starts)])
    around = [
        slice_along(x, dim, *bounds) if bounds[0] < bounds[1] else None for bounds in ((0, begin), (end, shape[dim]))
    ]
    return concat_along([part for part in (around[0], inner, around[1]) if part is not None], dim)


def _along_one(x: ir.Value, update: ir.Value, dim: int, start: ir.Value) -> ir.Value:
    """Write the update at a computed start along one dimension."""
    sizes = read_type(update.type).shape
    line = tuple(size if d == dim else 1 for d, size in enumerate(sizes))
    offsets = constant(np.arange(sizes[dim]).reshape(line), TensorType(line, DType.I32))
    index = ttir.add(offsets, reshape_to(start, (1,) * len(sizes)))
    return ttir.scatter(x, broadcast_to(index, sizes), update, dim=dim)


@CONVERSIONS("select_and_scatter", to="scatter slice_static where broadcast constant reshape pad")
def _select_and_scatter(call: StablehloOp) -> ir.Value:
    """Compute the position selected by each window, tap by tap, then scatter."""
    windows, t, counts = Windows.of(call), call.types[0], call.types[1].shape
    taps = list(windows.taps())
    if len(taps) > TAPS:
        call.refuse(f"has windows of {len(taps)} elements", f"at most {TAPS} are supported")
    how = _kind_of_source(call)
    start = call.tensor(2)
    x = pad_around(call.tensor(0), start, windows.low, windows.high)
    numbers = np.pad(
        np.arange(t.size).reshape(t.shape), list(zip(windows.low, windows.high, strict=True)), constant_values=-1
    )
    best: tuple[ir.Value, ir.Value] | None = None
    for tap in taps:
        place = numbers[
            tuple(slice(a, a + (n - 1) * s + 1, s) for a, n, s in zip(tap, counts, windows.strides, strict=True))
        ]
        seen = windows.take_tap(x, tap, counts), constant(place, TensorType(counts, DType.I32))
        best = seen if best is None else _better(call, best, seen)
    assert best is not None
    flat, source = splat(0, t.with_shape((t.size + 1,))), reshape_to(call.tensor(1), (call.types[1].size,))
    flat = ttir.add(flat, reshape_to(start, (1,))) if how == "sum" else broadcast_to(start, (t.size + 1,))
    index = reshape_to(best[1], (call.types[1].size,))
    index = ttir.where(_is_inside(index), index, scalar(t.size, read_type(index.type)))
    done = ttir.scatter(flat, index, source, dim=0, scatter_reduce_type=how)
    return reshape_to(slice_along(done, 0, 0, t.size), t.shape)


def _kind_of_source(call: StablehloOp) -> str:
    """Return how a value is combined with the present one."""
    usual = body.kind(call.block(1))
    if usual not in ("sum", "prod", "max", "min"):
        call.refuse("combines values in a way of its own", "add, multiply, min or max")
    return usual


def _is_inside(index: ir.Value) -> ir.Value:
    t = read_type(index.type)
    return ttir.ge(index, scalar(0, t), result=t.with_dtype(DType.I1))


def _better(
    call: StablehloOp, best: tuple[ir.Value, ir.Value], seen: tuple[ir.Value, ir.Value]
) -> tuple[ir.Value, ir.Value]:
    """Return the better of the current and the next element by the region; padding is never selected."""
    (keep,) = body.apply_region(call, call.block(), [best[0], seen[0]])
    bools = read_type(keep.type)
    keep = ttir.logical_and(keep, _is_inside(best[1]), result=bools)
    outside = ttir.logical_not(_is_inside(seen[1]), result=bools)
    keep = ttir.logical_or(keep, outside, result=bools)
    return ttir.where(keep, best[0], seen[0]), ttir.where(keep, best[1], seen[1])
