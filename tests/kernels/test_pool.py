"""Pools and resizing against torch."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.kernels.kernel_of import kernel_of

torch = pytest.importorskip("torch")
F = torch.nn.functional


def to_first(x):
    return torch.from_numpy(np.moveaxis(x, -1, 1).copy())


def to_last(x):
    return np.moveaxis(x.numpy(), 1, -1)


windows = {
    "size": st.tuples(st.integers(5, 9), st.integers(5, 9)),
    "kernel": st.tuples(st.integers(2, 3), st.integers(2, 3)),
    "stride": st.tuples(st.integers(1, 3), st.integers(1, 3)),
    "padding": st.integers(0, 1),
    "ceil_mode": st.booleans(),
}


@settings(deadline=None, max_examples=60)
@given(**windows, dilation=st.integers(1, 2))
def test_max_pools(size, kernel, *, stride, padding, ceil_mode, dilation):
    x = np.random.default_rng(sum(size)).integers(-5, 5, (2, *size, 3)).astype(np.float32)
    attributes = {"kernel": kernel, "stride": stride, "padding": padding, "dilation": dilation}
    wanted, at = F.max_pool2d(to_first(x), kernel, stride, padding, dilation, ceil_mode, return_indices=True)
    np.testing.assert_array_equal(kernel_of("max_pool2d")(x, **attributes, ceil_mode=ceil_mode), to_last(wanted))
    values, indices = kernel_of("max_pool2d_with_indices")(x, **attributes, ceil_mode=ceil_mode)
    np.testing.assert_array_equal(values, to_last(wanted))
    np.testing.assert_array_equal(indices, to_last(at))


def test_max_pool_of_integers_and_of_nan(run):
    attributes = {"kernel": 2, "stride": 2, "padding": 1, "dilation": 1, "ceil_mode": False}
    assert run("max_pool2d", np.full((1, 2, 2, 1), -7, np.int8), **attributes).tolist() == [[[[-7], [-7]]] * 2]
    x = np.zeros((1, 2, 2, 1))
    x[0, 0, 0] = np.nan
    assert np.isnan(run("max_pool2d", x, **attributes)).sum() == 1
    assert np.isnan(run("max_pool2d_with_indices", x, **attributes)[0]).sum() == 1


@settings(deadline=None, max_examples=60)
@given(**windows, counts=st.booleans())
def test_avg_pool(size, kernel, *, stride, padding, ceil_mode, counts):
    x = np.random.default_rng(sum(size)).standard_normal((2, *size, 3))
    wanted = F.avg_pool2d(to_first(x), kernel, stride, padding, ceil_mode, counts)
    got = kernel_of("avg_pool2d")(
        x,
        kernel=kernel,
        stride=stride,
        padding=padding,
        dilation=1,
        ceil_mode=ceil_mode,
        count_include_pad=counts,
    )
    np.testing.assert_allclose(got, to_last(wanted), rtol=1e-12, atol=1e-14)


def test_global_avg_pool(run, agree, rng):
    x = rng.standard_normal((2, 5, 6, 3)).astype(np.float32)
    agree(run("global_avg_pool2d", x), x.mean((1, 2), keepdims=True))


@pytest.mark.parametrize("mode", ["nearest", "bilinear"])
@pytest.mark.parametrize("factor", [2, (3, 1)])
def test_upsample(factor, mode, run, agree, rng):
    x = rng.standard_normal((2, 4, 5, 3))
    wanted = F.interpolate(to_first(x), scale_factor=factor, mode=mode)
    agree(run("upsample2d", x, scale_factor=factor, mode=mode), to_last(wanted))
