"""Attention against torch."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.kernels.kernel_of import kernel_of
from ttstack_runtime.kernels import flash

torch = pytest.importorskip("torch")
F = torch.nn.functional


def reference(q, k, v, bias, *, scale=None, sink=None):
    """Plain attention in float64; `bias` is added to the scores."""
    group = q.shape[1] // k.shape[1]
    k, v = np.repeat(k, group, 1), np.repeat(v, group, 1)
    scores = q @ k.swapaxes(2, 3) * (scale or q.shape[-1] ** -0.5) + bias
    weights = np.exp(scores)
    total = weights.sum(-1, keepdims=True)
    if sink is not None:
        total = total + np.exp(sink.reshape(1, -1, 1, 1))
    return weights @ v / np.where(total == 0, 1, total)


def draw(rng, *, kv_heads=2, rows=5, columns=7, dtype=np.float64):
    shapes = (2, 4, rows, 8), (2, kv_heads, columns, 8), (2, kv_heads, columns, 6)
    return [rng.standard_normal(shape).astype(dtype) for shape in shapes]


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("kv_heads", [1, 2, 4])
@pytest.mark.parametrize("is_causal", [False, True])
@pytest.mark.parametrize("scale", [None, 0.3, 0.0])
def test_against_torch(scale, is_causal, kv_heads, dtype, *, run, agree, rng):
    q, k, v = draw(rng, kv_heads=kv_heads, dtype=dtype)
    wanted = F.scaled_dot_product_attention(
        *map(torch.from_numpy, (q, k, v)), is_causal=is_causal, scale=scale, enable_gqa=True
    )
    agree(run("scaled_dot_product_attention", q, k, v, is_causal=is_causal, scale=scale), wanted, rtol=1e-5)


@pytest.mark.parametrize("shape", [(2, 4, 5, 7), (1, 1, 5, 7), (2, 1, 1, 7), (5, 7)])
@pytest.mark.parametrize("kind", ["float", "bool"])
def test_masks_broadcast(kind, shape, run, agree, rng):
    q, k, v = draw(rng)
    mask = rng.standard_normal(shape) if kind == "float" else rng.random(shape) < 0.8
    wanted = F.scaled_dot_product_attention(
        *map(torch.from_numpy, (q, k, v)), attn_mask=torch.from_numpy(mask), enable_gqa=True
    )
    agree(run("scaled_dot_product_attention", q, k, v, mask, is_causal=False), wanted)


@settings(deadline=None, max_examples=40)
@given(
    rows=st.integers(1, 9),
    columns=st.integers(1, 9),
    window=st.sampled_from([None, 1, 2, 3, 4, 50]),
    is_causal=st.booleans(),
    with_sink=st.booleans(),
    block=st.sampled_from([1, 7, 30, 100, 1 << 21]),
)
def test_windows_sinks_and_blocks(rows, columns, *, window, is_causal, with_sink, block):
    rng = np.random.default_rng(rows * 10 + columns)
    q, k, v = draw(rng, rows=rows, columns=columns)
    sink = rng.standard_normal((1, 4, 1, 1)) if with_sink else None
    away = np.arange(columns) - np.arange(rows)[:, None]
    seen = away <= 0 if is_causal else np.full(away.shape, True)
    if window:
        seen &= away > -window if is_causal else np.abs(away) <= window // 2
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(flash, "_SCORES", block)
        got = kernel_of("scaled_dot_product_attention")(
            q, k, v, None, sink, is_causal=is_causal, sliding_window_size=window
        )
    np.testing.assert_allclose(got, reference(q, k, v, np.where(seen, 0, -np.inf), sink=sink), rtol=1e-11, atol=1e-13)


def test_a_query_that_sees_nothing_gives_0(run, rng):
    q, k, v = draw(rng)
    mask = np.zeros((5, 7))
    mask[2] = -np.inf
    out = run("scaled_dot_product_attention", q, k, v, mask, is_causal=False)
    assert (out[:, :, 2] == 0).all()
    assert np.isfinite(out).all()


def test_no_block_of_scores_exceeds_its_bound():
    for shape in ((2, 4, 100, 64), (1, 16, 4096, 4096), (64, 12, 128, 128), (1, 1, 1, 1 << 24)):
        batch, heads, rows, cost = shape
        sizes = [np.empty(shape[:3], np.bool_)[block].size for block in flash._blocks(*shape)]
        assert sum(sizes) == batch * heads * rows
        assert max(sizes) * cost <= max(flash._SCORES, cost)


def test_operands_that_are_views(run, agree, rng):
    fused = rng.standard_normal((2, 5, 6, 8))
    q, k, v = (fused[:, :, 2 * i : 2 * i + 2].transpose(0, 2, 1, 3) for i in range(3))
    agree(run("scaled_dot_product_attention", q, k, v, is_causal=False), reference(q, k, v, 0.0))


def test_concatenate_heads(run, rng):
    x = rng.standard_normal((2, 3, 4, 5))
    np.testing.assert_array_equal(run("concatenate_heads", x), x.transpose(0, 2, 1, 3).reshape(2, 4, 15))


@pytest.mark.parametrize("transpose_key", [False, True])
@pytest.mark.parametrize("separate", [False, True])
@pytest.mark.parametrize("kv_heads", [None, 2])
def test_split_heads(kv_heads, separate, transpose_key, run, rng):
    count, depth = kv_heads or 4, 3
    parts = [rng.standard_normal((2, 5, heads * depth)) for heads in (4, count, count)]
    operands = (parts[0], np.concatenate(parts[1:], -1)) if separate else (np.concatenate(parts, -1), None)
    got = run(
        "split_query_key_value_and_split_heads",
        *operands,
        num_heads=4,
        num_kv_heads=kv_heads,
        transpose_key=transpose_key,
    )
    wanted = [part.reshape(2, 5, -1, depth).transpose(0, 2, 1, 3) for part in parts]
    wanted[1] = wanted[1].swapaxes(2, 3) if transpose_key else wanted[1]
    for g, w in zip(got, wanted, strict=True):
        np.testing.assert_array_equal(g, w)
