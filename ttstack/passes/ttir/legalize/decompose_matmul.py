"""Decomposition of contractions to matmuls."""

import math

from ttstack.dialects.base import definition_of
from ttstack.dialects.ttir.build import permute_dims, reshape_to
from ttstack.dialects.ttir.builders import ttir
from ttstack.mlir import ir
from ttstack.ops.matmul import DotGeneral, Linear
from ttstack.passes.rewriting.pattern import Pattern


def _dot_general(op: ir.Operation) -> list[ir.Value]:
    dot = definition_of(op)
    assert isinstance(dot, DotGeneral)
    left, right = dot.free_dims()
    lhs, rhs = dot.lhs.shape, dot.rhs.shape
    batch = [lhs[d] for d in dot.batch_dims_lhs]
    inner = math.prod(lhs[d] for d in dot.contract_dims_lhs)
    rows, columns = math.prod(lhs[d] for d in left), math.prod(rhs[d] for d in right)
    a = permute_dims(op.operands[0], (*dot.batch_dims_lhs, *left, *dot.contract_dims_lhs))
    b = permute_dims(op.operands[1], (*dot.batch_dims_rhs, *dot.contract_dims_rhs, *right))
    product = ttir.matmul(reshape_to(a, (*batch, rows, inner)), reshape_to(b, (*batch, inner, columns)))
    return [reshape_to(product, dot.results[0].shape)]


def _linear(op: ir.Operation) -> list[ir.Value] | None:
    """Add a bias that broadcasts the matmul in a separate op."""
    linear = definition_of(op)
    assert isinstance(linear, Linear)
    if linear.results[0].shape == linear.product.shape:
        return None
    a, b, bias = op.operands
    product = ttir.matmul(a, b, transpose_a=linear.transpose_a, transpose_b=linear.transpose_b)
    total = ttir.add(product, bias)
    return [ttir.build(linear.activation, total) if linear.activation else total]


PRODUCTS: tuple[tuple[str, Pattern], ...] = (("ttir.dot_general", _dot_general), ("ttir.linear", _linear))
