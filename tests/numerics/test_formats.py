"""Device number formats against ml_dtypes and a slow reference."""

import math

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from ttstack_runtime.numerics import quantize

BITS = {"bfp8_b": 7, "bfp4_b": 3}
floats = st.floats(-(2.0**99), 2.0**99, width=32) | st.floats(-4, 4, width=32)


def slow_block(block, bits):
    """tt-metal's packing of a block in exact arithmetic: truncate to 24 bits, round, saturate."""
    normal = [0.0 if abs(v) < 2.0**-126 else v for v in block]
    top = max((math.frexp(v)[1] for v in normal if v), default=0)
    out = []
    for v in normal:
        aligned = math.floor(abs(v) / 2.0 ** (top - 24))
        steps = min(round(aligned / 2 ** (24 - bits)), 2**bits - 1)
        out.append(math.copysign(steps * 2.0 ** (top - bits), v) if steps else 0.0)
    return out


@settings(deadline=None, max_examples=150)
@given(block=arrays(np.float32, 16, elements=floats), name=st.sampled_from(list(BITS)))
def test_block_formats(block, name):
    np.testing.assert_array_equal(quantize(block, name), np.array(slow_block(block.tolist(), BITS[name]), np.float32))


@pytest.mark.parametrize("name", BITS)
def test_blocks_run_along_the_last_axis_and_are_filled_with_zeros(name):
    x = np.random.default_rng(3).standard_normal((3, 5, 37)).astype(np.float32)
    wanted = [
        [part for at in (0, 16, 32) for part in slow_block(row[at : at + 16].tolist(), BITS[name])]
        for row in x.reshape(15, 37)
    ]
    np.testing.assert_array_equal(quantize(x, name).reshape(15, 37), np.array(wanted, np.float32))


@pytest.mark.parametrize("name", [*BITS, "bf16", "f16", "f32", "si32"])
def test_rounding_twice_changes_nothing(name):
    x = np.random.default_rng(4).standard_normal((8, 48)).astype(np.float32)
    once = quantize(x, name)
    assert once.dtype == np.float32
    np.testing.assert_array_equal(quantize(once, name), once)


@pytest.mark.parametrize(("name", "kind"), [("bf16", ml_dtypes.bfloat16), ("f16", np.float16)])
def test_half_formats(name, kind):
    x = np.random.default_rng(5).integers(0, 2**32, 4000, np.uint64).astype(np.uint32).view(np.float32)
    with np.errstate(all="ignore"):
        wanted = x.astype(kind).astype(np.float32)
    np.testing.assert_array_equal(quantize(x, name), wanted)


def test_bf16_ties_go_to_even():
    x = np.array([1 + 2.0**-8, 1 + 3 * 2.0**-8], np.float32)
    assert quantize(x, "bf16").tolist() == [1.0, 1 + 2.0**-6]


def test_block_edge_values():
    x = np.zeros(16, np.float32)
    x[:4] = [1.9999, -1e-9, 1e-40, -0.0]
    out = quantize(x, "bfp8_b")
    assert out[0] == 127 / 64
    assert not np.signbit(out).any()
    assert (out[1:] == 0).all()


def test_an_infinity_takes_the_block_and_nan_stays():
    x = np.ones((2, 16), np.float32)
    x[:, 3] = [np.inf, np.nan]
    out = quantize(x, "bfp8_b")
    assert out[0, 3] == np.inf
    assert np.isnan(out[1, 3])
    assert (np.delete(out, 3, axis=1) == 0).all()


@pytest.mark.parametrize("shape", [(), (0,), (3, 0), (1,)])
def test_odd_shapes(shape):
    assert quantize(np.ones(shape, np.float32), "bfp8_b").shape == shape


def test_float32_is_not_copied():
    x = np.ones(3, np.float32)
    assert quantize(x, "f32") is x
