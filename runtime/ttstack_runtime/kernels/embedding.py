"""Lookups: rows of a table picked by index, and what training sends back to the rows."""

from collections.abc import Iterator

import numpy as np

from ttstack.diagnostics import ExecutionError
from ttstack_runtime.kernels.table import Array, KernelTable

KERNELS = KernelTable()

_CHUNK_ELEMENTS = 1 << 20  # of gathered rows: they are pooled while they are in cache


@KERNELS
def embedding(indices: Array, weight: Array) -> Array:
    """`weight[indices]`; leading axes of length 1 of the table do not count.

    Raises:
        ExecutionError: an index is not a row of the table.
    """
    table = _rows(weight)
    return np.take(table, _checked(indices, len(table)), axis=0)


@KERNELS
def embedding_backward(indices: Array, weight: Array, in_gradient: Array) -> Array:
    """A tensor like `weight` with each row of `in_gradient` added to the row that its index names."""
    table = _rows(weight)
    flat = _checked(indices, len(table)).reshape(-1)
    lengths = np.bincount(flat, minlength=len(table))
    order = np.argsort(flat, stable=True)
    gradients = in_gradient.reshape(len(flat), table.shape[1])
    out = _pool(gradients, order, np.cumsum(lengths) - lengths, lengths, np.add)
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
    starts, lengths = _bags(indices, offsets, include_last_offset)
    flat = indices.reshape(-1).astype(np.int64)
    factors = None if per_sample_weights is None else per_sample_weights.reshape(-1)
    if padding_idx != -1:
        kept = flat != padding_idx
        before = np.concatenate([[0], np.cumsum(kept)])
        starts, lengths = before[starts], before[starts + lengths] - before[starts]
        flat, factors = flat[kept], None if factors is None else factors[kept]
    pooling = np.maximum if mode == "max" else np.add
    out = _pool(table, _checked(flat, len(table)), starts, lengths, pooling, factors=factors)
    return out / np.maximum(lengths, 1)[:, None].astype(out.dtype) if mode == "mean" else out


def _rows(weight: Array) -> Array:
    return weight.reshape(-1, weight.shape[-1])


def _checked(indices: Array, count: int) -> Array:
    """Indices as int64, every one a row of a table of `count` rows."""
    whole = indices.astype(np.int64, copy=False)
    if whole.size and (whole.min() < 0 or whole.max() >= count):
        worst = whole.max() if whole.max() >= count else whole.min()
        raise ExecutionError(
            f"index {worst} is outside of a table of {count} rows",
            hint="check the indices given to the program against the number of rows",
        )
    return whole


def _bags(indices: Array, offsets: Array | None, include_last_offset: bool) -> tuple[Array, Array]:
    """Start and length of every bag in the flat indices."""
    if offsets is None:
        if indices.ndim != 2:
            raise ExecutionError(f"{indices.ndim}-D indices need offsets", hint="give offsets or 2-D indices")
        lengths = np.full(indices.shape[0], indices.shape[1], dtype=np.int64)
        return np.cumsum(lengths) - lengths, lengths
    bounds = offsets.astype(np.int64)
    if not include_last_offset:
        bounds = np.append(bounds, indices.size)
    if bounds.size and (bounds[0] != 0 or bounds[-1] > indices.size or (np.diff(bounds) < 0).any()):
        raise ExecutionError(f"offsets do not ascend from 0 to the {indices.size} indices")
    return bounds[:-1], np.diff(bounds)


def _pool(
    table: Array,
    positions: Array,
    starts: Array,
    lengths: Array,
    pooling: np.ufunc,
    *,
    factors: Array | None = None,
) -> Array:
    """Row `i` pools the rows at `positions[starts[i] : starts[i] + lengths[i]]` by factors; 0 if empty."""
    out = np.zeros((len(lengths), table.shape[1]), dtype=table.dtype)
    for bags, length in _equal_lengths(lengths, table.shape[1]):
        entries = starts[bags, None] + np.arange(length, dtype=np.int64)
        rows = np.take(table, positions[entries], axis=0)
        if factors is None:
            out[bags] = pooling.reduce(rows, axis=1)
        else:
            out[bags] = np.matmul(factors[entries][:, None], rows)[:, 0]
    return out


def _equal_lengths(lengths: Array, width: int) -> Iterator[tuple[Array, int]]:
    """Bags of one length in chunks; there are at most sqrt(2 n) different lengths among n entries."""
    order = np.argsort(lengths, stable=True)
    distinct, first = np.unique(lengths[order], return_index=True)
    for length, start, stop in zip(distinct, first, [*first[1:], len(order)], strict=True):
        if length == 0:
            continue
        step = max(1, _CHUNK_ELEMENTS // max(1, int(length) * width))
        for at in range(start, stop, step):
            yield order[at : min(at + step, stop)], int(length)
