"""Matrix products over named loops, as one call to BLAS."""

from collections.abc import Sequence
from math import prod

import numpy as np

from ttstack_runtime.kernels.table import Array


def contract(a: Array, b: Array, inner: Sequence[int]) -> Array:
    """Products of `a` and `b` summed over the axes `inner`, which keep extent 1; all other axes broadcast.

    Both have one axis for each loop. Axes where both have an extent are batches, axes of `a` alone become the
    rows of the matrix product, those of `b` alone its columns.
    """
    rank = a.ndim
    rows = [i for i in range(rank) if i not in inner and b.shape[i] == 1]
    columns = [i for i in range(rank) if i not in inner and i not in rows and a.shape[i] == 1]
    batch = [i for i in range(rank) if i not in inner and i not in rows and i not in columns]
    left = _group(a, batch, rows, inner)
    right = _group(b, batch, inner, columns)
    out = np.matmul(left, right)
    order = [*batch, *rows, *columns, *inner]
    extents = [
        *(a.shape[i] for i in batch),
        *(a.shape[i] for i in rows),
        *(b.shape[i] for i in columns),
        *(1 for _ in inner),
    ]
    return out.reshape(extents).transpose(np.argsort(order))


def _group(x: Array, batch: Sequence[int], first: Sequence[int], second: Sequence[int]) -> Array:
    """`x` with its batch axes and two axes that hold the others; left out axes have extent 1."""
    left_out = [i for i in range(x.ndim) if i not in (*batch, *first, *second)]
    moved = x.transpose(*batch, *first, *second, *left_out)
    shape = [x.shape[i] for i in batch]
    return moved.reshape(*shape, prod(x.shape[i] for i in first), prod(x.shape[i] for i in second))
