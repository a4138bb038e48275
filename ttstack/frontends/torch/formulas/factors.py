"""Factors of matrices and linear systems, by elimination and reflections that are unrolled over columns.

`linalg_cholesky` and `linalg_solve_triangular` have conversions. Matrices are batched: [..., rows, columns].
"""

import math
from collections.abc import Sequence

import torch
from torch import Tensor

from ttstack.diagnostics import UnsupportedOpError
from ttstack.frontends.limits import FACTOR_ROWS

_aten = torch.ops.aten


def check_columns(x: Tensor) -> None:
    """Raise `UnsupportedOpError` for a matrix of too many rows or columns."""
    if max(x.shape[-2:]) > FACTOR_ROWS:
        raise UnsupportedOpError(
            f"a matrix of {x.shape[-2]}x{x.shape[-1]} elements is factored, at most {FACTOR_ROWS} rows are supported",
            hint="factor it before the export if it is a weight, or make the factors an input",
        )


def _eliminate(a: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Return the LU factors in one matrix, the row of each position, and 1-based pivots; the largest rows first."""
    check_columns(a)
    *lead, rows, columns = a.shape
    number, side = torch.arange(rows), torch.arange(columns)
    order = number.expand([*lead, rows])
    pivots = list[Tensor]()
    for k in range(min(rows, columns)):
        below = torch.where(number >= k, torch.abs(a[..., k]), -1.0)
        pivot = torch.argmax(below, -1, keepdim=True)
        pivots.append(pivot + 1)
        swap = torch.where(number == k, pivot, torch.where(number == pivot, k, number))
        order = torch.gather(order, -1, swap)
        a = torch.gather(a, -2, swap[..., None].expand(a.shape))
        top = a[..., k : k + 1, :]
        corner = top[..., k : k + 1]
        share = torch.where(number[:, None] > k, a[..., k : k + 1] / torch.where(corner == 0, 1.0, corner), 0.0)
        a = torch.where(side > k, a - share * top, a)
        a = torch.where((side == k) & (number[:, None] > k), share, a)
    return a, order, _joined(pivots, a).to(torch.int32)


def _joined(columns: Sequence[Tensor], like: Tensor) -> Tensor:
    """Concatenate columns; a tensor of extent 0 for none."""
    return torch.cat(list(columns), -1) if columns else torch.zeros([*like.shape[:-2], 0], dtype=like.dtype)


def _halves(lu: Tensor) -> tuple[Tensor, Tensor]:
    """Return the unit lower and the upper factor."""
    count = min(lu.shape[-2:])
    eye = torch.eye(lu.shape[-2], count, dtype=lu.dtype)
    return torch.tril(lu[..., :count], -1) + eye, torch.triu(lu[..., :count, :])


def _permutation(order: Tensor, dtype: torch.dtype) -> Tensor:
    """Return the matrix that moves rows back from their order."""
    return (order[..., None, :] == torch.arange(order.shape[-1])[:, None]).to(dtype)


def lu_factor_ex(a: Tensor, *, pivot: bool = True, check_errors: bool = False) -> tuple[Tensor, Tensor, Tensor]:
    """Return the factors, the pivots, and zeros as information."""
    lu, _, pivots = _eliminate(a)
    return lu, pivots, torch.zeros(a.shape[:-2], dtype=torch.int32)


def lu_factor(a: Tensor, *, pivot: bool = True) -> tuple[Tensor, Tensor]:
    """Return the factors and the pivots."""
    return lu_factor_ex(a)[:2]


def tensorinv(a: Tensor, ind: int = 2) -> Tensor:
    """Return the inverse of a tensor as a matrix of its first `ind` and its other dimensions."""
    rows = math.prod(a.shape[:ind])
    return inv(a.reshape(rows, -1)).reshape([*a.shape[ind:], *a.shape[:ind]])


def linalg_lu(a: Tensor, *, pivot: bool = True) -> tuple[Tensor, Tensor, Tensor]:
    """Return the permutation, the unit lower and the upper factor."""
    lu, order, _ = _eliminate(a)
    return _permutation(order, a.dtype), *_halves(lu)


def lu_unpack(
    lu: Tensor, pivots: Tensor, unpack_data: bool = True, unpack_pivots: bool = True
) -> tuple[Tensor, Tensor, Tensor]:
    """Return the same from factors in one matrix."""
    return _permutation(_order(pivots, lu.shape[-2]), lu.dtype), *_halves(lu)


def _order(pivots: Tensor, rows: int) -> Tensor:
    """Return the row of each position after all swaps."""
    number = torch.arange(rows)
    order = number.expand([*pivots.shape[:-1], rows])
    for k in range(pivots.shape[-1]):
        pivot = pivots[..., k : k + 1].to(torch.int64) - 1
        swap = torch.where(number == k, pivot, torch.where(number == pivot, k, number))
        order = torch.gather(order, -1, swap)
    return order


def _solve_lu(lu: Tensor, order: Tensor, b: Tensor) -> Tensor:
    """Return `x` with `a @ x = b`."""
    lead = torch.broadcast_shapes(lu.shape[:-2], b.shape[:-2])
    b = b.expand([*lead, *b.shape[-2:]])
    rows = order[..., None].expand(b.shape)
    lower, upper = _halves(lu.expand([*lead, *lu.shape[-2:]]))
    y = torch.linalg.solve_triangular(lower, torch.gather(b, -2, rows), upper=False, unitriangular=True)
    return torch.linalg.solve_triangular(upper, y, upper=True)


def lu_solve(lu: Tensor, pivots: Tensor, b: Tensor, *, left: bool = True, adjoint: bool = False) -> Tensor:
    """Return the solution of a system whose matrix is factored."""
    if left and not adjoint:
        return _solve_lu(lu, _order(pivots, lu.shape[-1]), b)
    lower, upper = _halves(lu)
    matrix = torch.matmul(_permutation(_order(pivots, lu.shape[-1]), lu.dtype), torch.matmul(lower, upper))
    return solve_ex(matrix.mT if adjoint else matrix, b, left=left)[0]


def solve_ex(a: Tensor, b: Tensor, *, left: bool = True, check_errors: bool = False) -> tuple[Tensor, Tensor]:
    """Return the solution of `a @ x = b`, or of `x @ a = b`, and zeros as information."""
    return _solve(a, b, left=left)[0], torch.zeros(a.shape[:-2], dtype=torch.int32)


def _solve(a: Tensor, b: Tensor, *, left: bool) -> tuple[Tensor, Tensor, Tensor]:
    vector = b.dim() == 1 or (b.dim() == a.dim() - 1 and b.shape == a.shape[:-1])
    right = b[..., None] if vector else b
    lu, order, pivots = _eliminate(a if left else a.mT)
    x = _solve_lu(lu, order, right if left or vector else right.mT)
    return (x[..., 0] if vector else x if left else x.mT), lu, pivots


def solve_all(
    a: Tensor, b: Tensor, *, left: bool = True, check_errors: bool = False
) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """Return the solution, the factors, the pivots, and zeros as information."""
    return *_solve(a, b, left=left), torch.zeros(a.shape[:-2], dtype=torch.int32)


def solve(a: Tensor, b: Tensor, *, left: bool = True) -> Tensor:
    """Return the solution alone."""
    return _solve(a, b, left=left)[0]


def inv_ex(a: Tensor, *, check_errors: bool = False) -> tuple[Tensor, Tensor]:
    """Return the inverse, and zeros as information."""
    eye = torch.eye(a.shape[-1], dtype=a.dtype).expand(a.shape)
    return solve_ex(a, eye)


def inv(a: Tensor) -> Tensor:
    """Return the inverse."""
    return inv_ex(a)[0]


def det_all(a: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Return the determinant, the factors and the pivots."""
    lu, _, pivots = _eliminate(a)
    return _swap_sign(pivots, a.dtype) * torch.prod(_diagonal(lu), -1), lu, pivots


def det(a: Tensor) -> Tensor:
    """Return the determinant."""
    return det_all(a)[0]


def slogdet_all(a: Tensor) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """Return the sign and the logarithm of the determinant, the factors and the pivots."""
    lu, _, pivots = _eliminate(a)
    pivot = _diagonal(lu)
    sign = _swap_sign(pivots, a.dtype) * torch.prod(torch.sign(pivot), -1)
    return sign, torch.sum(torch.log(torch.abs(pivot)), -1), lu, pivots


def _diagonal(a: Tensor) -> Tensor:
    return torch.diagonal(a, 0, -2, -1)


def _swap_sign(pivots: Tensor, dtype: torch.dtype) -> Tensor:
    own = torch.arange(1, pivots.shape[-1] + 1, dtype=torch.int32)
    return torch.prod(1 - 2 * (pivots != own).to(dtype), -1)


def geqrf(a: Tensor) -> tuple[Tensor, Tensor]:
    """Return Householder vectors below the upper factor, and their coefficients."""
    check_columns(a)
    rows, columns = a.shape[-2:]
    number, side = torch.arange(rows)[:, None], torch.arange(columns)
    shares = list[Tensor]()
    for k in range(min(rows, columns)):
        column = a[..., k : k + 1]
        head = column[..., k : k + 1, :]
        norm = torch.sqrt(torch.sum(torch.where(number >= k, column * column, 0.0), -2, keepdim=True))
        rest = torch.sum(torch.where(number > k, column * column, 0.0), -2, keepdim=True)
        plain = rest == 0  # LAPACK leaves such a column as it is
        beta = torch.where(plain, head, -torch.where(head < 0, -1.0, 1.0) * norm)
        share = torch.where(plain, 0.0, (beta - head) / torch.where(plain, 1.0, beta))
        scale = torch.where(plain, 1.0, head - beta)
        vector = torch.where(number > k, column / scale, torch.where(number == k, 1.0, 0.0))
        moved = a - share * vector * torch.sum(vector * a, -2, keepdim=True)
        a = torch.where(side > k, moved, a)
        own = torch.where(number == k, beta, torch.where(number > k, vector, column))
        a = torch.where(side == k, own, a)
        shares.append(share[..., 0])
    return a, _joined(shares, a)


def _reflect(a: Tensor, tau: Tensor, x: Tensor, order: Sequence[int]) -> Tensor:
    """Apply the reflections of `a` to the rows of `x`, in order."""
    number = torch.arange(a.shape[-2])[:, None]
    for k in order:
        column = a[..., k : k + 1]
        vector = torch.where(number > k, column, torch.where(number == k, 1.0, 0.0))
        x = x - tau[..., k : k + 1, None] * vector * torch.sum(vector * x, -2, keepdim=True)
    return x


def householder_product(a: Tensor, tau: Tensor) -> Tensor:
    """Return the first columns of the product of reflections."""
    eye = torch.eye(*a.shape[-2:], dtype=a.dtype).expand(a.shape)
    return _reflect(a, tau, eye, range(tau.shape[-1] - 1, -1, -1))


def ormqr(a: Tensor, tau: Tensor, x: Tensor, left: bool = True, transpose: bool = False) -> Tensor:
    """Multiply by the product of reflections, or by its transpose."""
    order = list(range(tau.shape[-1]))
    if not left:
        return _reflect(a, tau, x.mT, order if not transpose else order[::-1]).mT
    return _reflect(a, tau, x, order if transpose else order[::-1])


def qr(a: Tensor, mode: str = "reduced") -> tuple[Tensor, Tensor]:
    """Return the orthogonal and the upper factor."""
    packed, tau = geqrf(a)
    rows, columns = a.shape[-2:]
    count = rows if mode == "complete" else min(rows, columns)
    upper = torch.triu(packed[..., :count, :])
    if mode == "r":
        return torch.zeros([0], dtype=a.dtype), upper
    eye = torch.eye(rows, count, dtype=a.dtype).expand([*a.shape[:-2], rows, count])
    return _reflect(packed, tau, eye, range(tau.shape[-1] - 1, -1, -1)), upper


def cholesky_solve(b: Tensor, factor: Tensor, upper: bool = False) -> Tensor:
    """Return the solution of a system whose Cholesky factor is given."""
    lower = factor.mT if upper else factor
    y = torch.linalg.solve_triangular(lower, b, upper=False)
    return torch.linalg.solve_triangular(lower.mT, y, upper=True)


def cholesky_inverse(factor: Tensor, upper: bool = False) -> Tensor:
    """Return the inverse of the matrix with this factor."""
    return cholesky_solve(torch.eye(factor.shape[-1], dtype=factor.dtype).expand(factor.shape), factor, upper)


def cholesky_ex(a: Tensor, *, upper: bool = False, check_errors: bool = False) -> tuple[Tensor, Tensor]:
    """Return the factor, and zeros as information."""
    return torch.linalg.cholesky(a, upper=upper), torch.zeros(a.shape[:-2], dtype=torch.int32)


def cholesky(a: Tensor, upper: bool = False) -> Tensor:
    """Return the factor."""
    return torch.linalg.cholesky(a, upper=upper)


def triangular_solve(
    b: Tensor, a: Tensor, upper: bool = True, transpose: bool = False, unitriangular: bool = False
) -> tuple[Tensor, Tensor]:
    """Return the solution of a triangular system, and its matrix."""
    matrix, above = (a.mT, not upper) if transpose else (a, upper)
    return torch.linalg.solve_triangular(matrix, b, upper=above, unitriangular=unitriangular), a


FORMULAS = {
    _aten.linalg_lu_factor.default: lu_factor,
    _aten.linalg_tensorinv.default: tensorinv,
    _aten.linalg_lu_factor_ex.default: lu_factor_ex,
    _aten.linalg_lu.default: linalg_lu,
    _aten.lu_unpack.default: lu_unpack,
    _aten.linalg_lu_solve.default: lu_solve,
    _aten._linalg_solve_ex.default: solve_all,
    _aten.linalg_solve_ex.default: solve_ex,
    _aten.linalg_solve.default: solve,
    _aten.linalg_inv_ex.default: inv_ex,
    _aten.linalg_inv.default: inv,
    _aten.inverse.default: inv,
    _aten._linalg_det.default: det_all,
    _aten.linalg_det.default: det,
    _aten._linalg_slogdet.default: slogdet_all,
    _aten.geqrf.default: geqrf,
    _aten.linalg_householder_product.default: householder_product,
    _aten.ormqr.default: ormqr,
    _aten.linalg_qr.default: qr,
    _aten.cholesky_solve.default: cholesky_solve,
    _aten.cholesky_inverse.default: cholesky_inverse,
    _aten.linalg_cholesky_ex.default: cholesky_ex,
    _aten.cholesky.default: cholesky,
    _aten.triangular_solve.default: triangular_solve,
}
"""The formula of each op."""
