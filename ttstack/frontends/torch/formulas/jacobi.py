"""Eigenvalues and singular values by cyclic Jacobi rotations, with all disjoint pairs rotated at once.

Source: Golub and Van Loan, Matrix Computations, 4th edition, 2013, sections 8.5 and 8.6.3.
"""

import math

import torch
from torch import Tensor

from ttstack.diagnostics import UnsupportedOpError
from ttstack.frontends.torch.formulas.factors import qr

_aten = torch.ops.aten

COLUMNS = 16
"""Columns that are rotated at most: each of the sweeps takes as many rounds."""
_TERMS = 12
"""Terms of the exponential of a matrix of norm at most 1/2."""
_SQUARINGS = 12
"""Squarings of the exponential of a matrix at most: norms up to 2048."""


def _sweeps(count: int) -> int:
    """Return the number of sweeps over all pairs after which float32 has converged."""
    return 4 if count <= 4 else 5 if count <= 8 else 6


def _turned(x: Tensor, dim: int) -> Tensor:
    """Return slices in the order of the next round of a tournament: the first stays, the others move on by one.

    The partner of slice `i` is the one from the end. After as many rounds as there are partners, the order is the
    original.
    """
    count = x.shape[dim]
    return torch.cat([x.narrow(dim, 0, 1), x.narrow(dim, count - 1, 1), x.narrow(dim, 1, count - 2)], dim)


def _rotation(own: Tensor, other: Tensor, product: Tensor) -> tuple[Tensor, Tensor]:
    """Return cosines and signed sines that annul the product of each column and its partner."""
    sign = 1.0 - 2.0 * (torch.arange(own.shape[-1]) >= own.shape[-1] // 2).to(own.dtype)
    still = torch.abs(product) <= torch.finfo(product.dtype).tiny
    ratio = sign * (other - own) / torch.where(still, 1.0, 2 * product)
    tangent = torch.where(ratio < 0, -1.0, 1.0) / (torch.abs(ratio) + torch.sqrt(1 + ratio * ratio))
    tangent = torch.where(still, 0.0, tangent)
    cosine = torch.rsqrt(1 + tangent * tangent)
    return cosine, -sign * tangent * cosine


def _rotate(x: Tensor, cosine: Tensor, sine: Tensor) -> Tensor:
    """Return columns rotated with their partners."""
    return x * cosine[..., None, :] + torch.flip(x, [-1]) * sine[..., None, :]


def _check(x: Tensor) -> None:
    if x.shape[-1] > COLUMNS:
        raise UnsupportedOpError(
            f"eigenvalues or singular values of {x.shape[-2]}x{x.shape[-1]} matrices are computed, "
            f"at most {COLUMNS} columns are supported",
            hint="compute them before the export if the matrix is a weight, or make them an input",
        )


def _rounds(count: int) -> int:
    return (count - 1) * _sweeps(count) if count > 1 else 0


def _symmetric(a: Tensor) -> Tensor:
    """Return the symmetric matrix with the lower triangle of `a`."""
    return torch.tril(a) + torch.tril(a, -1).mT


def eigh(a: Tensor, uplo: str = "L", compute_v: bool = True) -> tuple[Tensor, Tensor]:
    """Return the eigenvalues of symmetric matrices in ascending order, and the eigenvectors."""
    _check(a)
    a = _symmetric(a if uplo.upper() == "L" else a.mT)
    count = a.shape[-1]
    odd = count % 2 if count > 1 else 0
    a = torch.nn.functional.pad(a, (0, odd, 0, odd))
    vectors = torch.eye(count + odd, dtype=a.dtype).expand(a.shape)
    for _ in range(_rounds(count + odd)):
        own = torch.diagonal(a, 0, -2, -1)
        product = torch.diagonal(torch.flip(a, [-1]), 0, -2, -1)
        cosine, sine = _rotation(own, torch.flip(own, [-1]), product)
        a = _rotate(_rotate(a, cosine, sine).mT, cosine, sine)
        a = _turned(_turned(a, -1), -2)
        vectors = _turned(_rotate(vectors, cosine, sine), -1)
    values, order = torch.sort(torch.diagonal(a, 0, -2, -1)[..., :count], dim=-1)
    vectors = vectors[..., :count, :count]
    return values, torch.gather(vectors, -1, order[..., None, :].expand(vectors.shape))


def _orthogonal_columns(a: Tensor) -> tuple[Tensor, Tensor]:
    """Return the matrix with its columns rotated until they are orthogonal, and the rotations."""
    _check(a)
    count = a.shape[-1]
    odd = count % 2 if count > 1 else 0
    a = torch.nn.functional.pad(a, (0, odd))
    rotations = torch.eye(count + odd, dtype=a.dtype).expand([*a.shape[:-2], count + odd, count + odd])
    for _ in range(_rounds(count + odd)):
        own, product = torch.sum(a * a, -2), torch.sum(a * torch.flip(a, [-1]), -2)
        cosine, sine = _rotation(own, torch.flip(own, [-1]), product)
        a = _turned(_rotate(a, cosine, sine), -1)
        rotations = _turned(_rotate(rotations, cosine, sine), -1)
    return a[..., :count], rotations[..., :count, :count]


def svd(
    a: Tensor, full_matrices: bool = False, compute_uv: bool = True, *, driver: str | None = None
) -> tuple[Tensor, Tensor, Tensor]:
    """Return left singular vectors, singular values in descending order, and transposed right singular vectors."""
    rows, columns = a.shape[-2:]
    if rows < columns:
        u, values, vt = svd(a.mT, full_matrices, compute_uv)
        return vt.mT, values, u.mT
    rotated, right = _orthogonal_columns(a)
    norms = torch.sqrt(torch.sum(rotated * rotated, -2))
    values, order = torch.sort(norms, dim=-1, descending=True)
    rotated = torch.gather(rotated, -1, order[..., None, :].expand(rotated.shape))
    right = torch.gather(right, -1, order[..., None, :].expand(right.shape))
    left = rotated / torch.where(values == 0, 1.0, values)[..., None, :]
    if full_matrices and rows > columns:
        basis = qr(left, "complete")[0]
        left = torch.cat([left, basis[..., columns:]], -1)
    return left, values, right.mT


def svdvals(a: Tensor, *, driver: str | None = None) -> Tensor:
    """Return the singular values alone."""
    return svd(a)[1]


def pinv(a: Tensor, *, atol: Tensor | None = None, rtol: Tensor | None = None, hermitian: bool = False) -> Tensor:
    """Return the pseudoinverse: singular values below the tolerance count as 0."""
    u, values, vt = svd(_symmetric(a) if hermitian else a)
    largest = values[..., :1]
    relative = max(a.shape[-2:]) * torch.finfo(a.dtype).eps if rtol is None and atol is None else 0.0
    low = largest * (relative if rtol is None else rtol[..., None])
    low = low if atol is None else torch.maximum(low, atol[..., None])
    inverse = torch.where(values > low, 1 / torch.where(values > low, values, 1.0), 0.0)
    return torch.matmul(vt.mT * inverse[..., None, :], u.mT)


def matrix_exp(a: Tensor) -> Tensor:
    """Return the exponential: a Taylor sum of a scaled matrix, squared as often as it was halved."""
    norm = torch.amax(torch.sum(torch.abs(a), -2, keepdim=True), -1, keepdim=True)
    halvings = torch.clamp(torch.ceil(torch.log2(torch.clamp(norm, min=2.0**-20))) + 1, 0, _SQUARINGS)
    scaled = a * torch.exp2(-halvings)
    term = value = torch.eye(a.shape[-1], dtype=a.dtype).expand(a.shape)
    for k in range(1, _TERMS):
        term = torch.matmul(term, scaled) / k
        value = value + term
    for k in range(_SQUARINGS):
        value = torch.where(halvings > k, torch.matmul(value, value), value)
    return torch.where(norm > 2.0 ** (_SQUARINGS - 1), math.nan, value)


FORMULAS = {
    _aten._linalg_eigh.default: eigh,
    _aten._linalg_svd.default: svd,
    _aten.linalg_svdvals.default: svdvals,
    _aten.linalg_pinv.atol_rtol_tensor: pinv,
    _aten.linalg_matrix_exp.default: matrix_exp,
}
"""The formula of each op."""
