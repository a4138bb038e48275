"""Rotary positions."""

import numpy as np

from ttstack_runtime.kernels.table import Array, KernelTable

KERNELS = KernelTable()


@KERNELS
def rotary_embedding(
    x: Array, cos: Array, sin: Array, _trans_mat: Array | None = None, *, interleaved: bool = False
) -> Array:
    """Each pair (a, b) of a row as (a cos - b sin, b cos + a sin); pairs are halves of a row, or neighbours."""
    if interleaved:
        turned = np.stack((-x[..., 1::2], x[..., ::2]), -1).reshape(x.shape)
    else:
        first, second = np.split(x, 2, -1)
        turned = np.concatenate((-second, first), -1)
    return x * cos + turned * sin
