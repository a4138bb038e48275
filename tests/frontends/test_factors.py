"""Triangular systems, Cholesky factors and Threefry: values against PyTorch, JAX and published vectors."""

from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

import ttstack
from tests.frontends.call_text import call, ffi, results_of, typed
from ttstack.diagnostics import UnsupportedOpError
from ttstack.frontends.limits import FACTOR_ROWS

Array = np.ndarray[Any, Any]
EXPORTS = Path(__file__).parent / "jax_exports"
RNG = np.random.default_rng(14)
FORMS = list(product([True, False], repeat=4))


def triangle(rows: int, *batch: int) -> Array:
    """A full matrix whose diagonal is large: which triangle counts is for the op to say."""
    return (RNG.standard_normal((*batch, rows, rows)) / rows + 2 * np.eye(rows)).astype("f4")


def solve(a: Array, b: Array, left: bool, lower: bool, transposed: bool, unit: bool) -> str:
    word = "TRANSPOSE" if transposed else "NO_TRANSPOSE"
    return f"""func.func @main(%a: {typed(a)}, %b: {typed(b)}) -> {typed(b)} {{
      %x = "stablehlo.triangular_solve"(%a, %b) <{{left_side = {str(left).lower()}, lower = {str(lower).lower()},
        unit_diagonal = {str(unit).lower()}, transpose_a = #stablehlo<transpose {word}>}}> : ({typed(a)}, {typed(b)}) -> {typed(b)}
      return %x : {typed(b)}
    }}"""


@pytest.mark.parametrize(("left", "lower", "transposed", "unit"), FORMS)
def test_triangular_systems(left: bool, lower: bool, transposed: bool, unit: bool):
    a, b = triangle(5, 2), RNG.standard_normal((2, 5, 3) if left else (2, 3, 5)).astype("f4")
    given, right = torch.from_numpy(a), torch.from_numpy(b)
    matrix, upper = (given.mT, lower) if transposed else (given, not lower)
    wanted = torch.linalg.solve_triangular(matrix, right, upper=upper, left=left, unitriangular=unit)
    (got,) = results_of(solve(a, b, left, lower, transposed, unit), [a, b])
    np.testing.assert_allclose(got, wanted, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("rows", [1, 2, 37])
def test_systems_of_any_size(rows: int):
    a, b = triangle(rows), RNG.standard_normal((rows, 4)).astype("f4")
    wanted = torch.linalg.solve_triangular(torch.from_numpy(a), torch.from_numpy(b), upper=False)
    (got,) = results_of(solve(a, b, left=True, lower=True, transposed=False, unit=False), [a, b])
    np.testing.assert_allclose(got, wanted, rtol=1e-4, atol=1e-5)


def test_an_export_that_calls_lapack():
    with np.load(EXPORTS / "solve.npz") as file:
        a, b, wanted = file["input0"], file["input1"], file["output0"]
    program = ttstack.compile(EXPORTS / "solve.mlir")
    (got,) = program.run(dict(zip(program.inputs(), (a, b), strict=True))).outputs.values()
    np.testing.assert_allclose(got, wanted, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("name", ["lapack_strsm_ffi", "lapack_dtrsm_ffi"])
@pytest.mark.parametrize(("left", "lower", "transposed", "unit"), [FORMS[0], FORMS[6], FORMS[13]])
def test_systems_as_jax_gives_them_to_lapack(name: str, left: bool, lower: bool, transposed: bool, unit: bool):
    a, b = triangle(5), RNG.standard_normal((5, 3) if left else (3, 5)).astype("f4")
    letters = {"side": "RL"[left], "uplo": "UL"[lower], "trans_x": "NT"[transposed], "diag": "NU"[unit]}
    said = ffi({option: ord(letter) for option, letter in letters.items()})
    (wanted,) = results_of(solve(a, b, left, lower, transposed, unit), [a, b])
    (got,) = results_of(call(name, [a, b], [b], said), [a, b])
    np.testing.assert_array_equal(got, wanted)


def cholesky(a: Array, lower: bool) -> str:
    return f"""func.func @main(%a: {typed(a)}) -> {typed(a)} {{
      %x = stablehlo.cholesky %a, lower = {str(lower).lower()} : {typed(a)}
      return %x : {typed(a)}
    }}"""


@pytest.mark.parametrize(("shape", "lower"), [((1, 1), True), ((2, 5, 5), True), ((2, 5, 5), False), ((33, 33), True)])
def test_cholesky_factors_read_one_triangle(shape: tuple[int, ...], lower: bool):
    half = RNG.standard_normal(shape).astype("f4")
    a = half @ half.swapaxes(-1, -2) + shape[-1] * np.eye(shape[-1], dtype="f4")
    factor = torch.linalg.cholesky(torch.from_numpy(a)).numpy()
    given = np.tril(a) if lower else np.triu(a)
    (got,) = results_of(cholesky(given, lower), [given])
    np.testing.assert_allclose(got, factor if lower else factor.swapaxes(-1, -2), rtol=1e-4, atol=1e-5)


def test_what_is_too_large_is_refused():
    a = np.zeros((FACTOR_ROWS + 1, FACTOR_ROWS + 1), np.float32)
    with pytest.raises(UnsupportedOpError, match=rf"is of {FACTOR_ROWS + 1} rows, at most {FACTOR_ROWS} are supported"):
        ttstack.compile(cholesky(a, lower=True))


@pytest.mark.parametrize("name", ["lapack_sgesdd_ffi", "lapack_dpotrf_ffi", "Qr"])
def test_other_factors_say_why_not(name: str):
    x = np.zeros((3, 3), np.float32)
    with pytest.raises(UnsupportedOpError, match=rf"@{name}: 1, first at .*; it .* make its result an input"):
        ttstack.compile(call(name, [x], [x]))


@pytest.mark.parametrize(
    ("key", "counter", "wanted"),
    [
        ((0, 0), (0, 0), (0x6B200159, 0x99BA4EFE)),
        ((0xFFFFFFFF, 0xFFFFFFFF), (0xFFFFFFFF, 0xFFFFFFFF), (0x1CB996FC, 0xBB002BE7)),
        ((0x13198A2E, 0x03707344), (0x243F6A88, 0x85A308D3), (0xC4923A9C, 0x483DF7A0)),
    ],
)
def test_threefry_gives_the_vectors_of_its_authors(
    key: tuple[int, int], counter: tuple[int, int], wanted: tuple[int, int]
):
    inputs = [np.full(3, word, np.uint32) for word in (*key, *counter)]
    for name in ("cu_threefry2x32", "cu_threefry2x32_ffi", "hip_threefry2x32", "hip_threefry2x32_ffi"):
        got = results_of(call(name, inputs, inputs[:2]), inputs)
        for words, word in zip(got, wanted, strict=True):
            np.testing.assert_array_equal(words, np.full(3, word, np.uint32))
