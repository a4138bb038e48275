"""Gathers of windows at computed positions; full dimensions become rows of a table."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from ttstack.dialects.ttir.build import concat_along, constant, permute_dims, reshape_to, splat
from ttstack.dialects.ttir.builders import ttir
from ttstack.dialects.types import read_type
from ttstack.frontends.stablehlo_to_ttir.operands import known_elements
from ttstack.frontends.stablehlo_to_ttir.positions import WindowStarts, WindowTable, components, counter, within
from ttstack.frontends.stablehlo_to_ttir.shape import cut
from ttstack.frontends.stablehlo_to_ttir.stablehlo_op import StablehloOp
from ttstack.frontends.stablehlo_to_ttir.table import StablehloConversionTable
from ttstack.mlir import ir, stablehlo
from ttstack.ops.types import DType, TensorType

CONVERSIONS = StablehloConversionTable()


@CONVERSIONS("gather", to="embedding gather maximum minimum multiply add permute reshape")
def _gather(call: StablehloOp) -> ir.Value:
    """Look up rows if dimensions are read in full, otherwise gather elements; starts are clamped."""
    n = stablehlo.GatherDimensionNumbers(call.attribute("dimension_numbers"))
    x, shape = call.tensor(0), call.types[0].shape
    sizes = call.integers("slice_sizes")
    if not call.result.size:
        return splat(0, call.result)
    parts = components(call.tensor(1), n.index_vector_dim)
    batch = read_type(parts[0].type).shape if parts else ()
    along = {d: within(v, 0, shape[d] - sizes[d]) for d, v in zip(n.start_index_map, parts, strict=True)}
    for d, at in zip(n.operand_batching_dims, n.start_indices_batching_dims, strict=True):
        along[d] = counter(batch, at - (at > n.index_vector_dim))
    moved = [d for d in along if sizes[d] != shape[d] or shape[d] == 1]
    along = {d: along[d] for d in moved}
    table = WindowTable.of(shape, sizes, moved)
    found = _rows(table, x, table.places(WindowStarts(batch, along)))
    dropped = {*n.collapsed_slice_dims, *n.operand_batching_dims}
    return _arrange(call, table, found, len(batch), tuple(n.offset_dims), dropped)


def _rows(table: WindowTable, x: ir.Value, places: ir.Value) -> ir.Value:
    """Return the rows at the positions, [batch, offsets, width]."""
    t = read_type(places.type)
    if table.width != 1:
        return ttir.embedding(places, table.matrix(x))
    flat = ttir.gather(reshape_to(x, (table.rows,)), reshape_to(places, (t.size,)), dim=0)
    return reshape_to(flat, (*t.shape, 1))


def _arrange(
    call: StablehloOp, table: WindowTable, found: ir.Value, batch: int, offset_dims: tuple[int, ...], dropped: set[int]
) -> ir.Value:
    """Permute dimensions to the order of the result."""
    shape = read_type(found.type).shape[:-1]
    apart = reshape_to(found, (*shape, *(table.shape[d] for d in table.whole)))
    names: list[int] = [-1 - b for b in range(batch)] + [*table.offsets, *table.whole]
    kept = iter(d for d in range(len(table.shape)) if d not in dropped)
    batches = iter(range(batch))
    wanted = [next(kept) if d in offset_dims else -1 - next(batches) for d in range(call.result.rank)]
    order = [names.index(name) for name in wanted if name in names]
    left = [i for i in range(len(names)) if i not in order]
    return reshape_to(permute_dims(apart, (*order, *left)), call.result.shape)


@CONVERSIONS("dynamic_slice", to="slice_static slice_dynamic concat maximum minimum add")
def _dynamic_slice(call: StablehloOp) -> ir.Value:
    """Clamp starts; constant ones give a static slice."""
    sizes = call.integers("slice_sizes")
    starts = clamp_starts(call, 1, sizes)
    fixed = [at for at in starts if isinstance(at, int)]
    if len(fixed) == len(starts):
        return cut(call.tensor(0), fixed, [at + size for at, size in zip(fixed, sizes, strict=True)])
    one = TensorType((1,), DType.I32)
    begins = concat_along([splat(at, one) if isinstance(at, int) else reshape_to(at, (1,)) for at in starts], 0)
    lengths = constant(np.array(sizes), one.with_shape((len(sizes),)))
    return ttir.slice_dynamic(call.tensor(0), begins, ttir.add(begins, lengths), result=call.result)


def clamp_starts(call: StablehloOp, first: int, sizes: Sequence[int]) -> list[int | ir.Value]:
    """Clamp scalar operands from `first` on to windows inside operand 0; return constants as numbers."""
    found: list[int | ir.Value] = []
    for d, (extent, size) in enumerate(zip(call.types[0].shape, sizes, strict=True)):
        start = call.tensor(first + d)
        number = known_elements(start)
        most = extent - size
        found.append(within(start, 0, most) if number is None and most else min(max(int(_one(number)), 0), most))
    return found


def _one(number: np.ndarray[Any, Any] | None) -> int:
    return 0 if number is None else number.item()
