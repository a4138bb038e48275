"""Attention, with gradients and without."""

from itertools import product

import numpy as np
import torch

from tests.forms.form import Form


def _t(x):
    return torch.from_numpy(np.ascontiguousarray(x))


def attend(q, k, v, mask=None, sink=None, causal=True, scale=None, window=None):
    """Head by head; grouped queries share a head of keys."""
    group = q.shape[1] // k.shape[1]
    k, v = np.repeat(k, group, 1), np.repeat(v, group, 1)
    scores = q @ k.swapaxes(-1, -2) * (q.shape[-1] ** -0.5 if scale is None else scale)
    away = np.arange(k.shape[2])[None] - np.arange(q.shape[2])[:, None]
    if mask is not None:
        scores = scores + mask
    if causal:
        hidden = (away > 0) | (away <= -window if window else False)
        scores = np.where(hidden, -np.inf, scores)
    if sink is not None:
        scores = np.concatenate([scores, np.broadcast_to(sink.reshape(1, -1, 1, 1), (*scores.shape[:3], 1))], -1)
    e = np.exp(scores - scores.max(-1, keepdims=True))
    return (e / e.sum(-1, keepdims=True))[..., : k.shape[2]] @ v


def _log_sums(q, k, causal):
    scores = q @ k.swapaxes(-1, -2) * q.shape[-1] ** -0.5
    if causal:
        scores = np.where(np.tri(*scores.shape[-2:], dtype=bool), scores, -np.inf)
    top = scores.max(-1, keepdims=True)
    return np.broadcast_to(top + np.log(np.exp(scores - top).sum(-1, keepdims=True)), (*q.shape[:-1], 32))


def _gradients(grad, q, k, v, causal):
    q, k, v = (_t(x).requires_grad_() for x in (q, k, v))
    F.scaled_dot_product_attention(q, k, v, is_causal=causal).backward(_t(grad))
    return tuple(np.asarray(x.grad) for x in (q, k, v))


def _backward(shape, causal, kind):
    """Operands of which attention's own output and log-sum-exps are two."""
    rng = np.random.default_rng(3)
    q, k, v, grad = (rng.standard_normal(shape).astype(np.float32).astype(np.float64) for _ in range(4))
    out, sums = (
        attend(*(x.reshape(-1, *shape[-3:]) for x in (q, k, v)), causal=causal).reshape(shape),
        _log_sums(q, k, causal),
    )
    text = "x".join(map(str, shape)) + "xf32"
    wide = "x".join(map(str, (*shape[:-1], 32))) + "xf32"
    return Form(
        "sdpa_bw",
        f"{text} {text} {text} {text} {text} {wide}",
        f"{text} {text} {text}",
        lambda *x: _gradients(grad, q, k, v, causal),
        f"mask_type = #ttcore.attention_mask_type<{kind}>",
        given=dict(enumerate((grad, out, q, k, v, sums))),
    )


def _rank(attend, heads, causal):
    made = attend(*(x.reshape(-1, *x.shape[-3:]) for x in heads), causal=causal)
    return made.reshape(heads[0].shape)


def _split(x, heads, kv):
    d = x.shape[-1] // (heads + 2 * kv)
    parts = np.split(x, [heads * d, (heads + kv) * d], -1)
    q, k, v = (p.reshape(*x.shape[:2], -1, d).transpose(0, 2, 1, 3) for p in parts)
    return q, k.swapaxes(-1, -2), v


F = torch.nn.functional
SEGMENTS = "operandSegmentSizes = array<i32: {}>"
MASK = "mask_type = #ttcore.attention_mask_type<{}>"
H = "2x4x6x8xf32"
THREE = SEGMENTS.format("1, 1, 1, 0, 0")

FORMS = [
    *(
        Form(
            "scaled_dot_product_attention",
            f"2x4x6x8x{a} 2x2x6x8x{a} 2x2x6x8x{a}",
            f"2x4x6x8x{r}",
            lambda *x, c=c: attend(*x, causal=c),
            f"is_causal = {str(c).lower()}, {SEGMENTS.format('1, 1, 1, 0, 0')}",
        )
        for a, r, c in product(("f32", "bf16"), ("f32", "bf16"), (True, False))
    ),
    Form(
        "scaled_dot_product_attention",
        "2x4x5x8xf32 2x1x7x8xf32 2x1x7x3xf32 2x1x5x7xf32",
        "2x4x5x3xf32",
        lambda q, k, v, m: attend(q, k, v, m, causal=False, scale=0.25),
        f"is_causal = false, scale = 0.25 : f32, {SEGMENTS.format('1, 1, 1, 1, 0')}",
    ),
    Form(
        "scaled_dot_product_attention",
        "1x2x6x8xf32 1x2x6x8xf32 1x2x6x8xf32 2xf32",
        "1x2x6x8xf32",
        lambda q, k, v, s: attend(q, k, v, sink=s, window=2),
        f"is_causal = true, sliding_window_size = 2 : ui32, {SEGMENTS.format('1, 1, 1, 0, 1')}",
    ),
    *(
        Form(
            "sdpa_fw",
            f"{s}xf32 {s}xf32 {s}xf32",
            f"{s}xf32",
            lambda *x, c=c: _rank(attend, x, c),
            f"{MASK.format(k)}, {SEGMENTS.format('1, 1, 1, 0')}",
        )
        for s, (k, c) in product(("2x3x6x8", "3x6x8"), (("causal", True), ("none", False)))
    ),
    *(
        Form(
            "sdpa_fw",
            f"{s}xf32 {s}xf32 {s}xf32",
            f"{s}xf32 {w}xf32",
            lambda *x: (_rank(attend, x, True), _log_sums(x[0], x[1], True)),
            f"return_intermediates = true, {SEGMENTS.format('1, 1, 1, 0')}",
        )
        for s, w in (("2x3x6x8", "2x3x6x32"), ("3x6x8", "3x6x32"))
    ),
    *(_backward(s, c, k) for s, (k, c) in product(((2, 3, 6, 8), (3, 6, 8)), (("causal", True), ("none", False)))),
    Form("concatenate_heads", "2x3x4x5xbf16", "2x4x15xf32", lambda x: x.transpose(0, 2, 1, 3).reshape(2, 4, 15)),
    Form(
        "split_heads",
        "2x4x15xf32",
        "2x3x4x5xf32",
        lambda x: x.reshape(2, 4, 3, 5).transpose(0, 2, 1, 3),
        "num_heads = 3 : ui32",
    ),
    Form(
        "split_query_key_value_and_split_heads",
        "2x4x20xf32",
        "2x2x4x5xf32 2x1x5x4xf32 2x1x4x5xf32",
        lambda x: _split(x, 2, 1),
        "num_heads = 2 : ui32, num_kv_heads = 1 : ui32, transpose_key = true",
    ),
    Form("concatenate_heads_decode", "1x3x2x5xf32", "1x3x10xf32", lambda x: x.reshape(1, 3, 10)),
    Form(
        "split_query_key_value_decode",
        "1x3x20xf32",
        "1x3x2x5xf32 1x3x1x5xf32 1x3x1x5xf32",
        lambda x: (x[..., :10].reshape(1, 3, 2, 5), x[:, :, None, 10:15], x[:, :, None, 15:]),
        "num_heads = 2 : ui32, num_kv_heads = 1 : ui32",
    ),
    *(
        Form(
            "scaled_dot_product_attention",
            f"1x2x6x8xf32 1x2x6x8xf32 1x2x6x{width}xf32",
            f"1x2x6x{width}xf32",
            attend,
            f"is_causal = true, {THREE}",
        )
        for width in (5, 37)
    ),
]

INVALID = [
    ("scaled_dot_product_attention", f"{H} {H} {H}", H, f"sliding_window_size = 0 : ui32, {THREE}", "no key is seen"),
    (
        *("split_query_key_value_and_split_heads", "2x4x20xf32", "2x4x4x5xf32 2x0x4x5xf32 2x0x4x5xf32"),
        *("num_heads = 4 : ui32, num_kv_heads = 0 : ui32, transpose_key = false", "num_kv_heads is 0"),
    ),
    ("scaled_dot_product_attention", f"{H} {H} 2x4x5x8xf32", H, THREE, "differ in batch"),
    ("scaled_dot_product_attention", f"{H} 2x3x6x8xf32 2x3x6x8xf32", H, THREE, "not a multiple"),
    ("scaled_dot_product_attention", "4x6x8xf32 4x6x8xf32 4x6x8xf32", "4x6x8xf32", THREE, "rank 3, not 4"),
    (
        "scaled_dot_product_attention",
        f"{H} {H} {H} 2x1x6x6xf32",
        H,
        f"is_causal = true, {SEGMENTS.format('1, 1, 1, 1, 0')}",
        "not both",
    ),
    (
        "scaled_dot_product_attention",
        f"{H} {H} {H} 2x1x5x6xf32",
        H,
        f"is_causal = false, {SEGMENTS.format('1, 1, 1, 1, 0')}",
        "do not broadcast",
    ),
    (
        "sdpa_fw",
        f"{H} {H} {H}",
        H,
        f"{MASK.format('arbitrary')}, {SEGMENTS.format('1, 1, 1, 0')}",
        "needs an attention_mask",
    ),
    (
        "sdpa_fw",
        f"{H} {H} {H} 2x1x6x6xf32",
        H,
        f"{MASK.format('none')}, {SEGMENTS.format('1, 1, 1, 1')}",
        "takes no attention_mask",
    ),
    (
        "sdpa_fw",
        f"{H} {H} {H}",
        H,
        f"dropout_probability = 1.0 : f32, {SEGMENTS.format('1, 1, 1, 0')}",
        "must be in [0, 1)",
    ),
    ("sdpa_fw", "6x8xf32 6x8xf32 6x8xf32", "6x8xf32", SEGMENTS.format("1, 1, 1, 0"), "rank 2, not 4"),
    ("concatenate_heads", "2x3x4xf32", "2x12xf32", "", "rank 3, not 4"),
    ("concatenate_heads_decode", "1x3x4xf32", "1x12xf32", "", "rank 3, not 4"),
    ("concatenate_heads_decode", "2x3x2x5xf32", "2x3x10xf32", "", "a first dimension of 2, not 1"),
    (
        *("split_query_key_value_decode", "2x3x20xf32", "1x3x2x5xf32 1x3x1x5xf32 1x3x1x5xf32"),
        *("num_heads = 2 : ui32, num_kv_heads = 1 : ui32", "a first dimension of 2, not 1"),
    ),
    (
        *("split_query_key_value_decode", "1x3x20xf32", "1x3x2x5xf32 1x3x1x5xf32 1x3x1x5xf32"),
        *("num_heads = 2 : ui32, num_kv_heads = 0 : ui32", "does not split"),
    ),
    ("split_heads", "2x4x15xf32", "2x4x4x4xf32", "num_heads = 4 : ui32", "does not split"),
    (
        "split_query_key_value_and_split_heads",
        "2x4x20xf32",
        "2x0x4x5xf32 2x0x4x5xf32 2x0x4x5xf32",
        "num_heads = 0 : ui32, transpose_key = false",
        "does not split",
    ),
]
