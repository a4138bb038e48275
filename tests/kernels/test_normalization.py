"""Normalisation against torch."""

import numpy as np
import pytest

torch = pytest.importorskip("torch")
F = torch.nn.functional

FLOATS = [np.float32, np.float64]


def tensors(rng, dtype, *shapes):
    return [rng.standard_normal(shape).astype(dtype) for shape in shapes]


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("affine", [(False, False), (True, False), (True, True)])
@pytest.mark.parametrize("normalized", [(6,), (5, 6)])
def test_layer_norm(normalized, affine, dtype, *, run, agree, rng):
    x, w, b = tensors(rng, dtype, (3, 4, 5, 6), normalized, normalized)
    w, b = (v if given else None for v, given in zip((w, b), affine, strict=True))
    tw, tb = (None if v is None else torch.from_numpy(v) for v in (w, b))
    wanted = F.layer_norm(torch.from_numpy(x + 10), normalized, tw, tb, 1e-5)
    loose = {"rtol": 1e-4, "atol": 1e-5} if dtype == np.float32 else {"rtol": 1e-11}
    agree(run("layer_norm", x + 10, w, b, normalized_shape=normalized, epsilon=1e-5), wanted, **loose)


def test_layer_norm_of_a_large_offset_in_float32(run):
    x = (np.random.default_rng(0).standard_normal((4, 512)) + 1000).astype(np.float32)
    wide = x.astype(np.float64)
    wanted = (wide - wide.mean(1, keepdims=True)) / np.sqrt(wide.var(1, keepdims=True) + 1e-5)
    np.testing.assert_allclose(run("layer_norm", x, normalized_shape=(512,)), wanted, atol=2e-4)


@pytest.mark.parametrize("dtype", FLOATS)
def test_rms_norm(dtype, run, agree, rng):
    x, w, b = tensors(rng, dtype, (3, 5, 6), (6,), (6,))
    wanted = F.rms_norm(torch.from_numpy(x), (6,), torch.from_numpy(w), 1e-6) + torch.from_numpy(b)
    agree(run("rms_norm", x, w, b, normalized_shape=(6,), epsilon=1e-6), wanted)


def test_norms_leave_their_operand(run):
    x = np.ones((2, 4), np.float32)
    for name in ("layer_norm", "rms_norm"):
        run(name, x, x[0] * 2, x[0], normalized_shape=(4,))
    assert (x == 1).all()


@pytest.mark.parametrize("channel_dim", [1, 3])
def test_group_norm(channel_dim, run, agree, rng):
    x, w, b = tensors(rng, np.float64, (2, 3, 5, 6), (6,), (6,))
    first = x.transpose(0, 3, 1, 2)
    wanted = F.group_norm(
        *(torch.from_numpy(v.copy()) for v in (first,)), 3, torch.from_numpy(w), torch.from_numpy(b), 1e-6
    ).numpy()
    operand, wanted = (first, wanted) if channel_dim == 1 else (x, wanted.transpose(0, 2, 3, 1))
    agree(run("group_norm", operand, None, w, b, num_groups=3, epsilon=1e-6, channel_dim=channel_dim), wanted)


@pytest.mark.parametrize(
    ("shape", "dimension"), [((4, 3), 1), ((2, 3, 4, 5), 1), ((2, 4, 5, 3), 3), ((2, 3, 2, 2, 2), 1)]
)
def test_batch_norm_inference(shape, dimension, run, agree, rng):
    x, scale, offset, mean = tensors(rng, np.float64, shape, 3, 3, 3)
    variance = rng.random(3) + 0.5
    first = torch.from_numpy(np.moveaxis(x, dimension, 1).copy())
    wanted = F.batch_norm(first, *map(torch.from_numpy, (mean, variance, scale, offset)), False, 0.1, 1e-4)
    got = run("batch_norm_inference", x, scale, offset, mean, variance, epsilon=1e-4, dimension=dimension)
    agree(got, np.moveaxis(wanted.numpy(), 1, dimension))


@pytest.mark.parametrize("dtype", FLOATS)
def test_batch_norm_training(dtype, run, agree, rng):
    x, scale, offset, mean, variance = tensors(rng, dtype, (4, 5, 3), 3, 3, 3, 3)
    first = torch.from_numpy(np.moveaxis(x, 2, 1).copy())
    wanted = F.batch_norm(first, None, None, torch.from_numpy(scale), torch.from_numpy(offset), True, 0.1, 1e-4)
    out, new_mean, new_variance = run(
        "batch_norm_training", x, scale, offset, mean, variance, epsilon=1e-4, dimension=2, momentum=0.25
    )
    agree(out, np.moveaxis(wanted.numpy(), 1, 2))
    rows = x.reshape(-1, 3).astype(np.float64)
    agree(new_mean, (0.75 * mean + 0.25 * rows.mean(0)).astype(dtype))
    agree(new_variance, (0.75 * variance + 0.25 * rows.var(0)).astype(dtype))
