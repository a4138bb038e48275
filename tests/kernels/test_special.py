"""erf and erfc against the C library, over the whole range."""

import math

import numpy as np
import pytest

X = np.concatenate([np.linspace(-7, 7, 14001), np.linspace(0.8, 6.1, 5000), np.logspace(-300, 0, 600)])


def relative(got, want):
    return np.abs(got - want) / np.where(want == 0, 1, np.abs(want))


def test_erf_in_float64(run):
    assert relative(run("erf", X), np.array([math.erf(x) for x in X])).max() < 5e-16


def test_erfc_in_float64_keeps_relative_precision_in_the_tail(run):
    x = np.linspace(-7, 26.5, 20000)
    assert relative(run("erfc", x), np.array([math.erfc(v) for v in x])).max() < 2e-15


def test_erf_in_float32(run):
    x = X.astype(np.float32)[np.abs(X) > 1e-30]
    assert relative(run("erf", x), np.array([math.erf(v) for v in x])).max() < 4e-7


def test_erfc_in_float32(run):
    x = np.linspace(-5, 9, 5000).astype(np.float32)
    assert relative(run("erfc", x), np.array([math.erfc(v) for v in x])).max() < 1e-7


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize(("name", "wanted"), [("erf", [1, -1]), ("erfc", [0, 2])])
def test_ends(name, wanted, dtype, run):
    out = run(name, np.array([np.inf, -np.inf, np.nan], dtype))
    np.testing.assert_array_equal(out, np.array([*wanted, np.nan], dtype))
    assert out.dtype == dtype


def test_gelu_of_a_strided_view_and_of_many_elements(run):
    x = np.random.default_rng(1).standard_normal((130, 520))
    exact = np.array([v / 2 * math.erfc(-v / math.sqrt(2)) for v in x.T.flat]).reshape(x.T.shape)
    np.testing.assert_allclose(run("gelu", x.T), exact, rtol=1e-13)


def test_gelu_of_nothing(run):
    assert run("gelu", np.zeros((0, 3), np.float32)).shape == (0, 3)
