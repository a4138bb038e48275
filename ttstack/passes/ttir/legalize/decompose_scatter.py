"""Decomposition of scatters with minimum and maximum."""

import math

from ttstack.dialects.base import definition_of
from ttstack.dialects.ttir.build import broadcast_to, permute_dims, reshape_to
from ttstack.dialects.ttir.builders import ttir
from ttstack.mlir import ir
from ttstack.ops.indexing import Scatter
from ttstack.ops.types import DType
from ttstack.passes.rewriting.pattern import Pattern
from ttstack.passes.ttir.queries.fill import cut_to, fill


def _scatter(op: ir.Operation) -> list[ir.Value] | None:
    """Compute the scattered or present value for each position and source, then reduce along the sources."""
    put, (x, index, source) = definition_of(op), op.operands
    assert isinstance(put, Scatter)
    kind, shape, count = put.scatter_reduce_type, put.input.shape, put.index.shape
    if kind not in ("min", "max") or not put.index.size:
        return None
    dim, rank = put.dim % put.input.rank, put.input.rank
    extent, source = shape[dim], cut_to(source, count)
    for d in (d for d in range(rank) if d != dim):
        index, source = fill(index, d, shape[d], extent), fill(source, d, shape[d])
    order = [*(d for d in range(rank) if d != dim), dim]
    lead = [shape[d] for d in order[:-1]]
    rows, whole = math.prod(lead), (math.prod(lead), extent, count[dim])
    current = broadcast_to(reshape_to(permute_dims(x, order), (rows, extent, 1)), whole)
    index, source = (reshape_to(permute_dims(v, order), (rows, 1, count[dim])) for v in (index, source))
    line = put.index.with_shape((1, extent, 1))
    positions = ttir.arange(result=line, start=0, end=extent, step=1, arange_dimension=1)
    hit = ttir.eq(index, positions, result=line.with_shape(whole).with_dtype(DType.I1))
    reduced = ttir.build(kind, ttir.where(hit, broadcast_to(source, whole), current), dim_arg=(2,), keep_dim=False)
    back = permute_dims(reshape_to(reduced, (*lead, extent)), sorted(range(rank), key=order.__getitem__))
    return [ttir.build({"min": "minimum", "max": "maximum"}[kind], x, back)]


SCATTERS: tuple[tuple[str, Pattern], ...] = (("ttir.scatter", _scatter),)
