"""Reassociation of multiplications for the smallest intermediate results."""

import math

from ttstack.dialects.ttir import views
from ttstack.dialects.ttir.build import reshape_to
from ttstack.dialects.ttir.builders import ttir
from ttstack.dialects.types import read_type
from ttstack.mlir import ir
from ttstack.ops.shapes import broadcast
from ttstack.passes.rewriting.rewrite import rewrite
from ttstack.passes.stages import Stage
from ttstack.passes.ttir.queries.producers import find_producer


@rewrite(
    "reassociate-multiplies",
    stage=Stage.WEIGHTS,
    after={"fold-scale-into-weights": "factors are folded into weights first"},
)
def reassociate_multiplies(op: views.Multiply) -> ir.Value | None:
    """`(a * x) * b` = `(a * b) * x` except for rounding, if `a * b` has fewer elements than `a * x`.

    A state space model scales a row by columns, and the result by other columns: one large multiply instead of two.
    """
    for scaled, last in op.either_order:
        inner = views.Multiply.of(scaled)
        if inner is None or not inner.is_read_once or not _is_real(op, inner):
            continue
        for factor, other in inner.either_order:
            if _size(factor, last) < inner.result_type.size:
                return ttir.multiply(_multiply(factor, last), other)
    return None


def _is_real(*multiplies: views.Multiply) -> bool:
    """Return True if all tensors have one floating-point type, in which the order of factors only affects rounding."""
    dtypes = {read_type(v.type).dtype for m in multiplies for v in (m.lhs, m.rhs, m.first_result)}
    return len(dtypes) == 1 and all(dtype.is_float for dtype in dtypes)


def _size(a: ir.Value, b: ir.Value) -> int:
    """Return the number of elements of `a * b`."""
    return math.prod(broadcast(read_type(a.type).shape, read_type(b.type).shape))


def _multiply(a: ir.Value, b: ir.Value) -> ir.Value:
    """Build `a * b`; single columns, which would use a tile per element, become rows of a matrix."""
    shape = read_type(a.type).shape
    if shape != read_type(b.type).shape or len(shape) < 3 or shape[-1] != 1:
        return ttir.multiply(a, b)
    return reshape_to(ttir.multiply(_as_rows(a), _as_rows(b)), shape)


def _as_rows(columns: ir.Value) -> ir.Value:
    """Drop the last dimension, before casts."""
    if (cast := find_producer(columns, "typecast")) is not None:
        rows = _as_rows(cast.operands[0])
        return ttir.typecast(rows, result=read_type(columns.type).with_shape(read_type(rows.type).shape))
    return reshape_to(columns, read_type(columns.type).shape[:-1])
