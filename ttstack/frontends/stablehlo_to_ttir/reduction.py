"""Reductions along dimensions: common ones, argmax and argmin, and any other region by pairwise combination."""

import math
from collections.abc import Sequence

from ttstack.dialects.ttir.build import broadcast_to, concat_along, permute_dims, reshape_to, slice_along
from ttstack.dialects.ttir.builders import ttir
from ttstack.dialects.types import read_type
from ttstack.frontends.stablehlo_to_ttir import body
from ttstack.frontends.stablehlo_to_ttir.eltwise import combine
from ttstack.frontends.stablehlo_to_ttir.operands import known_elements, neutral
from ttstack.frontends.stablehlo_to_ttir.stablehlo_op import StablehloOp
from ttstack.frontends.stablehlo_to_ttir.table import StablehloConversionTable
from ttstack.mlir import ir
from ttstack.ops.types import DType

CONVERSIONS = StablehloConversionTable()

_REDUCTIONS = {"sum": "sum", "prod": "prod", "max": "max", "min": "min", "and": "reduce_and", "or": "reduce_or"}
_COMBINES = {
    "sum": "add",
    "prod": "multiply",
    "max": "maximum",
    "min": "minimum",
    "and": "logical_and",
    "or": "logical_or",
}


@CONVERSIONS("reduce", to="sum prod max min reduce_and reduce_or argmax neg bitwise_not slice_static concat")
def _reduce(call: StablehloOp) -> Sequence[ir.Value]:
    """Use a TTIR reduction for common regions; otherwise combine neighbours repeatedly."""
    block, count = call.block(), len(call.operands) // 2
    dims = call.integers("dimensions")
    values, starts = call.operands[:count], call.operands[count:]
    if not dims:
        return values
    usual = body.kind(block)
    if usual and (usual not in ("and", "or") or call.result.dtype is DType.I1) and call.types[0].size:
        return [_usual(call, usual, dims)]
    if (which := _extreme(call, dims)) is not None:
        return _with_position(call, which, dims)
    return _halve(call, values, starts, dims)


def _usual(call: StablehloOp, usual: str, dims: tuple[int, ...]) -> ir.Value:
    reduced = ttir.build(_REDUCTIONS[usual], call.tensor(0), keep_dim=False, dim_arg=dims)
    return include_start(usual, reduced, call.tensor(1))


def include_start(usual: str, reduced: ir.Value, start: ir.Value) -> ir.Value:
    """Combine a reduction with its initial scalar, unless that is neutral."""
    if neutral(usual, start):
        return reduced
    t = read_type(reduced.type)
    result = t if usual in ("and", "or") else None
    return combine(_COMBINES[usual], reduced, reshape_to(start, (1,) * t.rank), result=result)


def _extreme(call: StablehloOp, dims: tuple[int, ...]) -> str | None:
    """Return `max` or `min` if the second operand is the index and the region selects by the first one."""
    if len(call.operands) != 4 or len(dims) != 1 or not call.types[0].size or not body.counts(call.tensor(1), dims[0]):
        return None
    which = body.picks(call.block())
    start = known_elements(call.tensor(3))
    fits = which is not None and neutral(which, call.tensor(2)) and start is not None and start.item() == 0
    return which if fits else None


def _with_position(call: StablehloOp, which: str, dims: tuple[int, ...]) -> Sequence[ir.Value]:
    x, t = call.tensor(0), call.types[0]
    best = ttir.build(which, x, keep_dim=False, dim_arg=dims)
    turned = x if which == "max" else (ttir.neg if t.dtype.is_float else ttir.bitwise_not)(x)
    return [best, ttir.argmax(turned, result=call.results[1], keep_dim=False, dim_arg=dims)]


def _halve(
    call: StablehloOp, values: Sequence[ir.Value], starts: Sequence[ir.Value], dims: tuple[int, ...]
) -> Sequence[ir.Value]:
    t = call.types[0]
    kept = [d for d in range(t.rank) if d not in dims]
    shape = tuple(t.shape[d] for d in kept)
    rows = [reshape_to(permute_dims(v, (*kept, *dims)), (*shape, math.prod(t.shape[d] for d in dims))) for v in values]
    ends = [broadcast_to(v, (*shape, 1)) for v in starts]
    if read_type(rows[0].type).shape[-1]:
        ends = body.apply_region(call, call.block(), [*ends, *reduce_by_halves(call, rows)])
    return [reshape_to(v, shape) for v in ends]


def reduce_by_halves(call: StablehloOp, rows: Sequence[ir.Value]) -> Sequence[ir.Value]:
    """Combine all elements of the last dimension by the region, neighbours first, which keeps the order."""
    dim = read_type(rows[0].type).rank - 1
    while (extent := read_type(rows[0].type).shape[dim]) > 1:
        even = extent - extent % 2
        pairs = [slice_along(v, dim, first, even, 2) for first in (0, 1) for v in rows]
        done = body.apply_region(call, call.block(), pairs)
        rest = [[slice_along(v, dim, even, extent)] if extent > even else [] for v in rows]
        rows = [concat_along([v, *left], dim) for v, left in zip(done, rest, strict=True)]
    return rows
