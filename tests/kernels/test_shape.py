"""Data movement."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.kernels.kernel_of import kernel_of
from ttstack.ops import OPS
from ttstack.ops.types import DType, TensorType
from ttstack_runtime.evaluate import evaluate

torch = pytest.importorskip("torch")


def cube(*shape):
    return np.arange(np.prod(shape), dtype=np.float32).reshape(shape)


CASES = [
    ("reshape", {"shape": (6, 4)}, lambda x: x.reshape(6, 4)),
    ("transpose", {"dim0": 0, "dim1": -1}, lambda x: x.transpose(0, -1)),
    ("permute", {"permutation": (2, 0, 1)}, lambda x: x.permute(2, 0, 1)),
    ("unsqueeze", {"dim": 1}, lambda x: x.unsqueeze(1)),
    ("unsqueeze", {"dim": -1}, lambda x: x.unsqueeze(-1)),
    ("repeat", {"repeat_dimensions": (2, 1, 3)}, lambda x: x.repeat(2, 1, 3)),
    ("repeat_interleave", {"repeats": 3, "dim": -2}, lambda x: x.repeat_interleave(3, -2)),
    ("reverse", {"dimensions": (0, 2)}, lambda x: x.flip(0, 2)),
    (
        "pad",
        {"padding": (1, 0, 0, 2, 3, 1), "value": 9.0},
        lambda x: torch.nn.functional.pad(x, (3, 1, 0, 2, 1, 0), value=9),
    ),
    (
        "pad",
        {"padding": (0, -1, 0, 0, -2, 1), "value": 0.0},
        lambda x: torch.nn.functional.pad(x, (-2, 1, 0, 0, 0, -1)),
    ),
    (
        "slice_static",
        {"begins": (0, 1, 1), "ends": (2, 3, 4), "step": (1, 1, 2)},
        lambda x: x[0:2, 1:3, 1:4:2],
    ),
    ("index", {"dim": -1, "begin": 1, "end": 4, "step": 2}, lambda x: x[:, :, 1:4:2]),
    ("index_select", {"dim": 2, "begin": 1, "length": 1, "stride": 2}, lambda x: x[:, :, [1, 3]]),
    ("index_select", {"dim": 1, "begin": 1, "length": 2}, lambda x: x[:, 1:3]),
]


@pytest.mark.parametrize(("name", "attributes", "wanted"), CASES)
def test_against_torch(name, attributes, wanted, run, agree):
    x = cube(2, 3, 4)
    agree(run(name, x, **attributes), wanted(torch.from_numpy(x)))


def test_squeeze(run):
    assert run("squeeze", cube(2, 1, 3), dim=-2).shape == (2, 3)


def test_concat(run, agree):
    x, y = cube(2, 3), cube(2, 1)
    agree(run("concat", x, y, x, dim=-1), np.concatenate([x, y, x], 1))


@pytest.mark.parametrize("factors", [(5, 1, 3), (1, 2, 1)])
def test_broadcast(factors, run):
    x = cube(1, 4, 1)
    np.testing.assert_array_equal(run("broadcast", x, broadcast_dimensions=factors), np.tile(x, factors))


def test_a_broadcast_of_unit_axes_takes_no_memory(run):
    assert run("broadcast", cube(1, 4), broadcast_dimensions=(1000, 1)).strides[0] == 0


@pytest.mark.parametrize("step", [None, (1, 2)])
def test_slice_dynamic(step, run):
    x = cube(4, 6)
    out = run("slice_dynamic", x, np.array([1, 0], np.int32), np.array([3, 5], np.int32), step=step)
    np.testing.assert_array_equal(out, x[1:3, 0 : 5 : (2 if step else 1)])


def test_get_dimension_size(run):
    assert run("get_dimension_size", cube(2, 7), dimension=1).tolist() == [7]


@settings(deadline=None, max_examples=60)
@given(shape=st.lists(st.integers(1, 4), min_size=1, max_size=4), data=st.data())
def test_gather_and_scatter(shape, data):
    dim = data.draw(st.integers(-len(shape), len(shape) - 1))
    small = [data.draw(st.integers(1, n)) for n in shape]
    small[dim] = data.draw(st.integers(1, 5))
    rng = np.random.default_rng(data.draw(st.integers(0, 99)))
    x = rng.standard_normal(shape)
    index = rng.integers(0, shape[dim], small)
    source = rng.standard_normal([n + 1 for n in small])
    tx, ti, ts = map(torch.from_numpy, (x, index, source))
    np.testing.assert_array_equal(kernel_of("gather")(x, index.astype(np.uint32), dim=dim), torch.gather(tx, dim, ti))
    for kind, reduce in (("sum", "sum"), ("prod", "prod"), ("min", "amin"), ("max", "amax")):
        got = kernel_of("scatter")(x, index, source, dim=dim, scatter_reduce_type=kind)
        np.testing.assert_allclose(got, torch.scatter_reduce(tx, dim, ti, ts, reduce), rtol=1e-13, atol=1e-14)


def test_scatter_assigns_and_leaves_its_operand(run):
    x = np.zeros((2, 3))
    out = run("scatter", x, np.array([[2, 0]]), np.array([[5.0, 6.0]]), dim=1, scatter_reduce_type="invalid")
    assert out.tolist() == [[6, 0, 5], [0, 0, 0]]
    assert (x == 0).all()


@pytest.mark.parametrize(
    ("pattern", "shape", "wanted"),
    [
        ("a b c -> c a b", (2, 3, 4), lambda x: x.transpose(2, 0, 1)),
        ("b h s d -> b s (h d)", (2, 3, 4, 5), lambda x: x.transpose(0, 2, 1, 3).reshape(2, 4, 15)),
        ("a b -> (b a)", (2, 3), lambda x: x.T.reshape(-1)),
        ("a 1 b -> a b 1", (2, 1, 3), lambda x: x.reshape(2, 3, 1)),
        ("... h w -> ... w h", (2, 3, 4, 5), lambda x: x.swapaxes(-1, -2)),
        ("a ... -> (... a)", (2, 3, 4), lambda x: x.transpose(1, 2, 0).reshape(-1)),
    ],
)
def test_rearrange(pattern, shape, wanted, run):
    x = cube(*shape)
    np.testing.assert_array_equal(run("rearrange", x, pattern=pattern), wanted(x))


@pytest.mark.parametrize("pattern", ["a b", "a b -> a", "a b c -> a b c", "(a c) b -> a b c", "a a -> a a", "1 b -> b"])
def test_rearrange_says_which_pattern_does_not_fit(pattern, run):
    with pytest.raises(ValueError, match="does not describe a tensor of shape"):
        run("rearrange", cube(4, 6), pattern=pattern)


@pytest.mark.parametrize(
    ("mnemonic", "attributes", "wanted"),
    [
        ("transpose", {"dim0": 1, "dim1": 2}, lambda x: x.swapaxes(1, 2)),
        ("permute", {"permutation": (2, 0, 1)}, lambda x: x.transpose(2, 0, 1)),
        ("reshape", {"shape": (6, 4)}, lambda x: x.reshape(6, 4)),
    ],
)
def test_weights_in_another_order_are_a_view(mnemonic, attributes, wanted):
    """Weights of experts take gigabytes: no copy of them, and none in a wider type, fits."""
    x = cube(2, 3, 4).astype(DType.BF16.numpy)
    (y,) = evaluate(OPS[mnemonic].on((TensorType(x.shape, DType.BF16),), attributes), [x])
    assert np.shares_memory(x, y)
    np.testing.assert_array_equal(y, wanted(x))
