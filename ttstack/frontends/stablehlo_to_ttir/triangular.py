"""Triangular systems and Cholesky factors."""

from ttstack.frontends.conversion.triangular import (
    FACTOR,
    SOLVE,
    TriangularForm,
    check_rows,
    factor,
    substitute,
    transpose,
)
from ttstack.frontends.stablehlo_to_ttir.stablehlo_op import StablehloOp
from ttstack.frontends.stablehlo_to_ttir.table import StablehloConversionTable
from ttstack.mlir import ir

CONVERSIONS = StablehloConversionTable()


@CONVERSIONS("triangular_solve", to=SOLVE)
def _triangular_solve(call: StablehloOp) -> ir.Value:
    """Solve by forward substitution; upper triangles are reversed, and right-side systems transposed."""
    transposed = call.word("transpose_a") in ("TRANSPOSE", "ADJOINT")
    form = TriangularForm(call.flag("left_side"), call.flag("lower"), transposed, call.flag("unit_diagonal"))
    return _substitute(call, form)


@CONVERSIONS("@lapack_strsm_ffi", "@lapack_dtrsm_ffi", to=SOLVE)
def _trsm(call: StablehloOp) -> ir.Value:
    """Solve the same from JAX's call of LAPACK on the host, whose options are character codes."""
    side, uplo, trans, diag = (chr(call.integer(name)) for name in ("side", "uplo", "trans_x", "diag"))
    return _substitute(call, TriangularForm(side == "L", uplo == "L", trans in "TC", diag == "U"))


def _substitute(call: StablehloOp, form: TriangularForm) -> ir.Value:
    check_rows(call, call.tensor(0))
    return substitute(call.tensor(0), call.tensor(1), form)


@CONVERSIONS("cholesky", to=FACTOR)
def _cholesky(call: StablehloOp) -> ir.Value:
    """Factorize, with zeros in the other triangle."""
    a, lower = call.tensor(0), call.flag("lower")
    check_rows(call, a)
    found = factor(a if lower else transpose(a))
    return found if lower else transpose(found)
