"""Math fidelity and closeness."""

import numpy as np
import pytest

from ttstack.ops.types import DType
from ttstack_runtime.numerics import is_truncated, pcc, quantize, truncate_for_fidelity

X = np.random.default_rng(0).standard_normal((32, 32)).astype(np.float32)


@pytest.mark.parametrize(
    ("fidelity", "operand", "bits"),
    [("LoFi", 0, 6), ("LoFi", 1, 4), ("HiFi2", 0, 6), ("HiFi2", 1, 8), ("HiFi4", 0, 10), ("HiFi4", 1, 8)],
)
def test_the_mantissa_is_cut_toward_zero(fidelity, operand, bits):
    mantissa, exponent = np.frexp(X)
    wanted = np.ldexp(np.trunc(np.ldexp(mantissa, bits + 1)), exponent - bits - 1)
    np.testing.assert_array_equal(truncate_for_fidelity(X, fidelity, operand=operand), wanted)


@pytest.mark.parametrize("operand", [0, 1])
def test_hifi4_keeps_bf16(operand):
    x = quantize(X, "bf16")
    np.testing.assert_array_equal(truncate_for_fidelity(x, "HiFi4", operand=operand), x)


@pytest.mark.parametrize("name", ["bfp4_b", "bfp8_b"])
def test_lofi_keeps_bfp4_and_hifi2_keeps_bfp8(name):
    x = quantize(X, name)
    fidelity = "LoFi" if name == "bfp4_b" else "HiFi2"
    for operand in (0, 1):
        np.testing.assert_array_equal(truncate_for_fidelity(x, fidelity, operand=operand), x)


def test_what_is_not_finite_stays():
    x = np.array([np.inf, -np.inf, np.nan], np.float32)
    np.testing.assert_array_equal(truncate_for_fidelity(x, "LoFi", operand=1), x)


def test_pcc_is_the_correlation():
    noisy = X + 0.1 * X[::-1]
    assert pcc(X, noisy) == pytest.approx(np.corrcoef(X.ravel(), noisy.ravel())[0, 1], abs=1e-12)
    assert pcc(X, -2 * X) == pytest.approx(-1)


@pytest.mark.parametrize(
    ("a", "b", "wanted"),
    [
        ([3, 3], [3, 3], 1.0),
        ([0, 0], [0, 0], 1.0),
        ([3, 3], [4, 4], 0.0),
        ([3, 3], [3, 4], 0.0),
        ([], [], 1.0),
        ([np.inf, 1, 2], [np.inf, 2, 4], 1.0),
        ([np.nan, 1, 2], [np.nan, 1, 2], 1.0),
        ([np.nan, 1, 2], [0, 1, 2], 0.0),
        ([0, 1, 2], [np.inf, 1, 2], 0.0),
        ([1e-30, 2e-30], [1e-30, 2e-30], 1.0),
    ],
)
def test_pcc_at_its_edges(a, b, wanted):
    assert pcc(a, b) == pytest.approx(wanted)


def test_pcc_of_different_shapes():
    with pytest.raises(ValueError, match="differ"):
        pcc([1, 2], [1])


@pytest.mark.parametrize("operand", [0, 1])
@pytest.mark.parametrize("fidelity", ["LoFi", "HiFi2", "HiFi3", "HiFi4"])
@pytest.mark.parametrize("dtype", [DType.BF16, DType.F16, DType.BFP8_B, DType.BFP4_B, DType.F32])
def test_formats_that_lose_bits(dtype, fidelity, operand):
    x = quantize(X, dtype)
    changed = not np.array_equal(truncate_for_fidelity(x, fidelity, operand=operand), x)
    assert is_truncated(dtype, fidelity, operand=operand) == changed
