"""Attention with linear biases, which are computed for some scores at a time."""

import numpy as np

from ttstack_runtime.kernels.flash import Visibility, attend
from ttstack_runtime.kernels.table import Array, KernelTable

KERNELS = KernelTable()


@KERNELS
def linear_bias_attention(
    query: Array,
    key: Array,
    value: Array,
    _mask: None,
    attention_sink: Array | None,
    *_columns: Array,
    is_causal: bool = False,
    scale: float | None = None,
    sliding_window_size: int | None = None,
    slopes: str,
) -> Array:
    """Attention, [B, Hq, S, D] on [B, Hkv, Sk, D], of scores to which a head's slope times `j - i` is added.

    Columns say the same to the library: the op's verifier compares them.
    """
    positions = np.arange(query.shape[2], dtype=np.int64)[None]
    visible = Visibility(positions, is_causal, sliding_window_size)
    of_heads = np.array([float(slope) for slope in slopes.split(",")], np.float32)
    return attend(query, key, value, scale=scale, visible=visible, slopes=of_heads, sink=attention_sink)
