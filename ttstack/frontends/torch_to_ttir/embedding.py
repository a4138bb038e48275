"""Lookups: rows picked by index, pooled or not."""

import math
from collections.abc import Sequence

from ttstack.dialects.ttir.build import permuted, reshaped, ttir
from ttstack.dialects.types import read_type
from ttstack.frontends.torch_to_ttir.call import Call
from ttstack.frontends.torch_to_ttir.table import ConversionTable
from ttstack.frontends.torch_to_ttir.values import broadcast_to, elementwise
from ttstack.mlir import ir
from ttstack.ops.shapes import axis, broadcast, promote
from ttstack.ops.types import DType, TensorType

CONVERSIONS = ConversionTable()

_MODES = ("sum", "mean", "max")


@CONVERSIONS("embedding", to="embedding")
def _embedding(call: Call) -> ir.Value:
    """The row of each index."""
    return ttir("embedding", [call.tensor(1), call.tensor(0)])


@CONVERSIONS("embedding_bag.padding_idx", to="embedding_bag")
def _embedding_bag(call: Call) -> list[ir.Value]:
    """Pooled rows; the other three results serve training and must not be used."""
    if any(call.used(i) for i in range(1, len(call.results))):
        call.refuse("is used for more than its pooled rows", "only the first result is computed")
    bags = ttir(
        "embedding_bag",
        [call.tensor(1), call.tensor(0), call.tensor(2), call.optional(6)],
        mode=_MODES[call.integer(4)],
        include_last_offset=call.flag(7),
        padding_idx=-1 if call.is_none(8) else call.integer(8),
    )
    return [bags] * len(call.results)


@CONVERSIONS("index_select", to="embedding permute reshape")
def _index_select(call: Call) -> ir.Value:
    """Rows of a table that the picked dimension leads."""
    x = call.tensor(0)
    dim = axis(call.integer(1), read_type(x.type).rank)
    return reshaped(_picked(x, [dim], reshaped(call.tensor(2), call.result.shape[dim : dim + 1])), call.result.shape)


@CONVERSIONS("index.Tensor", to="embedding gather multiply add reshape permute broadcast")
def _index(call: Call) -> ir.Value:
    """Positions in row-major order, then a gather where the last dimensions are indexed, else a lookup of rows."""
    x, indices = call.tensor(0), dict(enumerate(call.optionals(1)))
    picks = {d: v for d, v in indices.items() if v is not None}
    if any(read_type(v.type).dtype is DType.I1 for v in picks.values()):
        call.refuse("picks by a mask", "the number of picked elements must not depend on values")
    t, dims = read_type(x.type), list(picks)
    position = _positions(list(picks.values()), [t.shape[d] for d in dims])
    if dims[0] > 0 and dims == list(range(dims[0], t.rank)):
        return reshaped(_gathered(x, dims[0], position), call.result.shape)
    return reshaped(_picked(x, dims, position), call.result.shape)


def _positions(indices: Sequence[ir.Value], extents: Sequence[int]) -> ir.Value:
    """One row-major position from an index for each extent."""
    types = [read_type(v.type) for v in indices]
    result = TensorType(broadcast(*(t.shape for t in types)), promote(*types))
    position, *rest = indices
    for index, extent in zip(rest, extents[1:], strict=True):
        row = elementwise("multiply", position, extent, result=result)
        position = elementwise("add", row, index, result=result)
    return position


def _gathered(x: ir.Value, lead: int, position: ir.Value) -> ir.Value:
    """For each of the leading `lead` dimensions, the elements at `position` of what follows them."""
    shape = read_type(x.type).shape
    rows, count = math.prod(shape[:lead]), read_type(position.type).size
    index = broadcast_to(reshaped(position, (1, count)), (rows, count))
    return ttir("gather", [reshaped(x, (rows, math.prod(shape[lead:]))), index], dim=1)


def _picked(x: ir.Value, dims: list[int], position: ir.Value) -> ir.Value:
    """Rows of the table that `dims` lead; their place is that of `dims` where those are adjacent, else in front."""
    shape, picked = read_type(x.type).shape, read_type(position.type).rank
    rest = [d for d in range(len(shape)) if d not in dims]
    width = math.prod(shape[d] for d in rest)
    table = reshaped(permuted(x, (*dims, *rest)), (math.prod(shape[d] for d in dims), width))
    rows = ttir("embedding", [position, table])
    lead = dims[0] if dims == list(range(dims[0], dims[-1] + 1)) else 0
    if lead == 0:
        return rows
    spread = reshaped(rows, (*read_type(position.type).shape, *(shape[d] for d in rest)))
    front = range(picked, picked + lead)
    return permuted(spread, (*front, *range(picked), *range(picked + lead, picked + len(rest))))
