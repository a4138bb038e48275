"""Ops that are computed by formulas: values against PyTorch's own kernels, and sizes that are refused."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch
from torch import nn

import ttstack
from tests.frontends.torch_cases.draw import real
from ttstack.diagnostics import UnsupportedOpError
from ttstack.frontends.limits import FACTOR_ROWS
from ttstack.frontends.torch.formulas import FORMULAS
from ttstack.frontends.torch.formulas.jacobi import COLUMNS

LINE = torch.tensor([-7.3, -2.5, -0.6, 0.2, 0.5, 1.0, 3.0, 11.0, 55.0])
ABOVE = torch.tensor([1e-3, 0.2, 1.0, 2.5, 20.0, 90.0])
SHARES = torch.linspace(0.01, 0.99, 7)
DEGREES = torch.tensor([0.0, 1.0, 2.0, 5.0, 8.0])
SMALL = torch.tensor([[-1.7], [-1.0], [-0.4], [0.3], [1.0], [2.2]])
SQUARE = real(2, 4, 4) + 3 * torch.eye(4)
TALL, WIDE = real(5, 3), real(3, 4)
SYMMETRIC = SQUARE[0] + SQUARE[0].mT
POSITIVE = SQUARE @ SQUARE.mT
RIGHT = real(4, 2)
GAPS = torch.tensor([[3.0, math.nan, 1.0, 2.0], [math.nan, 5.0, 5.0, 4.0]])
COUNTS = torch.tensor([[1.0, 2.0, 2.0, 3.0, 3.0], [4.0, 4.0, 0.0, 4.0, 1.0]])


def product_of(u: torch.Tensor, values: torch.Tensor, vt: torch.Tensor) -> torch.Tensor:
    return u[:, : len(values)] * values @ vt


a = torch.ops.aten
special = torch.special

CASES: dict[str, tuple[Callable[..., Any], tuple[torch.Tensor, ...]]] = {
    "digamma": (torch.digamma, (LINE,)),
    "polygamma": (lambda x: [torch.polygamma(n, x) for n in range(4)], (LINE,)),
    "zeta": (lambda q: [special.zeta(torch.full_like(q, s), q) for s in (1.5, 2.0, 3.0, 0.5)], (LINE.abs(),)),
    "zeta of negative numbers": (lambda q: [special.zeta(torch.full_like(q, s), q) for s in (2.0, 3.0, 2.5)], (LINE,)),
    "modified Bessel functions": (
        lambda x: [torch.i0(x), special.i0e(x), special.i1(x), special.i1e(x), special.modified_bessel_i0(x)],
        (LINE,),
    ),
    "modified Bessel functions of order 1": (special.modified_bessel_i1, (LINE,)),
    "those of the second kind": (
        lambda x: [
            special.modified_bessel_k0(x),
            special.modified_bessel_k1(x),
            special.scaled_modified_bessel_k0(x),
            special.scaled_modified_bessel_k1(x),
        ],
        (ABOVE,),
    ),
    "Bessel functions": (
        lambda x: [special.bessel_j0(x), special.bessel_j1(x), special.spherical_bessel_j0(x)],
        (LINE,),
    ),
    "scaled error function": (special.erfcx, (LINE.clamp(-5),)),
    "quantiles": (special.ndtri, (SHARES,)),
    "Chebyshev polynomials": (
        lambda x, n: [
            getattr(special, f"{kind}chebyshev_polynomial_{letter}")(x, n)
            for kind in ("", "shifted_")
            for letter in "tuvw"
        ],
        (SMALL, DEGREES),
    ),
    "mantissas": (lambda x: list(torch.frexp(x)), (torch.cat([LINE, torch.tensor([0.0, 1e-40, math.inf])]),)),
    "neighbours": (
        torch.nextafter,
        (torch.tensor([1.0, -1.0, 0.0, 2.0, 1e-45, 3.0]), torch.tensor([2.0, 0.0, -1.0, 2.0, 0.0, -math.inf])),
    ),
    "angles": (torch.angle, (LINE,)),
    "strides": (
        lambda x: [torch.as_strided(x, (3, 2), (2, 5), 1), torch.as_strided_copy(x, (4,), (7,))],
        (real(4, 6),),
    ),
    "strides that are written": (
        lambda x, y: torch.as_strided_scatter(x, y, (3, 2), (2, 5), 1),
        (real(4, 6), real(3, 2)),
    ),
    "an undefined tensor": (lambda x: torch.empty_strided((2, 3), (3, 1)) * 0 + x, (real(2, 3),)),
    "medians": (lambda x: [torch.nanmedian(x), *torch.nanmedian(x, 1)], (GAPS,)),
    "modes": (lambda x: list(torch.mode(x, 1)), (COUNTS,)),
    "histograms": (lambda x: list(torch.histogram(x, 6, range=(-2.0, 2.0))), (real(40),)),
    "positions": (lambda x: torch.nonzero_static(x > 0.5, size=9), (real(4, 4),)),
    "LU factors": (lambda x: list(torch.linalg.lu(x)), (SQUARE,)),
    "LU factors of a tall matrix": (lambda x: list(torch.linalg.lu(x)), (TALL,)),
    "LU factors in one": (lambda x: [*torch.linalg.lu_factor(x), *torch.linalg.lu_factor_ex(x)], (SQUARE,)),
    "unpacked factors": (lambda x: list(torch.lu_unpack(*torch.linalg.lu_factor(x))), (SQUARE,)),
    "systems": (torch.linalg.solve, (SQUARE, RIGHT)),
    "systems from the right": (lambda x, b: torch.linalg.solve(x, b, left=False), (SQUARE, real(2, 3, 4))),
    "systems and information": (lambda x, b: list(torch.linalg.solve_ex(x, b)), (SQUARE, RIGHT)),
    "systems of factors": (
        lambda x, b: [
            torch.linalg.lu_solve(*torch.linalg.lu_factor(x), b, adjoint=adjoint) for adjoint in (False, True)
        ],
        (SQUARE[0], RIGHT),
    ),
    "inverses": (lambda x: [torch.linalg.inv(x), torch.inverse(x), *torch.linalg.inv_ex(x)], (SQUARE,)),
    "an inverse of a tensor": (lambda x: torch.linalg.tensorinv(x.reshape(2, 2, 4)), (SQUARE[0],)),
    "determinants": (lambda x: [torch.linalg.det(x), *torch.linalg.slogdet(x), torch.logdet(x @ x.mT)], (SQUARE,)),
    "Cholesky factors": (
        lambda x, b: [
            torch.cholesky_solve(b, torch.linalg.cholesky(x)),
            torch.cholesky_inverse(torch.linalg.cholesky(x, upper=True), upper=True),
            *torch.linalg.cholesky_ex(x),
            a.cholesky.default(x),
        ],
        (POSITIVE[0], RIGHT),
    ),
    "triangular systems": (lambda x, b: list(torch.triangular_solve(b, x, transpose=True)), (SQUARE[0], RIGHT)),
    "QR": (lambda x: [*torch.linalg.qr(x), *torch.linalg.qr(x, "complete"), torch.linalg.qr(x, "r")[1]], (TALL,)),
    "QR of a wide matrix": (lambda x: list(torch.linalg.qr(x)), (WIDE,)),
    "reflections": (
        lambda x, b: [
            *torch.geqrf(x),
            torch.linalg.householder_product(*torch.geqrf(x)),
            torch.ormqr(*torch.geqrf(x), b, transpose=True),
            torch.ormqr(*torch.geqrf(x), b.mT, left=False),
        ],
        (TALL, real(5, 2)),
    ),
    "eigenvalues": (lambda x: [torch.linalg.eigvalsh(x), torch.linalg.eigh(x)[1].abs()], (SYMMETRIC,)),
    "singular values": (lambda x: [torch.linalg.svdvals(x), torch.linalg.norm(x, "nuc")], (TALL,)),
    "singular vectors": (lambda x: [t.abs() for t in torch.linalg.svd(x, full_matrices=False)], (WIDE,)),
    "all singular vectors": (lambda x: product_of(*torch.linalg.svd(x)), (TALL,)),
    "pseudoinverses": (lambda x: [torch.linalg.pinv(x), torch.linalg.pinv(x @ x.mT, rtol=1e-3)], (TALL,)),
    "a pseudoinverse of a symmetric matrix": (lambda x: torch.linalg.pinv(x, hermitian=True), (SYMMETRIC,)),
    "exponentials": (torch.linalg.matrix_exp, (real(3, 3),)),
}


class Calls(nn.Module):
    def __init__(self, function: Callable[..., Any]) -> None:
        super().__init__()
        self.function = function

    def forward(self, *inputs: torch.Tensor) -> tuple[torch.Tensor, ...]:
        found = self.function(*inputs)
        return (found,) if isinstance(found, torch.Tensor) else tuple(found)


def program_of(function: Callable[..., Any], inputs: tuple[torch.Tensor, ...]) -> torch.export.ExportedProgram:
    with torch.no_grad():
        return torch.export.export(Calls(function), inputs)


@pytest.mark.parametrize("name", CASES)
@pytest.mark.filterwarnings("ignore:torch.triangular_solve", "ignore:torch.cholesky")
def test_values(name: str):
    function, inputs = CASES[name]
    program = ttstack.compile(program_of(function, inputs))
    given = {f"inputs_{i}": x.numpy() for i, x in enumerate(inputs)}
    found = program.run({key: given[key] for key in program.inputs()}).outputs.values()
    wanted = function(*inputs)
    pairs = zip(found, [wanted] if isinstance(wanted, torch.Tensor) else list(wanted), strict=True)
    for i, (got, want) in enumerate(pairs):
        np.testing.assert_allclose(got, want.numpy(), rtol=2e-4, atol=2e-5, err_msg=f"{name} {i}")


def test_every_formula_has_a_case():
    used = {node.target for case in CASES.values() for node in program_of(*case).graph.nodes}
    parts = {a._linalg_eigh.default, a._linalg_svd.default, a._linalg_det.default, a._linalg_slogdet.default}
    left = set(FORMULAS) - used - parts - {a._linalg_solve_ex.default}  # parts of the ops that users call
    assert not left, "add a case to this file"


@pytest.mark.parametrize(
    ("function", "rows", "message"),
    [
        (torch.linalg.inv, FACTOR_ROWS + 1, f"at most {FACTOR_ROWS} rows are supported"),
        (torch.linalg.svdvals, COLUMNS + 1, f"at most {COLUMNS} columns are supported"),
    ],
)
def test_large_matrices_are_refused(function: Callable[..., Any], rows: int, message: str):
    with pytest.raises(UnsupportedOpError, match=message):
        ttstack.compile(program_of(function, (torch.eye(rows),)))
