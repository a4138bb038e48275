"""Triangular solves and Cholesky factors by recursive halving, mostly matmuls."""

from dataclasses import dataclass

from ttstack.dialects.ttir.build import concat_along, permute_dims, slice_along, splat
from ttstack.dialects.ttir.builders import ttir
from ttstack.dialects.types import read_type
from ttstack.frontends.conversion.source_op import SourceOp
from ttstack.frontends.limits import FACTOR_ROWS
from ttstack.mlir import ir

SOLVE = "matmul subtract div slice_static concat permute reverse"
"""The ops of `substitute`."""

FACTOR = "sqrt matmul subtract div slice_static concat permute full"
"""The ops of `factor`."""


@dataclass(frozen=True)
class TriangularForm:
    """The form of the system: `a` is on the left of `x`, lower, transposed, and has ones on its diagonal."""

    left: bool
    lower: bool
    transposed: bool
    unit: bool


def substitute(a: ir.Value, b: ir.Value, form: TriangularForm) -> ir.Value:
    """Solve by forward substitution; upper triangles are reversed, and right-side systems transposed."""
    lower = form.lower
    if form.left == form.transposed:
        a, lower = transpose(a), not lower
    b = b if form.left else transpose(b)
    if not lower:
        a, b = _turn(a, columns=True), _turn(b)
    x = _solve(_Lower(a, unit=form.unit), b)
    x = x if lower else _turn(x)
    return x if form.left else transpose(x)


def check_rows(call: SourceOp, a: ir.Value) -> None:
    """Refuse a matrix of too many rows."""
    if (rows := _rows(a)) > FACTOR_ROWS:
        call.refuse(f"is of {rows} rows, at most {FACTOR_ROWS} are supported", "make its result an input")


@dataclass(frozen=True)
class _Lower:
    """A lower triangular matrix; its diagonal is ones if it is `unit`."""

    a: ir.Value
    unit: bool = False

    def block(self, row: tuple[int, int], column: tuple[int, int]) -> ir.Value:
        """Return a block of the matrix."""
        rank = read_type(self.a.type).rank
        return slice_along(slice_along(self.a, rank - 2, *row), rank - 1, *column)

    def corner(self, begin: int, end: int) -> "_Lower":
        """Return the diagonal block from `begin` to `end`."""
        return _Lower(self.block((begin, end), (begin, end)), self.unit)


def _solve(lower: _Lower, b: ir.Value) -> ir.Value:
    """Return `x` with `lower @ x = b`."""
    rows, at = _rows(lower.a), read_type(b.type).rank - 2
    if rows <= 1:
        return b if lower.unit or not rows else ttir.div(b, lower.a)
    half = rows // 2
    top = _solve(lower.corner(0, half), slice_along(b, at, 0, half))
    known = ttir.matmul(lower.block((half, rows), (0, half)), top)
    rest = ttir.subtract(slice_along(b, at, half, rows), known)
    return concat_along([top, _solve(lower.corner(half, rows), rest)], at)


def factor(a: ir.Value) -> ir.Value:
    """Return the lower triangle `l` with `l @ l^T = a`; the upper triangle of `a` is ignored."""
    rows, t = _rows(a), read_type(a.type)
    if rows <= 1:
        return ttir.sqrt(a)
    half, lower = rows // 2, _Lower(a)
    first = factor(lower.corner(0, half).a)
    beside = transpose(_solve(_Lower(first), transpose(lower.block((half, rows), (0, half)))))
    square = ttir.matmul(beside, beside, transpose_b=True)
    last = factor(ttir.subtract(lower.corner(half, rows).a, square))
    zeros = splat(0, t.with_shape((*t.shape[:-2], half, rows - half)))
    rank = t.rank
    return concat_along([concat_along([first, zeros], rank - 1), concat_along([beside, last], rank - 1)], rank - 2)


def _rows(a: ir.Value) -> int:
    return read_type(a.type).shape[-2]


def transpose(x: ir.Value) -> ir.Value:
    """Swap the last two dimensions."""
    rank = read_type(x.type).rank
    return permute_dims(x, (*range(rank - 2), rank - 1, rank - 2))


def _turn(x: ir.Value, *, columns: bool = False) -> ir.Value:
    """Reverse the rows, and optionally the columns."""
    rank = read_type(x.type).rank
    return ttir.reverse(x, dimensions=(rank - 2, rank - 1) if columns else (rank - 2,))
