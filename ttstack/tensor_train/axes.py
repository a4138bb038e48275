"""The transposition of unfoldings, at memory bandwidth."""

import numpy as np

from ttstack.tensor_train.indices import Array

_WIDE = (np.complex128, np.float64, np.uint32, np.uint16)  # only moved, never computed with


def swap_middle(values: Array) -> Array:
    """Return `values` of shape `(a, b, c, d)` as a new contiguous `(a, c, b, d)`.

    The innermost runs are moved as elements of up to 16 bytes, as NumPy copies short runs of small elements ten times
    slower.
    """
    a, b, c, d = values.shape
    out = np.empty((a, c, b, d), values.dtype)
    run = d * values.itemsize
    wide = next((w for w in _WIDE if run % np.dtype(w).itemsize == 0), None)
    if wide is None:
        out[...] = values.transpose(0, 2, 1, 3)
    else:
        out.view(wide)[...] = np.ascontiguousarray(values).view(wide).transpose(0, 2, 1, 3)
    return out
