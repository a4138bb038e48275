"""Sorting, the best k, sampling, and random numbers: against torch, and what is ill-formed."""

import numpy as np
import pytest
from hypothesis import given, settings

import ttstack
from tests.kernels.kernel_of import kernel_of
from tests.ops.strategies import cases
from tests.ops.text import assert_refused, module, run
from ttstack_runtime.evaluate import evaluate

torch = pytest.importorskip("torch")


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(3)


@settings(max_examples=60, deadline=None)
@given(case=cases("sort"))
def test_sort_is_stable_in_both_directions(case):
    """Integers, so that there are equal ones."""
    attributes, x = dict(case.attributes), np.floor(case.arrays()[0].astype(np.float64) * 4)
    values, indices = kernel_of("sort")(x, **attributes)
    wanted = torch.sort(torch.from_numpy(x), dim=attributes["dim"], descending=attributes["descending"], stable=True)
    np.testing.assert_array_equal(values, wanted.values.numpy())
    np.testing.assert_array_equal(indices, wanted.indices.numpy())


@settings(max_examples=60, deadline=None)
@given(case=cases("topk"))
def test_topk(case):
    (x,) = case.arrays()
    values, indices = evaluate(case.op, [x])
    k, dim, largest = (case.attributes[n] for n in ("k", "dim", "largest"))
    wanted = torch.topk(torch.from_numpy(x.astype(np.float64)), k, dim, largest)
    np.testing.assert_array_equal(values.astype(np.float64), wanted.values.numpy())
    np.testing.assert_array_equal(np.take_along_axis(x, indices.astype(np.int64), dim), values)


def test_sort_as_written(rng):
    x = rng.random((4, 40)).astype(np.float32)
    properties = "descending = true, dim = -1 : si32, stable = true"
    values, indices = run(module("sort", properties, ["4x40xf32"], ["4x40xf32", "4x40xui16"]), x)
    np.testing.assert_array_equal(values, -np.sort(-x, axis=-1))
    assert indices.dtype == np.uint16
    np.testing.assert_array_equal(np.take_along_axis(x, indices.astype(int), -1), values)


def test_topk_as_written(rng):
    x = rng.random((4, 40)).astype(np.float32)
    properties = "k = 4 : i32, dim = 0 : i32, largest = false, sorted = true"
    values, indices = run(module("topk", properties, ["4x40xf32"], ["4x40xf32", "4x40xi32"]), x)
    np.testing.assert_array_equal(values, np.sort(x, axis=0))
    np.testing.assert_array_equal(indices, np.argsort(x, axis=0, kind="stable"))


SAMPLED = ["3x8xf32", "3x8xi32", "3xui32", "3xf32", "3xf32"]


def sampled(properties: str, k: int, p: float, temperature: float) -> np.ndarray:
    values = np.random.default_rng(1).random((3, 8)).astype(np.float32)
    ids = np.arange(100, 124, dtype=np.int32).reshape(3, 8)
    rows = [np.full(3, x, t) for x, t in ((k, np.uint32), (p, np.float32), (temperature, np.float32))]
    return run(module("sampling", properties, SAMPLED, ["3xi32"]), values, ids, *rows)[0]


def test_sampling_of_one_candidate_takes_the_best():
    values = np.random.default_rng(1).random((3, 8))
    best = values.astype(np.float32).argmax(axis=1) + np.array([100, 108, 116])
    np.testing.assert_array_equal(sampled("", 1, 1.0, 1.0), best)
    np.testing.assert_array_equal(sampled("", 8, 1.0, 0.0), best)
    np.testing.assert_array_equal(sampled("", 8, 0.0, 5.0), best)


def test_sampling_repeats_with_its_seed():
    draws = [sampled(f"seed = {seed} : ui32", 8, 1.0, 100.0).tolist() for seed in (7, 7, 8, 9, 10)]
    assert draws[0] == draws[1]
    assert len({tuple(d) for d in draws}) > 1


def test_sampling_follows_the_weights():
    count = 4000
    values = np.log(np.tile([0.5, 0.3, 0.2], (count, 1)))
    ids, ones = np.tile(np.arange(3), (count, 1)), np.ones(count)
    drawn = kernel_of("sampling")(values, ids, ones * 3, ones, ones, seed=1)
    np.testing.assert_allclose(np.bincount(drawn) / count, [0.5, 0.3, 0.2], atol=0.03)
    cut = kernel_of("sampling")(values, ids, ones * 3, ones * 0.6, ones, seed=1)
    assert set(cut.tolist()) == {0, 1}


def test_rand_repeats_with_its_seed_and_keeps_its_bounds():
    def drawn(seed: int) -> np.ndarray:
        properties = f"size = [64 : i32, 64 : i32], low = -1.0 : f32, high = 3.0 : f32, seed = {seed} : ui32"
        return run(module("rand", properties, [], ["64x64xbf16"]))[0].astype(np.float64)

    first, again, other = drawn(5), drawn(5), drawn(6)
    np.testing.assert_array_equal(first, again)
    assert (first != other).any()
    assert -1 <= first.min() < first.max() <= 3
    assert abs(first.mean() - 1) < 0.1


def test_dropout_repeats_with_its_seed():
    properties = "prob = 0.25 : f32, scale = 2.0 : f32, seed = 3 : ui32, use_per_device_seed = false"
    text, x = module("dropout", properties, ["64x64xf32"], ["64x64xf32"]), np.ones((64, 64), np.float32)
    (first,), (again,) = run(text, x), run(text, x)
    np.testing.assert_array_equal(first, again)
    assert set(np.unique(first)) == {0, 2}
    assert abs((first == 0).mean() - 0.25) < 0.05


def test_dropouts_of_two_seeds_are_not_merged():
    t = "tensor<64x64xf32>"
    text = f"""func.func @f(%x: {t}) -> ({t}, {t}) {{
      %0 = "ttir.dropout"(%x) <{{prob = 0.5 : f32, seed = 1 : ui32}}> : ({t}) -> {t}
      %1 = "ttir.dropout"(%x) <{{prob = 0.5 : f32, seed = 2 : ui32}}> : ({t}) -> {t}
      return %0, %1 : {t}, {t}
    }}"""
    first, second = ttstack.compile(text).run({"arg0": np.ones((64, 64), np.float32)}).outputs.values()
    assert (first != second).any()


REFUSED = [
    ("sort", "dim = 2 : si32", ["4x3xf32"], ["4x3xf32", "4x3xi32"], "dim 2 is out of range for rank 2"),
    ("sort", "", ["4x3xf32"], ["4x3xf32", "4x3xf32"], "indices is f32, not an integer"),
    ("sort", "", ["4x3xf32"], ["4x3xf32", "4x2xi32"], "indices is tensor<4x2xi32>, inferred tensor<4x3xi32>"),
    ("topk", "k = 4 : i32", ["4x3xf32"], ["4x4xf32", "4x4xi32"], "k is 4, dimension 1 of input_tensor has extent 3"),
    ("topk", "k = 0 : i32", ["4x3xf32"], ["4x0xf32", "4x0xi32"], "k is 0, dimension 1 of input_tensor has extent 3"),
    ("topk", "k = 1 : i32, dim = -3 : i32", ["4x3xf32"], ["4x1xf32", "4x1xi32"], "dim -3 is out of range for rank 2"),
    ("topk", "", ["4x3xf32"], ["4x3xf32", "4x3xi32"], "requires attribute 'k'"),
    ("sampling", "", ["8xf32", *SAMPLED[1:]], ["3xi32"], "input_values has rank 1, not 2"),
    ("sampling", "", ["3x7xf32", *SAMPLED[1:]], ["3xi32"], "input_indices [3, 8] differs from input_values [3, 7]"),
    ("sampling", "", [*SAMPLED[:2], "2xui32", *SAMPLED[3:]], ["3xi32"], "k has shape [2], expected [3]"),
    ("sampling", "", [*SAMPLED[:3], "3x1xf32", "3xf32"], ["3xi32"], "p has shape [3, 1], expected [3]"),
    ("sampling", "", [*SAMPLED[:2], "3xf32", *SAMPLED[3:]], ["3xi32"], "k is f32, not an integer"),
    ("sampling", "", SAMPLED, ["3xf32"], "result is f32, not an integer"),
    ("rand", "size = [4 : i32]", [], ["4x3xf32"], "size [4] differs from the result's [4, 3]"),
    ("rand", "size = [4 : i32]", [], ["4xi32"], "result holds i32, samples are real numbers"),
    ("rand", "size = [4 : i32], low = 2.0 : f32", [], ["4xf32"], "low 2.0 is not below high 1.0"),
    ("dropout", "prob = 1.5 : f32", ["4xf32"], ["4xf32"], "prob is 1.5, not from 0 to 1"),
    ("dropout", "prob = 0.5 : f32", ["4xi32"], ["4xi32"], "input holds i32, not real numbers"),
]


@pytest.mark.parametrize(("mnemonic", "properties", "operands", "results", "says"), REFUSED)
def test_what_is_ill_formed(mnemonic: str, properties: str, operands: list[str], results: list[str], says: str):
    assert_refused(module(mnemonic, properties, operands, results), says)
