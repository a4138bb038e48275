"""Rows of a Tensor-Train table, from its cores alone."""

from collections.abc import Sequence

import numpy as np

from ttstack.tensor_train.axes import swapped
from ttstack.tensor_train.indices import Array, digits, distinct
from ttstack.tensor_train.shape import TensorTrainPlan

_GROUP = 8  # lookups that share a slice on average, from which one multiplication for all of them is faster
_CHUNK_ELEMENTS = 1 << 18  # of partial products in flight, to stay in cache


def lookup(plan: TensorTrainPlan, cores: Sequence[Array], rows: Array) -> Array:
    """Rows of the table, `(count, cols)`; `rows` are checked row numbers of one dimension.

    A row that occurs twice is computed once, as is the product of cores for leading digits that rows share.
    """
    if rows.size == 0:
        return np.empty((0, plan.cols), cores[0].dtype)
    once, places = distinct(rows, plan.padded_rows)
    if len(once) < len(rows):
        return _lookup(plan, cores, once)[places]
    return _lookup(plan, cores, rows)


def consecutive(plan: TensorTrainPlan, cores: Sequence[Array], start: int, stop: int) -> Array:
    """Rows `start` to `stop` of the table, `(stop - start, cols)`."""
    last, width = plan.row_factors[-1], plan.col_factors[-1]
    if plan.order == 1 or stop <= start:
        return cores[0][start:stop, 0] if plan.order == 1 else np.empty((0, plan.cols), cores[0].dtype)
    prefixes = np.arange(start // last, -(-stop // last))
    lefts = _products(plan, cores, prefixes).reshape(-1, plan.ranks[-2])
    flat = lefts @ cores[-1].transpose(1, 0, 2).reshape(plan.ranks[-2], -1)
    rows = swapped(flat.reshape(len(prefixes), -1, last, width)).reshape(-1, plan.cols)
    return rows[start - int(prefixes[0]) * last :][: stop - start]


def _lookup(plan: TensorTrainPlan, cores: Sequence[Array], rows: Array) -> Array:
    last = plan.row_factors[-1]
    width, rank = plan.cols // plan.col_factors[-1], plan.ranks[-2]
    if plan.order == 1:
        return cores[0][rows, 0]
    prefix, digit = np.divmod(rows, last)
    once, places = distinct(prefix, plan.padded_rows // last)
    lefts = _products(plan, cores, once)
    out = np.empty((len(rows), width, plan.col_factors[-1]), lefts.dtype)
    step = max(1, _CHUNK_ELEMENTS // (width * rank))
    for at in range(0, len(rows), step):
        chunk = slice(at, at + step)
        np.matmul(lefts[places[chunk]], cores[-1][digit[chunk]], out=out[chunk])
    return out.reshape(len(rows), plan.cols)


def _products(plan: TensorTrainPlan, cores: Sequence[Array], prefixes: Array) -> Array:
    """Products of all cores but the last, `(count, columns so far, rank)`."""
    first, *rest = digits(prefixes, plan.row_factors[:-1])
    product = cores[0][first].reshape(len(prefixes), plan.col_factors[0], plan.ranks[1])
    for core, digit, rank in zip(cores[1:-1], rest, plan.ranks[2:-1], strict=True):
        product = _multiplied(product, core, digit).reshape(len(prefixes), -1, rank)
    return product


def _multiplied(left: Array, core: Array, digit: Array) -> Array:
    """Each of `left` times the slice of the core that its digit picks; each slice is read once where many share it."""
    if len(digit) < _GROUP * len(core):
        return np.matmul(left, core[digit])
    order = np.argsort(digit, stable=True)
    ends = np.cumsum(np.bincount(digit, minlength=len(core)))
    out = np.empty((*left.shape[:2], core.shape[2]), left.dtype)
    for matrix, start, stop in zip(core, [0, *ends[:-1]], ends, strict=True):
        members = order[start:stop]
        product = left[members].reshape(-1, left.shape[2]) @ matrix
        out[members] = product.reshape(len(members), left.shape[1], -1)
    return out
