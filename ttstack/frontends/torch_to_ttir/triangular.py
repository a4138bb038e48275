"""Triangular systems and Cholesky factors."""

from ttstack.dialects.ttir.build import broadcast_to
from ttstack.dialects.types import read_type
from ttstack.frontends.conversion.triangular import (
    FACTOR,
    SOLVE,
    TriangularForm,
    check_rows,
    factor,
    substitute,
    transpose,
)
from ttstack.frontends.torch_to_ttir.table import TorchConversionTable
from ttstack.frontends.torch_to_ttir.torch_op import TorchOp
from ttstack.mlir import ir
from ttstack.ops.shapes import broadcast

CONVERSIONS = TorchConversionTable()


@CONVERSIONS("linalg_solve_triangular", to=f"{SOLVE} broadcast reshape")
def _solve_triangular(call: TorchOp) -> ir.Value:
    """Solve by forward substitution; upper triangles are reversed, and right-side systems transposed."""
    a, b = call.tensor(0), call.tensor(1)
    check_rows(call, a)
    shapes = [read_type(x.type).shape for x in (a, b)]
    lead = broadcast(*(shape[:-2] for shape in shapes))
    a, b = (broadcast_to(x, (*lead, *shape[-2:])) for x, shape in zip((a, b), shapes, strict=True))
    return substitute(a, b, TriangularForm(call.flag(3), not call.flag(2), transposed=False, unit=call.flag(4)))


@CONVERSIONS("linalg_cholesky", to=FACTOR)
def _cholesky(call: TorchOp) -> ir.Value:
    """Factorize, with zeros in the other triangle."""
    a, upper = call.tensor(0), call.flag(1)
    check_rows(call, a)
    found = factor(transpose(a) if upper else a)
    return transpose(found) if upper else found
