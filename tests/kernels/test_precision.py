"""Float32 kernels over the whole range of float32, against SciPy and NumPy in float64, in units in the last place."""

from collections.abc import Callable
from functools import partial

import numpy as np
import pytest
from scipy import special

from ttstack.ops import OPS
from ttstack.ops.eltwise import Bits, Eltwise, Predicate

ULPS = 8
"""Most that a result is away from the exact one; subnormal results in units of the least of them."""

SLOPE, CUBIC = np.sqrt(8 / np.pi), 0.044715


def gelu_tanh(x: np.ndarray) -> np.ndarray:
    return x * special.expit(SLOPE * (x + CUBIC * x**3))


def gelu_gradient(grad: np.ndarray, x: np.ndarray) -> np.ndarray:
    return grad * (special.ndtr(x) + x * np.exp(-x * x / 2) / np.sqrt(2 * np.pi))


def gelu_tanh_gradient(grad: np.ndarray, x: np.ndarray) -> np.ndarray:
    u = SLOPE * (x + CUBIC * x**3)
    return grad * (special.expit(u) + x * special.expit(u) * special.expit(-u) * SLOPE * (1 + 3 * CUBIC * x * x))


def mish(x: np.ndarray) -> np.ndarray:
    e = np.exp(np.minimum(x, 40))
    return x * (e * (e + 2) / (e * (e + 2) + 2))


def selu(x: np.ndarray) -> np.ndarray:
    return np.where(x > 0, 1.5 * x, 0.75 * np.expm1(np.minimum(x, 0)))


EXACT = {
    "abs": np.abs,
    "add": np.add,
    "ceil": np.ceil,
    "clamp_scalar": partial(np.clip, a_min=-1.5, a_max=2),
    "clamp_tensor": np.clip,
    "div": np.divide,
    "floor": np.floor,
    "frac": lambda x: x - np.trunc(x),
    "leaky_relu": lambda x: np.where(x > 0, x, 0.25 * x),
    "maximum": np.maximum,
    "minimum": np.minimum,
    "multiply": np.multiply,
    "neg": np.negative,
    "reciprocal": np.reciprocal,
    "relu": lambda x: np.maximum(x, 0),
    "relu6": lambda x: np.clip(x, 0, 6),
    "remainder": np.fmod,
    "sign": np.sign,
    "sqrt": np.sqrt,
    "square": np.square,
    "subtract": np.subtract,
    "trunc": np.trunc,
    "where": lambda a, b, c: np.where(a != 0, b, c),
}
"""Where float32 gives the exact result, rounded."""

CLOSE = {
    "acos": np.arccos,
    "asin": np.arcsin,
    "asinh": np.arcsinh,
    "atan": np.arctan,
    "atan2": np.arctan2,
    "cbrt": np.cbrt,
    "cos": np.cos,
    "erf": special.erf,
    "erfc": special.erfc,
    "exp": np.exp,
    "exp2": np.exp2,
    "expm1": np.expm1,
    "gelu": lambda x: x * special.ndtr(x),
    "gelu_bw": gelu_gradient,
    "gelu_tanh": gelu_tanh,
    "hardsigmoid": lambda x: np.clip(x / 6 + 0.5, 0, 1),
    "log": np.log,
    "log1p": np.log1p,
    "mish": mish,
    "pow": np.power,
    "rsqrt": lambda x: 1 / np.sqrt(x),
    "selu": selu,
    "sigmoid": special.expit,
    "silu": lambda x: x * special.expit(x),
    "sin": np.sin,
    "softsign": lambda x: x / (1 + np.abs(x)),
    "tan": np.tan,
    "tanh": np.tanh,
}
ATTRIBUTES = {
    "clamp_scalar": {"min": -1.5, "max": 2.0},
    "leaky_relu": {"parameter": 0.25},
    "selu": {"scale": 1.5, "alpha": 0.5},
}
OTHERS = {"isfinite", "logical_not", "signbit", "eq", "ne", "ge", "gt", "le", "lt", "logical_and", "logical_or"}
OTHERS |= {"logical_xor", "logical_right_shift", "right_shift", "logical_left_shift"}
"""Those that give truth values, or take integers."""

COMPOSED = {"activated_add", "activated_subtract", "activated_multiply", "gelu_fast"}
"""Sums and products of functions that are here, and the fast form of one, which is coarser by intention."""


def points(seed: int) -> np.ndarray:
    """All bit patterns alike, numbers near 0 and where functions vanish, and the ends of the range."""
    rng = np.random.default_rng(seed)
    patterns = rng.integers(0, 1 << 32, 60_000, np.uint32).view(np.float32)
    near = np.concatenate([rng.uniform(-s, s, 15_000) for s in (1, 4, 20, 120)]).astype(np.float32)
    limits = np.finfo(np.float32)
    ends = [0, 1, np.inf, np.nan, limits.max, limits.tiny, limits.smallest_subnormal, 88.7, 103.9]
    points = np.concatenate([patterns, near, np.array(ends, np.float32), -np.array(ends, np.float32)])
    return rng.permutation(points)


def away(got: np.ndarray, exact: np.ndarray) -> np.ndarray:
    """Distances in units in the last place of what the exact values round to; infinite where only one is finite."""
    rounded = exact.astype(np.float32)
    unit = np.spacing(np.minimum(np.abs(rounded), np.finfo(np.float32).max / 2)).astype(np.float64)
    same = (got == rounded) | (np.isnan(got) & np.isnan(exact))
    distance = np.where(same, 0, np.abs(got.astype(np.float64) - exact) / unit)
    return np.where(np.isnan(distance), np.inf, distance)


def check(got: np.ndarray, operands: list[np.ndarray], exact: Callable[..., np.ndarray], ulps: float) -> None:
    assert got.dtype == np.float32
    distances = away(got, np.asarray(exact(*(x.astype(np.float64) for x in operands))))
    worst = int(np.argmax(distances))
    assert distances[worst] <= ulps, ([x[worst] for x in operands], got[worst], distances[worst])


@pytest.mark.parametrize("name", sorted(EXACT | CLOSE))
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_float32(name: str, run):
    operands = [points(seed) for seed in range(len(OPS[name].operand_specs()))]
    if name == "gelu_bw":
        operands[0] = np.ones_like(operands[0])
        operands[1] = np.where(np.isinf(operands[1]), np.float32(0), operands[1])  # where SciPy's product is 0 * inf
    exact = name in EXACT
    got = np.asarray(run(name, *operands, **ATTRIBUTES.get(name, {})))
    check(got, operands, (EXACT | CLOSE)[name], 0.5 if exact else ULPS)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_the_gradient_of_gelu_by_tanh(run):
    x = points(3)
    x = x[np.abs(x) < 1e30]
    check(run("gelu_bw", np.ones_like(x), x, approximate="tanh"), [np.ones_like(x), x], gelu_tanh_gradient, ULPS)


@pytest.mark.parametrize("approximate", ["none", "tanh"])
def test_gradients_at_the_ends(approximate: str, run):
    x = np.array([np.inf, -np.inf, 3e38, -3e38], np.float32)
    assert run("gelu_bw", np.ones_like(x), x, approximate=approximate).tolist() == [1, 0, 1, 0]


def test_every_elementwise_function_is_here():
    ops = {n for n, op in OPS.items() if issubclass(op, Eltwise) and not issubclass(op, (Bits, Predicate))}
    assert ops - OTHERS - COMPOSED - {"bitwise_not"} == set(EXACT | CLOSE)


@pytest.mark.parametrize("axis", [0, 1])
def test_softmax_of_many(axis: int, run):
    shape = (1 << 18, 2) if axis == 0 else (2, 1 << 18)
    x = np.random.default_rng(1).standard_normal(shape).astype(np.float32)
    np.testing.assert_allclose(
        run("softmax", x, dimension=axis), special.softmax(x.astype(np.float64), axis), rtol=1e-6
    )
