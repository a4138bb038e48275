"""Values filled up along a dimension where the parts are joined that they are made of."""

import math

from ttstack.dialects.base import definition_of
from ttstack.dialects.ttir.build import permute_dims
from ttstack.dialects.ttir.builders import ttir
from ttstack.dialects.ttir.destination import pure_producer
from ttstack.dialects.types import read_type
from ttstack.mlir import ir
from ttstack.ops.movement import Permutation
from ttstack.passes.ttir.matmuls.fan_in_cone import StandIns
from ttstack.passes.ttir.queries.aliases import VIEWS
from ttstack.passes.ttir.queries.fill import fill
from ttstack.passes.ttir.queries.producers import concat_dim
from ttstack.passes.ttir.queries.shape_chains import PERMUTATIONS


def fill_parts(value: ir.Value, dim: int, extent: int, at: StandIns) -> ir.Value:
    """`value` with more at the end of a dimension, so that it has that extent: a part again, else zeros.

    What `at` takes as it is stays so, and is filled up itself.
    """
    shape, op = read_type(value.type).shape, pure_producer(value, *PERMUTATIONS, *VIEWS, "ttir.concat")
    if op is None or shape[dim] == extent or not at.makes(value):
        return fill(at(value), dim, extent)
    with op.location:
        return _filled(op, dim, extent, at)


def _filled(op: ir.Operation, dim: int, extent: int, at: StandIns) -> ir.Value:
    source, value = op.operands[0], op.results[0]
    if op.name in PERMUTATIONS:
        permutation = definition_of(op)
        assert isinstance(permutation, Permutation)
        return permute_dims(fill_parts(source, permutation.order[dim], extent, at), permutation.order)
    if op.name == "ttir.concat":
        return _repeated(op, dim, extent, at) or fill(at(value), dim, extent)
    shape = read_type(value.type).shape
    before = _dim_before(read_type(source.type).shape, shape, dim)
    if before is None:
        return fill(at(value), dim, extent)
    axis, inner = before
    filled = fill_parts(source, axis, extent * inner, at)
    return ttir.reshape(filled, shape=(*shape[:dim], extent, *shape[dim + 1 :]))


def _repeated(concat: ir.Operation, dim: int, extent: int, at: StandIns) -> ir.Value | None:
    """All parts, and one of them as often as fills up the rest; None where none does."""
    if concat_dim(concat) != dim:
        return None
    missing = extent - read_type(concat.results[0].type).shape[dim]
    parts = [(at(part), read_type(part.type).shape[dim]) for part in concat.operands]
    again = [[part] * (missing // size) for part, size in parts if size and missing % size == 0]
    return ttir.concat(*(part for part, _ in parts), *again[0], dim=dim) if again else None


def _dim_before(source: tuple[int, ...], shape: tuple[int, ...], dim: int) -> tuple[int, int] | None:
    """The dimension of a source that holds this one of its reshape first, and the elements that it has inside of it."""
    outer = math.prod(shape[:dim])
    inners = {math.prod(shape[dim + 1 : end]) for end in range(dim + 1, len(shape) + 1)}
    for axis, size in enumerate(source):
        if math.prod(source[:axis]) == outer and size % shape[dim] == 0 and size // shape[dim] in inners and size > 1:
            return axis, size // shape[dim]
    return None
