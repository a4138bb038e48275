"""Lookups: rows of a table picked by index, and what training sends back to the rows."""

import numpy as np

from ttstack.diagnostics import ExecutionError, TensorTrainError
from ttstack.tensor_train.bags import Bags
from ttstack_runtime.kernels.table import Array, KernelTable

KERNELS = KernelTable()


@KERNELS
def embedding(indices: Array, weight: Array, *, shape: tuple[int, ...] | None = None) -> Array:
    """`weight[indices]`, the indices seen in another `shape`; leading axes of length 1 of the table do not count.

    Raises:
        ExecutionError: an index is not a row of the table.
    """
    table = _rows(weight)
    return np.take(table, _check(indices.reshape(indices.shape if shape is None else shape), len(table)), axis=0)


@KERNELS
def embedding_backward(indices: Array, weight: Array, in_gradient: Array) -> Array:
    """A tensor like `weight` with each row of `in_gradient` added to the row that its index names."""
    table = _rows(weight)
    flat = _check(indices, len(table)).reshape(-1)
    lengths = np.bincount(flat, minlength=len(table))
    order = np.argsort(flat, stable=True)
    gradients = in_gradient.reshape(len(flat), table.shape[1])
    out = Bags(order, None, np.cumsum(lengths) - lengths, lengths).pool(gradients, order, "sum")
    return out.reshape(weight.shape)


@KERNELS
def embedding_bag(
    indices: Array,
    weight: Array,
    offsets: Array | None = None,
    per_sample_weights: Array | None = None,
    *,
    mode: str = "sum",
    include_last_offset: bool = False,
    padding_idx: int = -1,
) -> Array:
    """Rows pooled by bag, as `torch.nn.functional.embedding_bag`; empty bags give 0.

    Bag `i` holds the indices from `offsets[i]` up to the next offset; without offsets, each row of the 2-D
    `indices` is a bag. Entries equal to `padding_idx` do not count; -1 means there are none.

    Raises:
        ExecutionError: an index is not a row of the table, or offsets are missing, or do not ascend from 0.
    """
    table = _rows(weight)
    try:
        bags = Bags.of(indices.astype(np.int64), offsets, per_sample_weights, include_last_offset=include_last_offset)
    except TensorTrainError as error:
        raise ExecutionError(error.diagnostic.message, hint=error.diagnostic.hint) from error
    bags = bags if padding_idx == -1 else bags.without(padding_idx)
    return bags.pool(table, _check(bags.indices, len(table)), mode)


def _rows(weight: Array) -> Array:
    return weight.reshape(-1, weight.shape[-1])


def _check(indices: Array, count: int) -> Array:
    """Indices as int64, every one a row of a table of `count` rows."""
    whole = indices.astype(np.int64, copy=False)
    if whole.size and (whole.min() < 0 or whole.max() >= count):
        worst = whole.max() if whole.max() >= count else whole.min()
        raise ExecutionError(
            f"index {worst} is outside of a table of {count} rows",
            hint="check the indices given to the program against the number of rows; where a model picks by several, "
            "x[i, j], the rows are those of x with the picked dimensions in one",
        )
    return whole
