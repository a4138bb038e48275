"""Reassociation of sums between two inverse reshapes."""

import math
from collections.abc import Iterator, Sequence

from ttstack.dialects.ttir import views
from ttstack.dialects.ttir.build import broadcast_to, reshape_to
from ttstack.dialects.ttir.builders import ttir
from ttstack.dialects.ttir.destination import pure_producer
from ttstack.dialects.types import read_type
from ttstack.mlir import ir
from ttstack.ops.index_map import IndexMap
from ttstack.ops.types import TILE
from ttstack.passes.rewriting.rewrite import rewrite
from ttstack.passes.stages import Stage
from ttstack.passes.ttir.queries.aliases import VIEWS
from ttstack.passes.ttir.queries.producers import find_producer, is_shared


@rewrite("reassociate-adds", stage=Stage.FORMS)
def reassociate_adds(op: views.Reshape) -> ir.Value | None:
    """`reshape(reshape(x) + a + b)` = `x + reshape(a + b)` except for rounding, if `a` and `b` are broadcast.

    It applies if the reshapes move elements between tiles. Attention scores then keep a row for each query while biases
    by height and by width are combined into one mask.
    """
    result = op.result_type
    if not result.dtype.is_float or is_shared(op.input):
        return None
    terms = [*_terms(op.input)]
    for i, term in enumerate(terms):
        x, others = _source(term), terms[:i] + terms[i + 1 :]
        if x is None or read_type(x.type) != result or not others or _keeps_tiles(term, x):
            continue
        if any(read_type(v.type).dtype != result.dtype or _is_full(v, term) for v in others):
            continue
        by = IndexMap.identity(read_type(term.type).shape).reshape(result.shape)
        return None if by is None else ttir.add(x, _reshape(_sum(others), by))
    return None


def _terms(total: ir.Value) -> Iterator[ir.Value]:
    """Yield the terms of a sum, through nested sums without other uses."""
    add = find_producer(total, "add")
    for value in () if add is None else add.operands:
        is_inner = find_producer(value, "add") is not None and not is_shared(value)
        yield from _terms(value) if is_inner else (value,)


def _source(value: ir.Value) -> ir.Value | None:
    """Return the value before a reshape."""
    view = pure_producer(value, *VIEWS)
    return None if view is None else view.operands[0]


def _keeps_tiles(term: ir.Value, x: ir.Value) -> bool:
    """Return True if a reshape keeps matrices, or splits rows at whole tiles."""
    (*_, rows, columns), (*_, before, width) = ((1, 1, *read_type(v.type).shape) for v in (term, x))
    return columns == width and (rows == before or (not rows % TILE and not before % TILE))


def _is_full(value: ir.Value, total: ir.Value) -> bool:
    return read_type(value.type).size == read_type(total.type).size


def _sum(values: Sequence[ir.Value]) -> ir.Value:
    total, *others = values
    for value in others:
        total = ttir.add(total, value)
    return total


def _reshape(value: ir.Value, by: IndexMap) -> ir.Value:
    """Reshape a value that broadcasts to a reshape's source, and repeat it only along merged dimensions."""
    own = (1,) * (len(by.source) - read_type(value.type).rank) + read_type(value.type).shape
    repeated = {axis for axis, extent in enumerate(own) if extent < by.source[axis]}
    is_kept = [all(part.axis in repeated for part in dim) for dim in by.dims]
    joined = {part.axis for dim, kept in zip(by.dims, is_kept, strict=True) if not kept for part in dim}
    expanded = tuple(by.source[axis] if axis in joined else extent for axis, extent in enumerate(own))
    extents = tuple(1 if kept else extent for kept, extent in zip(is_kept, by.shape, strict=True))
    if math.prod(expanded) != math.prod(extents):  # an axis is cut, and joined in part
        expanded, extents = by.source, by.shape
    return reshape_to(broadcast_to(value, expanded), extents)
