"""Affine quantization against torch."""

import numpy as np
import pytest

torch = pytest.importorskip("torch")
pytestmark = pytest.mark.filterwarnings("ignore:torch.quantize_per_tensor:UserWarning")
INT8 = np.dtype(np.int8)


def test_one_scale_for_the_tensor(run, agree, rng):
    x, scale, zero = (
        rng.standard_normal((4, 5)).astype(np.float32) * 4,
        np.array([0.03], np.float32),
        np.array([5], np.int32),
    )
    wanted = torch.quantize_per_tensor(torch.from_numpy(x), float(scale[0]), 5, torch.qint8)
    got = run("quantize_unrolled", x, scale, zero, dtype=INT8)
    agree(got, wanted.int_repr())
    agree(run("dequantize_unrolled", got, scale, zero), wanted.dequantize())


@pytest.mark.parametrize("axis", [0, -1])
def test_a_scale_for_each_channel(axis, run, agree, rng):
    x, scale = rng.standard_normal((5, 5)).astype(np.float32), (rng.random(5) / 50 + 0.01).astype(np.float32)
    zero = rng.integers(-9, 9, 5).astype(np.int32)
    wanted = torch.quantize_per_channel(*map(torch.from_numpy, (x, scale, zero)), axis % 2, torch.qint8)
    got = run("quantize_unrolled", x, scale, zero, axis=axis, dtype=INT8)
    agree(got, wanted.int_repr())
    agree(run("dequantize_unrolled", got, scale, zero, axis=axis), wanted.dequantize())


def test_results_saturate_and_ties_go_to_even(run):
    x, one, zero = (
        np.array([1e9, -1e9, 0.5, 1.5, np.nan], np.float32),
        np.array([1], np.float32),
        np.array([0], np.int32),
    )
    assert run("quantize_unrolled", x, one, zero, dtype=INT8).tolist() == [127, -128, 0, 2, 0]


def test_requantize_is_dequantize_and_quantize(run, agree, rng):
    x = rng.integers(-128, 127, (3, 4)).astype(np.int8)
    scales, zeros = (
        (np.array([0.5], np.float32), np.array([0.75], np.float32)),
        (np.array([3], np.int32), np.array([-2], np.int32)),
    )
    wanted = run(
        "quantize_unrolled",
        run("dequantize_unrolled", x, scales[0], zeros[0]),
        scales[1],
        zeros[1],
        dtype=INT8,
    )
    agree(run("requantize_unrolled", x, scales[0], zeros[0], scales[1], zeros[1]), wanted)
