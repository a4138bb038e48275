"""Rotary positions."""

import numpy as np

from tests.forms.form import Form


def _turned(x, cos, sin, interleaved=False):
    """Element by element: the first of a pair less the second, the second and the first."""
    out, half = np.empty_like(x), x.shape[-1] // 2
    cos, sin = (np.broadcast_to(t, x.shape) for t in (cos, sin))
    for i in range(x.shape[-1]):
        first = i % 2 == 0 if interleaved else i < half
        other = i + (1 if interleaved else half) * (1 if first else -1)
        out[..., i] = x[..., i] * cos[..., i] + x[..., other] * sin[..., i] * (-1 if first else 1)
    return out


FORMS = [
    Form("rotary_embedding", "2x3x5x8xf32 1x1x5x8xf32 1x1x5x8xf32", "2x3x5x8xf32", _turned),
    Form("rotary_embedding", "1x4x3x64xbf16 1x4x1x64xbf16 64xbf16", "1x4x3x64xbf16", _turned),
    Form(
        "rotary_embedding",
        "2x3x6xf64 3x6xf64 1x6xf64",
        "2x3x6xf64",
        lambda *x: _turned(*x, interleaved=True),
        "interleaved = true",
    ),
]

INVALID = [
    (
        "rotary_embedding",
        "4x32xf32 32xf32 32xf32 1x1x32x32xf32",
        "4x32xf32",
        "",
        "takes a trans_mat with interleaved alone",
    ),
    (
        "rotary_embedding",
        "4x32xf32 32xf32 32xf32 32x32xf32",
        "4x32xf32",
        "interleaved = true",
        "trans_mat has shape [32, 32], expected [1, 1, 32, 32]",
    ),
    (
        "rotary_embedding",
        "4x16xf32 16xf32 16xf32 1x1x32x32xf32",
        "4x16xf32",
        "interleaved = true",
        "rows of 16 elements are not whole tiles, which trans_mat turns",
    ),
    ("rotary_embedding", "4x7xf32 7xf32 7xf32", "4x7xf32", "", "input [4, 7] has no rows of pairs"),
    ("rotary_embedding", "4x8xf32 4x1xf32 4x8xf32", "4x8xf32", "", "cos_cache [4, 1] has not the rows of [4, 8]"),
    ("rotary_embedding", "4x8xf32 8xf32 3x8xf32", "4x8xf32", "", "shapes [4, 8] and [3, 8] do not broadcast"),
]
