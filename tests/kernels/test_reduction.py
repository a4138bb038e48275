"""Reductions, scans, softmax, sorting and sampling."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.kernels.kernel_of import kernel_of

torch = pytest.importorskip("torch")

FLOATS = [np.float32, np.float64]
REDUCE = {
    "sum": torch.sum,
    "mean": torch.mean,
    "max": torch.amax,
    "min": torch.amin,
}


@pytest.mark.parametrize("keep_dim", [False, True])
@pytest.mark.parametrize("dims", [(0,), (1,), (-1,), (0, 2), (1, -1, 0)])
@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("name", REDUCE)
def test_reductions(name, dtype, dims, keep_dim, *, run, agree, rng):
    x = rng.standard_normal((4, 5, 6)).astype(dtype)
    agree(
        run(name, x, dim_arg=dims, keep_dim=keep_dim),
        REDUCE[name](torch.from_numpy(x), dims, keepdim=keep_dim),
    )


@pytest.mark.parametrize("keep_dim", [False, True])
@pytest.mark.parametrize("name", REDUCE)
def test_reductions_of_all_axes(name, keep_dim, run, agree, rng):
    x = rng.standard_normal((3, 4))
    wanted = REDUCE[name](torch.from_numpy(x), (0, 1), keepdim=keep_dim)
    agree(run(name, x, keep_dim=keep_dim), wanted)
    agree(run(name, x, dim_arg=None, keep_dim=keep_dim), wanted)


def test_a_long_float32_sum_keeps_its_digits(run):
    x = np.full((1 << 20, 2), 0.1, np.float32)
    np.testing.assert_allclose(run("sum", x, dim_arg=(0,)), np.float32(0.1) * np.float64(1 << 20), rtol=1e-7)


def test_prod(run, agree, rng):
    x = rng.standard_normal((3, 5)).astype(np.float32)
    agree(run("prod", x, dim_arg=(1,), keep_dim=True), torch.prod(torch.from_numpy(x), 1, keepdim=True))


def test_integers_wrap_in_their_type(run):
    x = np.array([100, 100], np.int8)
    assert run("sum", x).item() == -56
    assert run("prod", x).item() == 16
    assert run("cumsum", x, dim=0).tolist() == [100, -56]
    assert run("mean", x).item() == 100


def test_nan_wins_and_nothing_gives_the_identity(run):
    assert np.isnan(run("max", np.array([1.0, np.nan])))
    assert run("max", np.zeros((2, 0), np.float32), dim_arg=(1,)).tolist() == [-np.inf, -np.inf]
    assert run("min", np.zeros((0,), np.int8)).item() == 127


@pytest.mark.parametrize(("name", "check"), [("reduce_and", torch.all), ("reduce_or", torch.any)])
def test_logical_reductions(name, check, run, agree, rng):
    x = rng.integers(0, 3, (6, 4)).astype(np.float32)
    agree(run(name, x, dim_arg=(1,), keep_dim=True), check(torch.from_numpy(x) != 0, 1, keepdim=True))


@pytest.mark.parametrize("keep_dim", [False, True])
def test_argmax_of_one_axis(keep_dim, run, agree, rng):
    x = rng.standard_normal((3, 4, 5))
    agree(
        run("argmax", x, dim_arg=(-2,), keep_dim=keep_dim),
        torch.argmax(torch.from_numpy(x), 1, keepdim=keep_dim),
    )


def test_argmax_of_all_and_of_several_axes(run, rng):
    x = rng.standard_normal((3, 4, 5))
    assert run("argmax", x).item() == x.argmax()
    np.testing.assert_array_equal(run("argmax", x, dim_arg=(0, 2)), x.transpose(1, 0, 2).reshape(4, 15).argmax(1))
    assert run("argmax", x, dim_arg=(0, 2), keep_dim=True).shape == (1, 4, 1)


@pytest.mark.parametrize(("name", "scan"), [("cumsum", torch.cumsum), ("cumprod", torch.cumprod)])
@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("dim", [0, -1])
def test_scans(name, scan, dim, dtype, *, run, agree, rng):
    x = rng.standard_normal((7, 9)).astype(dtype)
    agree(run(name, x, dim=dim), scan(torch.from_numpy(x), dim))


@settings(deadline=None, max_examples=40)
@given(
    shape=st.lists(st.integers(1, 6), min_size=1, max_size=4),
    axis=st.integers(0, 3),
    shift=st.sampled_from([0.0, 1e4, -1e4]),
    stable=st.booleans(),
)
def test_softmax(shape, axis, shift, stable):
    x = np.random.default_rng(sum(shape)).standard_normal(shape) * 4 + shift
    axis %= len(shape)
    got = kernel_of("softmax")(x, dimension=axis - len(shape), numericStable=stable)
    np.testing.assert_allclose(got, torch.softmax(torch.from_numpy(x), axis), rtol=1e-12)


def test_softmax_leaves_its_operand(run):
    x = np.ones((2, 3), np.float32)
    run("softmax", x, dimension=1)
    assert (x == 1).all()


@pytest.mark.parametrize("descending", [False, True])
@pytest.mark.parametrize("dim", [0, -1])
def test_sort_is_stable(dim, descending, run, agree, rng):
    x = rng.integers(0, 4, (9, 8)).astype(np.float32)
    x[2, 3] = np.nan
    values, indices = torch.sort(torch.from_numpy(x), dim=dim, descending=descending, stable=True)
    got = run("sort", x, dim=dim, descending=descending)
    agree(got[0], values)
    agree(got[1], indices)


@pytest.mark.parametrize("largest", [False, True])
@pytest.mark.parametrize("dim", [0, -1])
def test_topk(dim, largest, run, agree, rng):
    x = rng.standard_normal((6, 11))
    values, indices = torch.topk(torch.from_numpy(x), 4, dim, largest=largest)
    got = run("topk", x, k=4, dim=dim, largest=largest, sorted=True)
    agree(got[0], values)
    agree(got[1], indices)


def sample(run, values, k, p, *, temp=1.0, seed=0):
    rows = len(values)
    ids = np.arange(values.size).reshape(values.shape) + 1000
    column = [np.full(rows, value, np.float32) for value in (k, p, temp)]
    return run("sampling", values, ids, *column, seed=seed) - 1000


@pytest.mark.parametrize(("k", "p", "temp"), [(1, 1.0, 1.0), (9, 0.0, 1.0), (9, 1.0, 0.0)])
def test_sampling_of_one_candidate_is_greedy(k, p, temp, *, run, rng):
    values = rng.standard_normal((5, 9)).astype(np.float32)
    np.testing.assert_array_equal(sample(run, values, k, p, temp=temp), values.argmax(1) + 9 * np.arange(5))


def test_sampling_follows_the_probabilities_of_the_kept_candidates(run):
    values = np.tile(np.log(np.array([0.1, 0.5, 0.25, 0.15], np.float32)), (4000, 1))
    counts = np.bincount(sample(run, values, 3, 0.7) % 4, minlength=4) / 4000
    np.testing.assert_allclose(counts, [0, 2 / 3, 1 / 3, 0], atol=0.03)


def test_sampling_repeats_with_its_seed(run, rng):
    values = rng.standard_normal((50, 9)).astype(np.float32)
    first = sample(run, values, 9, 1.0, seed=3)
    np.testing.assert_array_equal(first, sample(run, values, 9, 1.0, seed=3))
    assert (first != sample(run, values, 9, 1.0, seed=4)).any()
