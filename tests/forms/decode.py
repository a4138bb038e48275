"""Attention over caches."""

import numpy as np

from tests.forms.attention import attend
from tests.forms.form import Form


def _decode(q, k, v, positions, scale=None, window=None):
    out = np.zeros((*q.shape[:3], v.shape[3]))
    for user, at in enumerate(positions):
        seen = slice(max(0, at + 1 - window) if window else 0, at + 1)
        out[0, user] = attend(
            q[0, user][None, :, None], k[user, None, :, seen], v[user, None, :, seen], causal=False, scale=scale
        )[0, :, 0]
    return out


def _flat(pages, table):
    return np.stack([np.concatenate(list(pages[row]), axis=1) for row in table])


TABLE = [[2, 0], [1, 3], [5, 4]]
Q3, HEADS, PAGES = "1x3x4x8xf32", "3x2x8x8xf32", "6x2x4x8xf32"
SEGMENTS = "operandSegmentSizes = array<i32: {}>"

FORMS = [
    Form(
        "scaled_dot_product_attention_decode",
        f"{Q3} {HEADS} {HEADS} 3xi32",
        Q3,
        _decode,
        SEGMENTS.format("1, 1, 1, 0, 1, 0"),
        given={3: [0, 3, 7]},
    ),
    *(
        Form(
            "paged_scaled_dot_product_attention_decode",
            f"{Q3} {PAGES} {PAGES} 3x2xi32 {Q3} 3xi32",
            Q3,
            lambda q, k, v, t, o, p, w=w: _decode(q, _flat(k, t), _flat(v, t), p, window=w),
            SEGMENTS.format("1, 1, 1, 1, 1, 0, 1, 0") + ("" if w is None else f", sliding_window_size = {w} : ui32"),
            given={3: TABLE, 5: [0, 3, 7]},
        )
        for w in (None, 2)
    ),
    Form(
        "paged_flash_multi_latent_attention_decode",
        f"{Q3} 6x1x4x8xf32 3x2xi32 3xi32",
        "1x3x4x5xf32",
        lambda q, k, t, p: _decode(q, _flat(k, t), _flat(k, t)[..., :5], p, 0.5),
        SEGMENTS.format("1, 1, 0, 1, 0, 1, 0") + ", head_dim_v = 5 : ui32, scale = 0.5 : f32",
        given={2: TABLE, 3: [0, 3, 7]},
    ),
    Form(
        "paged_flash_multi_latent_attention_decode",
        f"{Q3} 6x1x4x8xf32 6x1x4x6xf32 3x2xi32 3xi32",
        "1x3x4x5xf32",
        lambda q, k, v, t, p: _decode(q, _flat(k, t), _flat(v, t)[..., :5], p, 0.5),
        SEGMENTS.format("1, 1, 1, 1, 0, 1, 0") + ", head_dim_v = 5 : ui32, scale = 0.5 : f32",
        given={3: TABLE, 4: [0, 3, 7]},
    ),
    Form(
        "paged_flash_multi_latent_attention_decode",
        f"{Q3} 6x1x4x8xf32 3x2xi32",
        "1x3x4x5xf32",
        lambda q, k, t: _decode(q, _flat(k, t), _flat(k, t)[..., :5], [7] * 3, 0.5),
        SEGMENTS.format("1, 1, 0, 1, 0, 0, 0") + ", head_dim_v = 5 : ui32, is_causal = false, scale = 0.5 : f32",
        given={2: TABLE},
    ),
    Form(
        "chunked_scaled_dot_product_attention",
        f"3x4x4x8xf32 {PAGES} {PAGES} 3x2xi32 1xi32 3x4x4x8xf32",
        "3x4x4x8xf32",
        lambda q, k, v, t, s, o: attend(np.concatenate([q, q], 2), _flat(k, t), _flat(v, t))[:, :, 4:],
        given={3: TABLE, 4: [4]},
    ),
]

INVALID = []
