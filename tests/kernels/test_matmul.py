"""Contractions."""

import numpy as np
import pytest

torch = pytest.importorskip("torch")

SHAPES = [
    ((5,), (5,)),
    ((5,), (5, 3)),
    ((4, 5), (5,)),
    ((4, 5), (5, 3)),
    ((2, 4, 5), (5, 3)),
    ((2, 1, 4, 5), (3, 5, 6)),
    ((7, 2, 4, 5), (5,)),
    ((0, 5), (5, 3)),
]


def tolerance(dtype):
    return {"rtol": 1e-5 if dtype == np.float32 else 1e-12, "atol": 1e-5 if dtype == np.float32 else 1e-13}


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize(("a", "b"), SHAPES)
def test_matmul(a, b, dtype, *, run, agree, rng):
    x, y = rng.standard_normal(a).astype(dtype), rng.standard_normal(b).astype(dtype)
    agree(run("matmul", x, y), torch.matmul(torch.from_numpy(x), torch.from_numpy(y)), **tolerance(dtype))


@pytest.mark.parametrize("transpose_a", [False, True])
@pytest.mark.parametrize("transpose_b", [False, True])
def test_matmul_transposes_the_last_two_axes(transpose_a, transpose_b, run, agree, rng):
    a, b = rng.standard_normal((3, 4, 5)), rng.standard_normal((5, 6))
    x, y = a.swapaxes(1, 2).copy() if transpose_a else a, b.T.copy() if transpose_b else b
    agree(run("matmul", x, y, transpose_a=transpose_a, transpose_b=transpose_b), a @ b)


def test_matmul_of_strided_views(run, agree, rng):
    x, y = rng.standard_normal((3, 8, 10))[:, ::2, ::2], rng.standard_normal((10, 12))[::2, ::3]
    agree(run("matmul", x, y), x.copy() @ y.copy())


def test_matmul_of_integers_wraps(run):
    x = np.full((1, 3), 100, np.int8)
    assert run("matmul", x, x.T).tolist() == [[48]]


@pytest.mark.parametrize("bias", [(6,), (1, 6), (4, 6), (2, 1, 6)])
def test_linear_broadcasts_its_bias(bias, run, agree, rng):
    a, b, c = rng.standard_normal((4, 5)), rng.standard_normal((6, 5)), rng.standard_normal(bias)
    agree(run("linear", a, b, c, transpose_b=True), a @ b.T + c)


def test_linear_without_bias(run, agree, rng):
    a, b = rng.standard_normal((2, 4, 5)), rng.standard_normal((5, 6))
    agree(run("linear", a, b, None), a @ b)


@pytest.mark.parametrize("name", ["linear", "matmul"])
@pytest.mark.parametrize("activation", ["relu", "gelu", "silu", "sigmoid"])
def test_activation_comes_last(name, activation, run, agree, rng):
    a, b = rng.standard_normal((4, 5)), rng.standard_normal((5, 6))
    agree(run(name, a, b, activation=activation), run(activation, a @ b))


@pytest.mark.parametrize(
    ("lhs", "rhs", "dims", "formula"),
    [
        ((2, 3, 4), (2, 4, 5), ((0,), (2,), (0,), (1,)), "bij,bjk->bik"),
        ((3, 2, 4, 6), (4, 5, 2, 6), ((1,), (2, 3), (2,), (0, 3)), "ibjk,jlbk->bil"),
        ((3, 4), (5, 4, 2), ((), (1,), (), (1,)), "ij,kjl->ikl"),
        ((3, 4), (4, 3), ((), (0, 1), (), (1, 0)), "ij,ji->"),
        ((2, 3), (4, 2), ((0,), (), (1,), ()), "bi,kb->bik"),
    ],
)
def test_dot_general(lhs, rhs, dims, formula, *, run, agree, rng):
    x, y = rng.standard_normal(lhs), rng.standard_normal(rhs)
    names = "batch_dims_lhs", "contract_dims_lhs", "batch_dims_rhs", "contract_dims_rhs"
    agree(run("dot_general", x, y, **dict(zip(names, dims, strict=True))), np.einsum(formula, x, y))
