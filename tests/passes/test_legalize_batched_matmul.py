"""Products of a batch whose rows are too wide for its kernel are cut, with the same values."""

import numpy as np
import pytest

import ttstack

TEXT = """
func.func @f(%a: tensor<{a}xf32>, %b: tensor<{b}xf32>) -> tensor<{out}xf32> {{
  %0 = "ttir.matmul"(%a, %b) {{transpose_b = {turned}}} : (tensor<{a}xf32>, tensor<{b}xf32>) -> tensor<{out}xf32>
  return %0 : tensor<{out}xf32>
}}
"""
CASES = {
    "each matrix alone": ("2x64x128", "2x128x8192", "2x64x8192"),
    "transposed": ("2x64x128", "2x8192x128", "2x64x8192"),
    "two dimensions of a batch": ("2x2x32x64", "2x2x64x8256", "2x2x32x8256"),
    "pieces of columns of many": ("300x32x32", "300x32x4160", "300x32x4160"),
}


@pytest.mark.parametrize("case", CASES)
def test_a_wide_product_is_cut(case: str):
    a, b, out = CASES[case]
    program = ttstack.compile(TEXT.format(a=a, b=b, out=out, turned=str(case == "transposed").lower()))
    names = [op.name for op in program.cost().ops]
    assert names.count("matmul") > 1
    assert names[-1] == "concat"
    rng = np.random.default_rng(0)
    x, y = (rng.standard_normal([int(n) for n in shape.split("x")], np.float32) for shape in (a, b))
    (found,) = program.run({"arg0": x, "arg1": y}).outputs.values()
    wanted = x @ (y.swapaxes(-1, -2) if case == "transposed" else y)
    np.testing.assert_allclose(found, wanted, rtol=1e-4, atol=1e-3)


def test_a_product_that_fits_stays():
    program = ttstack.compile(TEXT.format(a="2x64x128", b="2x128x512", out="2x64x512", turned="false"))
    assert [op.name for op in program.cost().ops] == ["matmul"]
