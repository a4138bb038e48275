"""Replace ops that the device does not have by ops that it has."""

import math
from typing import Any

from ttstack.dialects.base import describe
from ttstack.dialects.ttir.build import permuted, reshaped, ttir
from ttstack.mlir import ir
from ttstack.ops.matmul import DotGeneral
from ttstack.passes.base import Pass
from ttstack.passes.pattern import apply_patterns


class Decompose(Pass, name="decompose"):
    """General contractions become matrix products between permuted and reshaped operands."""

    def run(self, module: ir.Module) -> None:
        """Rewrite every such op."""
        apply_patterns(module, [("ttir.dot_general", _dot_general)])


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
