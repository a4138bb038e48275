"""Factors that are smaller than what they scale are multiplied with each other first."""

import math

from ttstack.dialects.ttir.build import reshape_to
from ttstack.dialects.ttir.builders import ttir
from ttstack.dialects.types import read_type
from ttstack.mlir import ir
from ttstack.ops.shapes import broadcast
from ttstack.passes.base import Pass
from ttstack.passes.rewriting.pattern import apply_patterns
from ttstack.passes.ttir.queries.producers import find_producer


class ReassociateMultiplies(Pass, name="reassociate-multiplies"):
    """Three factors begin with two whose product is smaller than what the first two as they stand give.

    A state space model scales a row by columns, and what comes of it by other columns: `(a * row) * b`, which is
    `(a * b) * row` but for rounding, with one large product in place of two.
    """

    def run(self, module: ir.Module) -> None:
        """Rewrite to a fixpoint."""
        apply_patterns(module, [("ttir.multiply", _reordered)])


def _reordered(op: ir.Operation) -> list[ir.Value] | None:
    for inner, last in (op.operands, reversed([*op.operands])):
        made = find_producer(inner, "multiply")
        if made is None or len(list(inner.uses)) > 1 or not _is_real(op, made):
            continue
        for factor, other in (made.operands, reversed([*made.operands])):
            if _size(factor, last) < read_type(inner.type).size:
                return [ttir.multiply(_multiplied(factor, last), other)]
    return None


def _is_real(*ops: ir.Operation) -> bool:
    """Whether all is of one element type of real numbers, in which the order of factors is a matter of rounding."""
    kinds = {read_type(v.type).dtype for op in ops for v in (*op.operands, *op.results)}
    return len(kinds) == 1 and all(kind.is_float for kind in kinds)


def _size(a: ir.Value, b: ir.Value) -> int:
    """Elements of the product of two."""
    return math.prod(broadcast(read_type(a.type).shape, read_type(b.type).shape))


def _multiplied(a: ir.Value, b: ir.Value) -> ir.Value:
    """The product; of columns side by side, which would fill a tile each, as rows of a matrix."""
    shape = read_type(a.type).shape
    if shape != read_type(b.type).shape or len(shape) < 3 or shape[-1] != 1:
        return ttir.multiply(a, b)
    return reshape_to(ttir.multiply(_as_rows(a), _as_rows(b)), shape)


def _as_rows(columns: ir.Value) -> ir.Value:
    """The columns without their last dimension, from before what casts them."""
    if (cast := find_producer(columns, "typecast")) is not None:
        rows = _as_rows(cast.operands[0])
        return ttir.typecast(rows, result=read_type(columns.type).with_shape(read_type(rows.type).shape))
    return reshape_to(columns, read_type(columns.type).shape[:-1])
