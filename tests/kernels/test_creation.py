"""Tensors made of attributes."""

import numpy as np
import pytest


def test_constant_keeps_type_and_spreads_a_splat(run):
    assert run("constant", value=[1, 2], dtype=np.int8).tolist() == [1, 2]
    splat = run("constant", value=np.float32(3), shape=(1000, 1000))
    assert splat.shape == (1000, 1000)
    assert splat.strides == (0, 0)


@pytest.mark.parametrize(("name", "value"), [("zeros", 0), ("ones", 1), ("empty", 0)])
def test_filled(name, value, run):
    out = run(name, shape=(2, 3), dtype=np.dtype(np.int16))
    assert out.tolist() == [[value] * 3] * 2
    assert out.dtype == np.int16


def test_full(run):
    assert run("full", shape=(2,), fill_value=2.5).tolist() == [2.5, 2.5]
    assert run("full", shape=(), fill_value=7, dtype=np.int32).item() == 7


def test_arange_along_an_axis(run):
    out = run("arange", start=1, end=8, step=3, arange_dimension=1, shape=(2, 3, 2), dtype=np.int32)
    np.testing.assert_array_equal(out, np.broadcast_to(np.array([1, 4, 7])[:, None], (2, 3, 2)))


def test_arange_counts_down(run):
    assert run("arange", start=3, end=0, step=-1, arange_dimension=0, shape=(3,)).tolist() == [3, 2, 1]


def test_rand_is_uniform_and_repeatable(run):
    x = run("rand", size=(100, 100), low=-1.0, high=3.0, seed=5)
    assert x.dtype == np.float32
    assert x.min() >= -1
    assert x.max() < 3
    np.testing.assert_allclose([x.mean(), x.std()], [1, 4 / 12**0.5], atol=0.05)
    np.testing.assert_array_equal(x, run("rand", size=(100, 100), low=-1.0, high=3.0, seed=5))
    assert (x != run("rand", size=(100, 100), low=-1.0, high=3.0, seed=6)).any()


def test_dropout_zeroes_a_share_and_scales_the_rest(run):
    out = run("dropout", np.ones((200, 200), np.float32), prob=0.25, scale=4 / 3, seed=1)
    assert set(np.unique(out)) == {np.float32(0), np.float32(4 / 3)}
    assert abs((out == 0).mean() - 0.25) < 0.02


def test_dropout_of_probability_0_only_scales(run):
    assert run("dropout", np.ones(3, np.float32), prob=0.0, scale=2.0).tolist() == [2, 2, 2]
