"""Matrix products: vectors, batches, transposes, biases that broadcast either way."""

from itertools import product

import numpy as np

from tests.forms.form import Form


def _sparse(a, b, s):
    """[A, B, M, K] by [1, E, K, N]: block by block."""
    out = np.zeros((*a.shape[:2], 1, b.shape[1], a.shape[2], b.shape[3]))
    mask = s.reshape(*a.shape[:2], b.shape[1])
    for i, j, e in np.argwhere(mask):
        out[i, j, 0, e] = a[i, j] @ b[0, e]
    return out


FORMS = [
    *(
        Form("matmul", f"4x8x{a} 8x4x{a}", f"4x4x{r}", np.matmul)
        for a, r in product(("f32", "bf16", "f16", "f64", "i32", "ui8"), ("f32", "bf16", "f16", "i32", "i64"))
    ),
    *(
        Form("matmul", f"4x8x{a} 8x4x{b}", f"4x4x{r}", np.matmul)
        for a, b, r in (("f32", "bf16", "bf16"), ("bf16", "f16", "f32"), ("bf16", "f16", "bf16"), ("i32", "f32", "f32"))
    ),
    *(
        Form(
            "matmul",
            f"{'8x4' if ta else '4x8'}xf32 {'5x8' if tb else '8x5'}xf32",
            "4x5xf32",
            lambda a, b, ta=ta, tb=tb: (a.T if ta else a) @ (b.T if tb else b),
            f"transpose_a = {str(ta).lower()}, transpose_b = {str(tb).lower()}",
        )
        for ta, tb in product((False, True), (False, True))
    ),
    *(
        Form("matmul", f"{a}xf32 {b}xf32", f"{r}f32", np.matmul)
        for a, b, r in (
            ("8", "8", ""),
            ("8", "8x5", "5x"),
            ("4x8", "8", "4x"),
            ("3x4x8", "8", "3x4x"),
            ("8", "3x8x5", "3x5x"),
            ("2x1x4x8", "3x8x5", "2x3x4x5x"),
            ("1x1", "1x1", "1x1x"),
        )
    ),
    Form("matmul", "8xf32 8xf32", "1xf32", lambda a, b: [a @ b]),
    Form("matmul", "8xbf16 8xbf16", "1xf32", lambda a, b: [a @ b]),
    Form("matmul", "0x8xf32 8x4xf32", "0x4xf32", np.matmul),
    *(
        Form("linear", f"4x8xf32 8x5xf32 {b}xf32", f"{r}xf32", lambda a, w, b: a @ w + b)
        for b, r in (
            ("5", "4x5"),
            ("1x5", "4x5"),
            ("4x5", "4x5"),
            ("4x1", "4x5"),
            ("1", "4x5"),
            ("3x4x5", "3x4x5"),
            ("3x1x1", "3x4x5"),
            ("2x3x4x5", "2x3x4x5"),
        )
    ),
    Form("linear", "1x8xf32 8x5xf32 6x5xf32", "6x5xf32", lambda a, w, b: a @ w + b),
    Form("linear", "4x8xbf16 8x5xbf16 3x4x5xf32", "3x4x5xf32", lambda a, w, b: a @ w + b),
    Form("linear", "8xf32 8xf32 1xf32", "1xf32", lambda a, w, b: a @ w + b),
    Form("linear", "8xf32 8xf32 5xf32", "5xf32", lambda a, w, b: a @ w + b),
    Form("linear", "8xf32 8xf32", "1xf32", lambda a, w: [a @ w]),
    Form(
        "linear",
        "8x4xf32 5x8xf32 5xf32",
        "4x5xbf16",
        lambda a, w, b: a.T @ w.T + b,
        "transpose_a = true, transpose_b = true",
    ),
    *(
        Form(
            "dot_general",
            "2x4x8xf32 2x8x5xf32",
            f"2x4x5x{r}",
            np.matmul,
            "batch_dims_lhs = array<i64: 0>, contract_dims_lhs = array<i64: 2>, batch_dims_rhs = array<i64: 0>, contract_dims_rhs = array<i64: 1>",
        )
        for r in ("f32", "bf16")
    ),
    Form(
        "dot_general",
        "4x3xf32 5xf32",
        "4x3x5xf32",
        lambda a, b: a[..., None] * b,
        "batch_dims_lhs = array<i64>, contract_dims_lhs = array<i64>, batch_dims_rhs = array<i64>, contract_dims_rhs = array<i64>",
    ),
    Form(
        "dot_general",
        "3x4xf32 4x3xf32",
        "f32",
        lambda a, b: np.sum(a * b.T),
        "batch_dims_lhs = array<i64>, contract_dims_lhs = array<i64: 0, 1>, batch_dims_rhs = array<i64>, contract_dims_rhs = array<i64: 1, 0>",
    ),
    Form(
        "sparse_matmul",
        "2x3x6x8xf32 1x4x8x5xf32 2x3x1x4xf32",
        "2x3x1x4x6x5xf32",
        _sparse,
        given={2: np.arange(24).reshape(2, 3, 1, 4) % 3},
    ),
    Form(
        "sparse_matmul",
        "2x3x6x8xf32 1x4x8x5xf32 2x3x1x4xf32",
        "2x3x1x4x6x5xf32",
        _sparse,
        "nnz = 0 : i64",
        given={2: 0},
    ),
]

INVALID = [
    ("matmul", "4x8xf32 7x4xf32", "4x4xf32", "", "8 and 7"),
    ("matmul", "f32 4x4xf32", "4xf32", "", "at least one dimension"),
    ("matmul", "2x4x8xf32 3x8x4xf32", "2x4x4xf32", "", "do not broadcast"),
    ("matmul", "4x0xf32 0x4xf32", "4x4xf32", "", "is 0"),
    ("matmul", "8xf32 8xf32", "1x1xf32", "", "inferred tensor<f32>"),
    ("matmul", "4x8xf32 8x4xf32", "4x4xf32", 'activation = "sum"', "none that kernels end in"),
    ("linear", "4x8xf32 8x5xf32 6xf32", "4x5xf32", "", "do not broadcast"),
    ("linear", "4x8xf32 8x5xf32 3x4x5xf32", "4x5xf32", "", "inferred tensor<3x4x5xf32>"),
    (
        "dot_general",
        "4x8xf32 8x4xf32",
        "4x4xf32",
        "batch_dims_lhs = array<i64>, contract_dims_lhs = array<i64: 1, 1>, batch_dims_rhs = array<i64>, contract_dims_rhs = array<i64: 0, 0>",
        "twice",
    ),
    (
        "dot_general",
        "4x8xf32 7x4xf32",
        "4x4xf32",
        "batch_dims_lhs = array<i64>, contract_dims_lhs = array<i64: 1>, batch_dims_rhs = array<i64>, contract_dims_rhs = array<i64: 0>",
        "differ",
    ),
    (
        "dot_general",
        "4x8xf32 8x4xf32",
        "4x4xf32",
        "batch_dims_lhs = array<i64>, contract_dims_lhs = array<i64: 2>, batch_dims_rhs = array<i64>, contract_dims_rhs = array<i64: 0>",
        "out of range",
    ),
    ("sparse_matmul", "2x2x4x8xf32 1x0x8x4xf32 2x2x1x0xf32", "2x2x1x0x4x4xf32", "", "no experts"),
    (
        "sparse_matmul",
        "2x2x4x8xf32 1x3x8x4xf32 2x2x1x3xf32",
        "2x2x1x3x4x4xf32",
        "is_input_b_sparse = false",
        "neither input is sparse",
    ),
    ("sparse_matmul", "2x2x4x8xf32 1x3x8x4xf32 2x2x1x2xf32", "2x2x1x3x4x4xf32", "", "8 entries for 12"),
    ("sparse_matmul", "2x2x4x8xf32 1x3x8x4xf32 2x2x1x3xf32", "2x2x1x3x4x4xf32", "nnz = 13 : i64", "nnz is 13"),
    ("sparse_matmul", "2x2x4x8xf32 1x3x8x4xf32 2x2x1x3xf32", "2x2x1x3x4x4xf32", "nnz = -1 : i64", "nnz is -1"),
]
