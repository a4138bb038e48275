"""Elementwise kernels against torch, integer corner cases against what StableHLO defines."""

import numpy as np
import pytest

torch = pytest.importorskip("torch")
F = torch.nn.functional

SPECIALS = [
    0.0,
    -0.0,
    1.0,
    -1.0,
    0.5,
    -0.5,
    1e-30,
    -1e-30,
    30.0,
    -30.0,
    150.0,
    -150.0,
    np.inf,
    -np.inf,
    np.nan,
]

UNARY = {
    "abs": torch.abs,
    "acos": torch.acos,
    "asin": torch.asin,
    "asinh": torch.asinh,
    "atan": torch.atan,
    "ceil": torch.ceil,
    "cos": torch.cos,
    "erf": torch.erf,
    "erfc": torch.erfc,
    "exp": torch.exp,
    "exp2": torch.exp2,
    "expm1": torch.expm1,
    "floor": torch.floor,
    "frac": torch.frac,
    "hardsigmoid": F.hardsigmoid,
    "isfinite": torch.isfinite,
    "log": torch.log,
    "log1p": torch.log1p,
    "logical_not": torch.logical_not,
    "neg": torch.neg,
    "reciprocal": torch.reciprocal,
    "relu": F.relu,
    "relu6": F.relu6,
    "rsqrt": torch.rsqrt,
    "sigmoid": torch.sigmoid,
    "signbit": torch.signbit,
    "silu": F.silu,
    "sin": torch.sin,
    "softsign": F.softsign,
    "sqrt": torch.sqrt,
    "square": torch.square,
    "tan": torch.tan,
    "tanh": torch.tanh,
    "trunc": torch.trunc,
}
BINARY = {
    "add": torch.add,
    "atan2": torch.atan2,
    "div": torch.div,
    "eq": torch.eq,
    "ge": torch.ge,
    "gt": torch.gt,
    "le": torch.le,
    "logical_and": torch.logical_and,
    "logical_or": torch.logical_or,
    "logical_xor": torch.logical_xor,
    "lt": torch.lt,
    "maximum": torch.maximum,
    "minimum": torch.minimum,
    "multiply": torch.multiply,
    "ne": torch.ne,
    "pow": torch.pow,
    "remainder": torch.fmod,
    "subtract": torch.subtract,
}
INTEGER_BINARY = {
    "add": torch.add,
    "bitwise_and": torch.bitwise_and,
    "bitwise_or": torch.bitwise_or,
    "bitwise_xor": torch.bitwise_xor,
    "eq": torch.eq,
    "logical_and": torch.logical_and,
    "lt": torch.lt,
    "maximum": torch.maximum,
    "multiply": torch.multiply,
    "subtract": torch.subtract,
}


def draw(rng, dtype, shape=(7, 33)):
    values = rng.standard_normal(shape) * 3
    values.flat[: len(SPECIALS)] = SPECIALS
    return values.astype(dtype)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("name", UNARY)
def test_unary(name, dtype, run, agree, rng):
    x = draw(rng, dtype)
    limits = np.finfo(dtype)
    absolute = 4 * limits.eps if name in {"tan", "sin", "cos"} else limits.tiny
    agree(run(name, x), UNARY[name](torch.from_numpy(x)), rtol=32 * limits.eps, atol=absolute)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_gelu(dtype, run, agree):
    """Torch computes `1 + erf`, which leaves an absolute error in the tail."""
    x = np.linspace(-12, 12, 999).astype(dtype)
    agree(run("gelu", x), F.gelu(torch.from_numpy(x)), atol=8 * np.finfo(dtype).eps)
    agree(run("gelu_tanh", x), F.gelu(torch.from_numpy(x), approximate="tanh"), atol=8 * np.finfo(dtype).eps)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_the_fast_form_of_gelu(dtype, run):
    """As near as six straight lines are, and exact where GELU is one."""
    x = np.linspace(-6, 6, 9999).astype(dtype)
    assert np.abs(run("gelu_fast", x) - F.gelu(torch.from_numpy(x)).numpy()).max() < 0.012
    far = np.array([-np.inf, -3, 3, np.inf], dtype)
    assert run("gelu_fast", far).tolist() == [0, 0, 3, np.inf]


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("name", BINARY)
def test_binary_broadcasts(name, dtype, run, agree, rng):
    lhs, rhs = draw(rng, dtype, (4, 1, 33)), draw(rng, dtype, (5, 33))
    agree(run(name, lhs, rhs), BINARY[name](torch.from_numpy(lhs), torch.from_numpy(rhs)))


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int32, np.int64])
@pytest.mark.parametrize("name", INTEGER_BINARY)
def test_integer_binary_wraps(name, dtype, run, agree, rng):
    limits = np.iinfo(dtype)
    lhs, rhs = (rng.integers(limits.min, limits.max, 64, dtype, endpoint=True) for _ in range(2))
    agree(run(name, lhs, rhs), INTEGER_BINARY[name](torch.from_numpy(lhs), torch.from_numpy(rhs)))


@pytest.mark.parametrize("dtype", [np.int8, np.int32, np.int64, np.uint8])
def test_integer_division_truncates(dtype, run, agree, rng):
    limits = np.iinfo(dtype)
    lhs = rng.integers(limits.min, limits.max, 200, dtype, endpoint=True)
    rhs = rng.integers(max(limits.min, -9), 9, 200).astype(dtype)
    rhs[rhs == 0] = 3
    expected = torch.div(torch.from_numpy(lhs), torch.from_numpy(rhs), rounding_mode="trunc")
    agree(run("div", lhs, rhs), expected)
    agree(run("remainder", lhs, rhs), torch.fmod(torch.from_numpy(lhs), torch.from_numpy(rhs)))


def test_integer_division_is_defined_everywhere(run):
    lhs, rhs = np.array([7, -7, 0, -128], np.int8), np.array([0, 0, 0, -1], np.int8)
    assert run("div", lhs, rhs).tolist() == [-1, -1, -1, -128]
    assert run("remainder", lhs, rhs).tolist() == [7, -7, 0, 0]
    assert run("div", np.array([5], np.uint8), np.array([0], np.uint8)).tolist() == [255]


def test_remainder_has_the_sign_of_the_dividend(run):
    assert run("remainder", np.array([17, -17]), np.array([-3, 3])).tolist() == [2, -2]


def test_integer_power(run):
    base, exponent = (
        np.array([2, -3, 2, -1, -1, 1, 0], np.int32),
        np.array([31, 3, -1, -3, -2, -5, 0], np.int32),
    )
    assert run("pow", base, exponent).tolist() == [-(2**31), -27, 0, -1, 1, 1, 1]


def test_shifts_of_the_width_or_more(run):
    x, by = np.array([-8, -8, 8, 8], np.int32), np.array([1, 32, 40, 31], np.int32)
    assert run("right_shift", x, by).tolist() == [-4, -1, 0, 0]
    assert run("logical_right_shift", x, by).tolist() == [2**31 - 4, 0, 0, 0]
    assert run("logical_left_shift", x, by).tolist() == [-16, 0, 0, 0]


def test_shifts_broadcast(run):
    assert run("logical_right_shift", np.array([[-1], [4]], np.int8), np.array([1, 2], np.int8)).tolist() == [
        [127, 63],
        [2, 1],
    ]


@pytest.mark.parametrize(("name", "wanted"), [("add", [0, 1, 1]), ("multiply", [0, 0, 1]), ("subtract", [0, 1, 0])])
def test_arithmetic_on_i1(name, wanted, run):
    out = run(name, np.array([False, True, True]), np.array([False, False, True]))
    assert out.tolist() == [bool(w) for w in wanted]


@pytest.mark.parametrize("name", ["maximum", "minimum"])
def test_nan_propagates(name, run):
    assert np.isnan(run(name, np.array([np.nan, 1.0]), np.array([1.0, np.nan]))).all()


def test_sign(run):
    out = run("sign", np.array([-2.5, -0.0, 0.0, 4.0, np.nan, -np.inf]))
    np.testing.assert_array_equal(out, [-1, 0, 0, 1, np.nan, -1])
    assert np.signbit(out[1])
    assert run("sign", np.array([-3, 0, 9], np.int8)).tolist() == [-1, 0, 1]


def test_signbit_of_integers(run):
    assert run("signbit", np.array([-3, 0, 9], np.int8)).tolist() == [True, False, False]


def test_bitwise_not(run):
    assert run("bitwise_not", np.array([0, 5], np.uint8)).tolist() == [255, 250]


def test_cbrt(run):
    np.testing.assert_allclose(run("cbrt", np.array([-27.0, 8.0])), [-3, 2])


@pytest.mark.parametrize("name", ["exp", "sqrt", "sigmoid", "gelu"])
def test_float_functions_take_integers(name, run):
    x = np.array([0, 1, 4], np.int8)
    np.testing.assert_allclose(run(name, x), run(name, x.astype(np.float64)))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_mish(dtype, run, agree):
    x = np.linspace(-60, 90, 301).astype(dtype)
    agree(run("mish", x), F.mish(torch.from_numpy(x.astype(np.float64))).numpy().astype(dtype))


def test_selu(run, agree, rng):
    x = draw(rng, np.float64)
    agree(run("selu", x, alpha=1.6732632423543772, scale=1.0507009873554805), F.selu(torch.from_numpy(x)))


def test_leaky_relu(run, agree, rng):
    x = draw(rng, np.float64)
    agree(run("leaky_relu", x, parameter=0.3), F.leaky_relu(torch.from_numpy(x), 0.3))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("approximate", ["none", "tanh"])
def test_gelu_gradient(approximate, dtype, run, agree, rng):
    grad, x = rng.standard_normal((2, 9, 40)).astype(dtype)
    leaf = torch.from_numpy(x).requires_grad_()
    F.gelu(leaf, approximate=approximate).backward(torch.from_numpy(grad))
    agree(run("gelu_bw", grad, x, approximate=approximate), leaf.grad)


@pytest.mark.parametrize("dtype", [np.bool_, np.int32, np.float32])
def test_where_tests_for_nonzero(dtype, run, agree, rng):
    condition = np.array([[0], [3], [-2], [0.5]]).astype(dtype)
    first, second = rng.standard_normal((2, 5))
    chosen = torch.where(torch.from_numpy(condition) != 0, torch.from_numpy(first), torch.from_numpy(second))
    agree(run("where", condition, first, second), chosen)


def test_clamp(run):
    x = np.array([-3.0, 0.5, 9.0, np.nan], np.float32)
    np.testing.assert_array_equal(run("clamp_scalar", x, min=-1.0, max=2.0), np.array([-1, 0.5, 2, np.nan], np.float32))
    np.testing.assert_array_equal(run("clamp_tensor", x, x * 0, x * 0 + 1), np.array([0, 0.5, 1, np.nan], np.float32))
    assert run("clamp_scalar", x, min=-1.0, max=2.0).dtype == np.float32


def test_clamp_bounds_outside_of_an_integer_type(run):
    x = np.array([-128, 5, 127], np.int8)
    assert run("clamp_scalar", x, min=-1000, max=float("inf")).tolist() == [-128, 5, 127]
    assert run("clamp_scalar", x, min=0, max=100).tolist() == [0, 5, 100]


def test_float_to_integer_truncates_and_saturates(run):
    x = np.array([1.9, -1.9, 3e9, -3e9, np.nan, np.inf, -np.inf], np.float32)
    low, high = -(2**31), 2**31 - 1
    assert run("typecast", x, dtype=np.dtype(np.int32)).tolist() == [1, -1, high, low, 0, high, low]
    assert run("typecast", x, dtype=np.dtype(np.uint8)).tolist() == [1, 0, 255, 0, 0, 255, 0]


def test_typecast_of_integers_wraps_and_of_bools_tests(run):
    assert run("typecast", np.array([300, -1]), dtype=np.dtype(np.uint8)).tolist() == [44, 255]
    assert run("typecast", np.array([0.0, 0.3]), dtype=np.dtype(bool)).tolist() == [False, True]
    assert run("typecast", np.array([True]), dtype=np.dtype(np.float32)).tolist() == [1.0]


def test_bitcast(run):
    assert run("bitcast_convert", np.array([1.0], np.float32), dtype=np.dtype(np.int32)).tolist() == [0x3F800000]
    assert run("bitcast_convert", np.array([1.0], np.float32).T[::1], dtype=np.dtype(np.uint32)).dtype == np.uint32


def test_bitcast_of_a_widened_type_reads_the_stored_bits(run):
    out = run("bitcast_convert", np.array([1.0], np.float32), dtype=np.dtype(np.int16), source=np.dtype(np.float16))
    assert out.tolist() == [0x3C00]
