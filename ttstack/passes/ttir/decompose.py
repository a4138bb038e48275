"""Replace ops that the device does not have by ops that it has."""

import math
from typing import Any

from ttstack.dialects.base import describe
from ttstack.dialects.ttir.build import permuted, reshaped, ttir
from ttstack.mlir import ir
from ttstack.ops.indexing import GetDimensionSize
from ttstack.ops.matmul import DotGeneral
from ttstack.passes.base import Pass
from ttstack.passes.pattern import apply_patterns


class Decompose(Pass, name="decompose"):
    """General contractions become products of permuted and reshaped operands; extents become constants."""

    def run(self, module: ir.Module) -> None:
        """Rewrite every such op."""
        apply_patterns(module, [("ttir.dot_general", _dot_general), ("ttir.get_dimension_size", _dimension_size)])


def _dot_general(op: Any) -> list[ir.Value]:
    dot = describe(op)
    assert isinstance(dot, DotGeneral)
    left, right = dot.free_dims()
    lhs, rhs = dot.lhs.shape, dot.rhs.shape
    batch = [lhs[d] for d in dot.batch_dims_lhs]
    inner = math.prod(lhs[d] for d in dot.contract_dims_lhs)
    rows, columns = math.prod(lhs[d] for d in left), math.prod(rhs[d] for d in right)
    a = permuted(op.operands[0], (*dot.batch_dims_lhs, *left, *dot.contract_dims_lhs))
    b = permuted(op.operands[1], (*dot.batch_dims_rhs, *dot.contract_dims_rhs, *right))
    product = ttir("matmul", [reshaped(a, (*batch, rows, inner)), reshaped(b, (*batch, inner, columns))])
    return [reshaped(product, dot.results[0].shape)]


def _dimension_size(op: Any) -> list[ir.Value]:
    asked = describe(op)
    assert isinstance(asked, GetDimensionSize)
    size = asked.operand.shape[asked.dimension]
    return [ttir("full", [], result=asked.type, shape=asked.type.shape, fill_value=size)]
