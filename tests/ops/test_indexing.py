"""Slices, windows, and elements picked or written by index: against torch, and what is ill-formed."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ttstack
from tests.kernels.kernel_of import kernel_of
from tests.ops.strategies import cases
from tests.ops.text import assert_refused, module, run
from ttstack.diagnostics import ExecutionError
from ttstack_runtime.evaluate import evaluate

torch = pytest.importorskip("torch")

_REDUCE = {"sum": "sum", "prod": "prod", "min": "amin", "max": "amax"}


def cube(*shape: int) -> np.ndarray:
    return np.arange(np.prod(shape), dtype=np.float32).reshape(shape)


def _torch(x: np.ndarray) -> Any:
    return torch.from_numpy(np.asarray(x, np.float64 if x.dtype.kind in "fV" else np.int64))


@settings(max_examples=60, deadline=None)
@given(case=cases("scatter"))
def test_scatter_in_all_modes(case):
    """Real numbers, and positions that are all different where values replace each other: torch leaves that open."""
    attributes, (x, index, source) = dict(case.attributes), case.arrays()
    x, source = x.astype(np.float64), source.astype(np.float64)
    dim, kind = attributes["dim"], attributes["scatter_reduce_type"]
    if kind == "invalid":
        index = index[tuple(slice(1) if d == dim else slice(None) for d in range(index.ndim))]
        wanted = _torch(x).scatter(dim, _torch(index), _torch(source))
    else:
        wanted = _torch(x).scatter_reduce(dim, _torch(index), _torch(source), _REDUCE[kind])
    got = kernel_of("scatter")(x, index, source, **attributes)
    np.testing.assert_allclose(got, wanted.numpy(), rtol=1e-12)


def test_the_last_of_several_values_for_one_place_stays():
    got = kernel_of("scatter")(np.zeros(2), np.array([1, 1, 1]), np.array([3.0, 4.0, 5.0]), dim=0)
    assert got.tolist() == [0, 5]


def test_integers_that_are_scattered_wrap():
    x, source = np.array([250], np.uint8), np.array([10, 1], np.uint8)
    got = kernel_of("scatter")(x, np.array([0, 0]), source, dim=0, scatter_reduce_type="sum")
    assert got.tolist() == [5]


@settings(max_examples=40, deadline=None)
@given(case=cases("gather"))
def test_gather(case):
    x, index = case.arrays()
    (got,) = evaluate(case.op, [x, index])
    wanted = torch.gather(_torch(x.astype(np.float64)), case.attributes["dim"], _torch(index))
    np.testing.assert_array_equal(got.astype(np.float64), wanted.numpy())


@settings(max_examples=40, deadline=None)
@given(case=cases("index_select"))
def test_index_select_takes_windows(case):
    (x,) = case.arrays()
    dim, begin, length, stride = (case.attributes[n] for n in ("dim", "begin", "length", "stride"))
    size = x.shape[dim]
    picked = [i for at in range(begin, size, stride or size) for i in range(at, min(at + length, size))]
    (got,) = evaluate(case.op, [x])
    wanted = torch.index_select(_torch(x.astype(np.float64)), dim, torch.tensor(picked))
    np.testing.assert_array_equal(got.astype(np.float64), wanted.numpy())


def test_slice_dynamic_as_written():
    text = module("slice_dynamic", "step = [1 : i32, 2 : i32]", ["4x32xf32", "2xi32", "2xi32"], ["2x8xf32"])
    x = cube(4, 32)
    (got,) = run(text, x, np.array([1, 8], np.int32), np.array([3, 24], np.int32))
    np.testing.assert_array_equal(got, x[1:3, 8:24:2])


def test_slice_dynamic_with_other_bounds_than_its_type_says():
    text = module("slice_dynamic", "", ["4x32xf32", "2xui32", "2xui32"], ["2x8xf32"])
    program = ttstack.compile(text)
    bounds = {"arg1": np.array([1, 0], np.uint32), "arg2": np.array([2, 8], np.uint32)}
    with pytest.raises(ExecutionError, match=r"the slice \[1:2:1, 0:8:1\] of \[4, 32\] has shape \[1, 8\]"):
        program.run({"arg0": cube(4, 32), **bounds})


@pytest.mark.parametrize("kind", ["invalid", "sum", "max"])
def test_scatter_as_written(kind: str):
    properties = f"dim = 0 : i32, scatter_reduce_type = #ttcore.reduce_type<{kind}>"
    x, index, source = cube(4, 3), np.array([[0, 3, 1]]), np.full((1, 3), 5, np.float32)
    (got,) = run(module("scatter", properties, ["4x3xf32", "1x3xi64", "1x3xf32"], ["4x3xf32"]), x, index, source)
    if kind == "invalid":
        wanted = _torch(x).scatter(0, _torch(index), _torch(source))
    else:
        wanted = _torch(x).scatter_reduce(0, _torch(index), _torch(source), _REDUCE[kind])
    np.testing.assert_array_equal(got, wanted.numpy())


@pytest.mark.parametrize(
    ("mnemonic", "operands"), [("gather", ["4x3xf32", "1x3xi32"]), ("scatter", ["4x3xf32", "1x3xi32", "1x3xf32"])]
)
def test_an_index_outside_is_told(mnemonic: str, operands: list[str]):
    result = "1x3xf32" if mnemonic == "gather" else "4x3xf32"
    program = ttstack.compile(module(mnemonic, "dim = 0 : i32", operands, [result]))
    arrays = {"arg0": cube(4, 3), "arg1": np.array([[0, 4, 1]], np.int32), "arg2": cube(1, 3)}
    with pytest.raises(ExecutionError, match="index 4 is outside of dimension 0, which has extent 4"):
        program.run({name: a for name, a in arrays.items() if name in program.inputs()})


def test_the_size_of_a_dimension_is_a_constant():
    program = ttstack.compile(module("get_dimension_size", "dimension = 1 : i32", ["13x21x3xf32"], ["1xi32"]))
    assert not program.function().operations
    assert program.run({"arg0": cube(13, 21, 3)}).outputs["output"].tolist() == [21]


REFUSED = [
    ("slice_dynamic", "", ["f32", "1xi32", "1xi32"], "1xf32", "input has rank 0, needs at least 1"),
    ("slice_dynamic", "", ["4x4xf32", "2x1xi32", "2xi32"], "2x2xf32", "begins has shape [2, 1], expected [2]"),
    ("slice_dynamic", "", ["4x4xf32", "2xi32", "3xi32"], "2x2xf32", "ends has shape [3], expected [2]"),
    ("slice_dynamic", "", ["4x4xf32", "2xf32", "2xi32"], "2x2xf32", "begins is f32, not an integer"),
    (
        *("slice_dynamic", "step = [1 : i32]", ["4x4xf32", "2xi32", "2xi32"]),
        *("2x2xf32", "step has 1 entries for rank 2"),
    ),
    (
        *("slice_dynamic", "step = [1 : i32, 0 : i32]", ["4x4xf32", "2xi32", "2xi32"]),
        *("2x2xf32", "step [1, 0] is not all positive"),
    ),
    (
        *("slice_dynamic", "step = [1 : i32, 2 : i32]", ["4x4xf32", "2xi32", "2xi32"]),
        *("2x3xf32", "result tensor<2x3xf32> is not a slice of input tensor<4x4xf32> in steps [1, 2]"),
    ),
    (
        *("index_select", "dim = 1 : si32, begin = 2 : si32, length = 3 : si32", ["4x4xf32"]),
        *("4x3xf32", "window of 3 from 2 is outside of dimension 1, which has extent 4"),
    ),
    (
        *("index_select", "dim = 1 : si32, begin = 0 : si32, length = 3 : si32, stride = 5 : si32", ["4x4xf32"]),
        *("4x3xf32", "stride is 5, not from 0 to 4"),
    ),
    ("gather", "dim = 2 : i32", ["4x3xf32", "1x3xi32"], "1x3xf32", "dim 2 is out of range for rank 2"),
    (
        *("gather", "dim = 0 : i32", ["4x3xf32", "1x4xi32"]),
        *("1x4xf32", "index [1, 4] does not fit input [4, 3] along dim 0"),
    ),
    ("scatter", "dim = 0 : i32", ["4x3xf32", "1x3xf32", "1x3xf32"], "4x3xf32", "index is f32, not an integer"),
    (
        *("scatter", "dim = 0 : i32", ["4x3xf32", "2x3xi32", "1x3xf32"]),
        *("4x3xf32", "index [2, 3] does not fit source [1, 3]"),
    ),
    (
        *("scatter", "dim = 0 : i32", ["4x3xf32", "1x4xi32", "1x4xf32"]),
        *("4x3xf32", "index [1, 4] does not fit input [4, 3] along dim 0"),
    ),
    ("scatter", "dim = 0 : i32", ["4x3xf32", "1x3xi32", "1x3xbf16"], "4x3xf32", "source holds bf16, input f32"),
    (
        *("scatter", "dim = 0 : i32, scatter_reduce_type = #ttcore.reduce_type<std>"),
        *(["4x3xf32", "1x3xi32", "1x3xf32"], "4x3xf32", "scatter_reduce_type is 'std', not one of invalid, sum"),
    ),
    ("get_dimension_size", "dimension = 3 : i32", ["4x3xf32"], "1xi32", "dimension 3 is out of range for rank 2"),
    ("get_dimension_size", "dimension = 0 : i32", ["4x3xf32"], "1xf32", "result is tensor<1xf32>, not one integer"),
    ("rearrange", 'pattern = "a b -> a"', ["4x3xf32"], "4xf32", "does not describe a tensor of shape [4, 3]"),
    ("rearrange", 'pattern = "a b c -> c b a"', ["4x3xf32"], "3x4xf32", "does not describe a tensor of shape [4, 3]"),
    ("repeat_interleave", "repeats = 0 : ui32, dim = 0 : si32", ["4xf32"], "0xf32", "repeats is 0, not positive"),
    ("repeat_interleave", "repeats = 2 : ui32, dim = 1 : si32", ["4xf32"], "8xf32", "dim 1 is out of range for rank 1"),
]


@pytest.mark.parametrize(("mnemonic", "properties", "operands", "result", "says"), REFUSED)
def test_what_is_ill_formed(mnemonic: str, properties: str, operands: list[str], result: str, says: str):
    assert_refused(module(mnemonic, properties, operands, [result]), says)


def _einops(pattern: str, x: np.ndarray) -> np.ndarray:
    """Index by index, for patterns that name single axes on the left."""
    left, right = (side.strip() for side in pattern.split("->"))
    names = left.split()
    groups = [g.split() for g in right.replace("(", "|").replace(")", "|").split("|") if g.strip()]
    flat = [n for g in groups for n in g] if "(" in right else right.split()
    moved = np.transpose(x, [names.index(n) for n in flat])
    if "(" not in right:
        return moved
    sizes = dict(zip(names, x.shape, strict=True))
    shape: list[int] = []
    for part in right.replace("(", " ( ").replace(")", " ) ").split():
        if part == "(":
            shape.append(-1)
        elif part == ")":
            shape[-1] *= -1
        elif shape and shape[-1] < 0:
            shape[-1] *= sizes[part]
        else:
            shape.append(sizes[part])
    return moved.reshape(shape)


@pytest.mark.parametrize(
    "pattern", ["z y x -> (y z) x", "z y x -> x y z", "z y x -> z (x y)", "z y x -> (x y z)", "z y x -> y x z"]
)
def test_rearrange_as_written(pattern: str):
    x = cube(3, 4, 32)
    wanted = _einops(pattern, x)
    result = "x".join(map(str, wanted.shape)) + "xf32"
    (got,) = run(module("rearrange", f'pattern = "{pattern}"', ["3x4x32xf32"], [result]), x)
    np.testing.assert_array_equal(got, wanted)


def test_repeat_interleave_as_written():
    x = cube(2, 3)
    (got,) = run(module("repeat_interleave", "repeats = 3 : ui32, dim = -1 : si32", ["2x3xf32"], ["2x9xf32"]), x)
    np.testing.assert_array_equal(got, torch.repeat_interleave(_torch(x), 3, -1).numpy())


@settings(max_examples=10, deadline=None)
@given(seed=st.integers(0, 2**31), dim=st.integers(-2, 1), repeats=st.integers(1, 4))
def test_repeat_interleave(seed: int, dim: int, repeats: int):
    x = np.random.default_rng(seed).random((3, 4))
    wanted = torch.repeat_interleave(torch.from_numpy(x), repeats, dim)
    np.testing.assert_array_equal(kernel_of("repeat_interleave")(x, repeats=repeats, dim=dim), wanted.numpy())
