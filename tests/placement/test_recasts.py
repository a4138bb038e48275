"""Casts between types that the device holds in one format: the result is the operand's buffer, and nothing runs."""

import numpy as np
import pytest

import ttstack
from ttstack.options.choices import Numerics

TEXT = """
func.func @main(%x: tensor<64x64xf32>, %w: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %0 = "ttir.exp"(%x) : (tensor<64x64xf32>) -> tensor<64x64xf32>
  %1 = "ttir.typecast"(%0) : (tensor<64x64xf32>) -> tensor<64x64xbf16>
  %2 = "ttir.typecast"(%w) : (tensor<64x64xf32>) -> tensor<64x64xbf16>
  %3 = "ttir.matmul"(%1, %2) : (tensor<64x64xbf16>, tensor<64x64xbf16>) -> tensor<64x64xbf16>
  %4 = "ttir.typecast"(%3) : (tensor<64x64xbf16>) -> tensor<64x64xf32>
  return %4 : tensor<64x64xf32>
}
"""
WRITTEN = """
func.func @main(%cache: tensor<1x2x64x32xf32>, %new: tensor<1x2x1x32xf32>, %at: tensor<1xsi32>)
    -> tensor<1x2x64x32xbf16> {
  %0 = "ttir.typecast"(%cache) : (tensor<1x2x64x32xf32>) -> tensor<1x2x64x32xbf16>
  %1 = "ttir.update_cache"(%cache, %new, %at) <{batch_offset = 0 : i32}>
    : (tensor<1x2x64x32xf32>, tensor<1x2x1x32xf32>, tensor<1xsi32>) -> tensor<1x2x64x32xf32>
  %2 = "ttir.typecast"(%1) : (tensor<1x2x64x32xf32>) -> tensor<1x2x64x32xbf16>
  %3 = "ttir.subtract"(%2, %0) : (tensor<1x2x64x32xbf16>, tensor<1x2x64x32xbf16>) -> tensor<1x2x64x32xbf16>
  return %3 : tensor<1x2x64x32xbf16>
}
"""
TRUTH = """
func.func @main(%x: tensor<64x64xf32>, %z: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %0 = "ttir.gt"(%x, %z) : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xi1>
  %1 = "ttir.typecast"(%0) : (tensor<64x64xi1>) -> tensor<64x64xf32>
  return %1 : tensor<64x64xf32>
}
"""
RNG = np.random.default_rng(0)
GIVEN = {"arg0": RNG.standard_normal((64, 64), np.float32), "arg1": RNG.standard_normal((64, 64), np.float32)}


def casts(program: ttstack.Program) -> list[bool]:
    """For each cast, whether its result has no buffer of its own."""
    function = program.function()
    return [function.tensors[o.results[0]].alias is not None for o in function.operations if o.name == "typecast"]


@pytest.mark.parametrize(("dtype", "views"), [("bf16", True), ("bfp8_b", True), ("f32", True), (None, False)])
def test_a_cast_runs_where_the_device_has_two_formats(dtype: str | None, *, views: bool):
    program = ttstack.compile(TEXT, dtype=dtype)
    assert casts(program) == [views] * 3
    assert [op.name for op in program.cost().ops].count("typecast") == (0 if views else 3)
    assert "ttnn.typecast" in program.to_python() or views


def test_an_argument_in_a_format_of_its_own_is_cast():
    asked = {"arguments": [{"name": "arg1", "dtype": "bfp8_b"}]}
    assert casts(ttstack.compile(TEXT, dtype="bf16", overrides=asked)) == [True, False, True]


def test_values_are_rounded_where_the_source_says_so():
    program = ttstack.compile(TEXT, dtype="bf16")
    bf16 = [_rounded(of) for of in (np.exp(GIVEN["arg0"]), GIVEN["arg1"])]
    wanted = _rounded(bf16[0] @ bf16[1])
    (found,) = program.run(GIVEN, numerics="ieee").outputs.values()
    np.testing.assert_allclose(found, wanted, rtol=1e-2)
    exact = np.exp(GIVEN["arg0"]) @ GIVEN["arg1"]
    assert np.abs(found - wanted).max() < np.abs(found - exact).max()
    np.testing.assert_array_equal(found, _rounded(found))


@pytest.mark.parametrize(("dtype", "view"), [("bf16", True), ("bfp8_b", False), ("f32", False)])
def test_truth_values_are_reals_where_these_lie_in_their_format(dtype: str, *, view: bool):
    program = ttstack.compile(TRUTH, dtype=dtype)
    assert casts(program) == [view]
    x, z = RNG.integers(-3, 4, (2, 64, 64)).astype(np.float32)
    (found,) = program.run({"arg0": x, "arg1": z}, numerics="device").outputs.values()
    np.testing.assert_array_equal(found, (x > z).astype(np.float32))


@pytest.mark.parametrize("numerics", ["ieee", "device"])
def test_a_cast_of_what_is_written_to_later_keeps_what_it_was(numerics: Numerics):
    program = ttstack.compile(WRITTEN, dtype="bf16")
    given = {"arg0": np.ones((1, 2, 64, 32), np.float32), "arg1": np.full((1, 2, 1, 32), 3, np.float32)}
    (found,) = program.run(given | {"arg2": np.array([5], np.int32)}, numerics=numerics).outputs.values()
    wanted = np.zeros((1, 2, 64, 32))
    wanted[:, :, 5] = 2
    np.testing.assert_array_equal(np.asarray(found, np.float64), wanted)


def _rounded(values: np.ndarray) -> np.ndarray:
    """In bf16, to the nearest even."""
    bits = np.ascontiguousarray(values, np.float32).view(np.uint32)
    return ((bits + 0x7FFF + ((bits >> 16) & 1)) & 0xFFFF0000).view(np.float32)
