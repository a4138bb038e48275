"""Identities are left out: values as with them, and casts only where no number changes on the way."""

import re

import numpy as np
import pytest

import ttstack
from tests.docs.pages import ROOT
from ttstack.ops.types import DType
from ttstack.passes.ttir.simplify.fold_identities import holds

TEXT = ROOT / "tests/filecheck/passes/fold_identities.mlir"
PLAIN = [dtype for dtype in DType if not dtype.is_block]


def numbers(dtype: DType) -> np.ndarray:
    """All numbers of small types, those at the edges of large ones."""
    if dtype is DType.I1:
        return np.array([False, True])
    if dtype.bits <= 16:
        found = np.arange(2**dtype.bits, dtype=f"u{dtype.bits // 8}").view(dtype.numpy)
        with np.errstate(invalid="ignore"):
            return found[np.isfinite(found.astype(np.float64))]
    if dtype.is_float:
        return np.array([0, 1 + np.finfo(dtype.numpy).eps, np.finfo(dtype.numpy).max, 2.0**-140], dtype.numpy)
    bounds = np.iinfo(dtype.numpy)
    return np.array([bounds.min, bounds.max, bounds.max - 1, 2**24 + 1], dtype.numpy)


@pytest.mark.parametrize("narrow", PLAIN, ids=str)
def test_a_type_holds_another_where_no_number_changes(narrow: DType):
    values = numbers(narrow)
    with np.errstate(all="ignore"):
        for wide in PLAIN:
            kept = values.astype(wide.numpy)
            back = kept.astype(narrow.numpy)
            reals = [
                x.astype(np.float64 if x.dtype.kind not in "iu" else object).tolist() for x in (values, kept, back)
            ]
            assert holds(wide, narrow) == (reals[0] == reals[1] == reals[2]), wide


@pytest.mark.parametrize("function", re.findall(r"func\.func @(\w+)", TEXT.read_text()))
def test_values_are_those_with_them(function: str):
    folded, plain = (ttstack.compile(TEXT, function=function, without=given) for given in (None, "fold-identities"))
    rng = np.random.default_rng(0)
    given = {name: (rng.standard_normal(t.shape) * 9).astype(t.dtype.numpy) for name, t in folded.inputs().items()}
    got, want = folded.run(given).outputs, plain.run(given).outputs
    assert got.keys() == want.keys()
    for name, values in want.items():
        np.testing.assert_array_equal(got[name], values)
    assert len(folded.cost().ops) <= len(plain.cost().ops)


EMPTY = """func.func @f(%x: tensor<2x4x32x64xf32>, %i: tensor<0x4x32x64xsi32>, %s: tensor<0x4x32x64xf32>) -> (
    tensor<2x8x32x64xf32>, tensor<2x4x32x64xf32>, tensor<2x4x32x64xf32>, tensor<2x0x32x64xf32>) {
  %e = "ttir.slice_static"(%x) {begins = [0 : i32, 4 : i32, 0 : i32, 0 : i32], ends = [2 : i32, 4 : i32, 32 : i32, 64 : i32],
    step = [1 : i32, 1 : i32, 1 : i32, 1 : i32]} : (tensor<2x4x32x64xf32>) -> tensor<2x0x32x64xf32>
  %n = "ttir.neg"(%e) : (tensor<2x0x32x64xf32>) -> tensor<2x0x32x64xf32>
  %joined = "ttir.concat"(%x, %n, %x) {dim = 1 : si32}
    : (tensor<2x4x32x64xf32>, tensor<2x0x32x64xf32>, tensor<2x4x32x64xf32>) -> tensor<2x8x32x64xf32>
  %sum = "ttir.sum"(%e) {dim_arg = [1 : i32], keep_dim = true} : (tensor<2x0x32x64xf32>) -> tensor<2x1x32x64xf32>
  %more = "ttir.add"(%x, %sum) : (tensor<2x4x32x64xf32>, tensor<2x1x32x64xf32>) -> tensor<2x4x32x64xf32>
  %put = "ttir.scatter"(%x, %i, %s) {dim = 0 : i32, scatter_reduce_type = #ttcore.reduce_type<sum>}
    : (tensor<2x4x32x64xf32>, tensor<0x4x32x64xsi32>, tensor<0x4x32x64xf32>) -> tensor<2x4x32x64xf32>
  return %joined, %more, %put, %n : tensor<2x8x32x64xf32>, tensor<2x4x32x64xf32>, tensor<2x4x32x64xf32>, tensor<2x0x32x64xf32>
}"""


def test_what_has_no_elements_is_no_op():
    program = ttstack.compile(EMPTY)
    assert [op.name for op in program.cost().ops] == ["concat"]
    x = np.random.default_rng(0).standard_normal((2, 4, 32, 64), np.float32)
    given = {"x": x, "i": np.empty((0, 4, 32, 64), np.int32), "s": x[:0]}
    joined, more, put, nothing = program.run(dict(zip(program.inputs(), given.values(), strict=True))).outputs.values()
    np.testing.assert_array_equal(joined, np.concatenate([x, x], 1))
    np.testing.assert_array_equal(more, x)
    np.testing.assert_array_equal(put, x)
    assert nothing.shape == (2, 0, 32, 64)
    assert "ttnn.concat" in program.to_python()
