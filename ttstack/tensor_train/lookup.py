"""Rows of a Tensor-Train table, from its cores alone.

Three optimizations apply if profitable: repeated rows are computed once, and so are shared products of leading cores;
rows with the same slice of a core are multiplied together, so that slices are read once.
"""

from collections.abc import Sequence

import numpy as np

from ttstack.tensor_train.axes import swap_middle
from ttstack.tensor_train.indices import Array, digits, distinct, divide_rows
from ttstack.tensor_train.shape import TensorTrainPlan

_GROUP_ELEMENTS = 16_000  # of slices gathered for each slice there is, from which a multiplication a slice is faster
_CHUNK_ELEMENTS = 1 << 19  # of partial products in flight, to stay in cache
_HEAVY_ELEMENTS = 1000  # of slices that a row takes, from which it is worth finding repeated rows
_SAMPLE = 256  # lookups that tell whether others repeat
_REPEATED = 0.05  # share of repeated ones in the sample from which finding them all is worth it


def lookup(plan: TensorTrainPlan, cores: Sequence[Array], rows: Array) -> Array:
    """Return rows of the table, `(count, cols)`; `rows` are checked row numbers of one dimension."""
    if rows.size == 0:
        return np.empty((0, plan.cols), cores[0].dtype)
    if plan.order == 1:
        return cores[0][rows, 0]
    if _heavy(cores) and _repeats(rows, plan.rows):
        once, places = distinct(rows, plan.padded_rows)
        return _lookup(plan, cores, once)[places]
    return _lookup(plan, cores, rows)


def consecutive(plan: TensorTrainPlan, cores: Sequence[Array], start: int, stop: int) -> Array:
    """Return rows `start` to `stop` of the table, `(stop - start, cols)`."""
    last, width = plan.row_factors[-1], plan.col_factors[-1]
    if plan.order == 1 or stop <= start:
        return cores[0][start:stop, 0] if plan.order == 1 else np.empty((0, plan.cols), cores[0].dtype)
    prefixes = np.arange(start // last, -(-stop // last))
    lefts = _products(plan, cores, prefixes).reshape(-1, plan.ranks[-2])
    flat = lefts @ cores[-1].transpose(1, 0, 2).reshape(plan.ranks[-2], -1)
    rows = swap_middle(flat.reshape(len(prefixes), -1, last, width)).reshape(-1, plan.cols)
    return rows[start - int(prefixes[0]) * last :][: stop - start]


def _heavy(cores: Sequence[Array]) -> bool:
    """Return True if computing a row takes longer than finding it among others."""
    return sum(core[0].size for core in cores) >= _HEAVY_ELEMENTS


def _repeats(values: Array, count: int) -> bool:
    """Return True if enough values below `count` repeat, by their number or a sample."""
    sample = values[:: max(1, len(values) // _SAMPLE)][:_SAMPLE]
    if len(values) >= 2 * count:
        return True
    ordered = np.sort(sample)
    return int(np.count_nonzero(ordered[1:] == ordered[:-1])) > _REPEATED * len(sample)


def _lookup(plan: TensorTrainPlan, cores: Sequence[Array], rows: Array) -> Array:
    prefix, digit = divide_rows(rows, plan.row_factors[-1])
    if plan.order == 2:
        lefts = cores[0].reshape(-1, plan.col_factors[0], plan.ranks[1])
        return _finish(plan, cores[-1], lefts, prefix, digit)
    if _repeats(prefix, plan.padded_rows // plan.row_factors[-1]):
        once, places = distinct(prefix, plan.padded_rows // plan.row_factors[-1])
        order = _grouping(once, cores[-2])
        where = np.empty_like(order)
        where[order] = np.arange(len(order))
        return _finish(plan, cores[-1], _products(plan, cores, once[order]), where[places], digit)
    if not _groups_pay(len(prefix), cores[-2]):
        return _finish(plan, cores[-1], _products(plan, cores, prefix), None, digit)
    order = _grouping(prefix, cores[-2])
    out = np.empty((len(rows), plan.cols), cores[0].dtype)
    out[order] = _finish(plan, cores[-1], _products(plan, cores, prefix[order]), None, digit[order])
    return out


def _groups_pay(count: int, core: Array) -> bool:
    """Return True if `count` lookups read so much of a core's slices that a multiplication per slice is faster."""
    return count * core[0].size >= _GROUP_ELEMENTS * len(core)


def _grouping(prefixes: Array, core: Array) -> Array:
    """Return the order that groups prefixes by the slice of their last core."""
    return np.argsort((prefixes % len(core)).astype(np.min_scalar_type(len(core))), kind="stable")


def _finish(plan: TensorTrainPlan, core: Array, lefts: Array, places: Array | None, digit: Array) -> Array:
    """Multiply products `lefts`, at `places` for each row or one for one, by the slices of the last core."""
    out = np.empty((len(digit), lefts.shape[1], plan.col_factors[-1]), lefts.dtype)
    step = max(1, _CHUNK_ELEMENTS // (lefts.shape[1] * lefts.shape[2]))
    for start in range(0, len(digit), step):
        chunk = slice(start, start + step)
        left = lefts[chunk] if places is None else np.take(lefts, places[chunk], axis=0)
        np.matmul(left, np.take(core, digit[chunk], axis=0), out=out[chunk])
    return out.reshape(len(digit), plan.cols)


def _products(plan: TensorTrainPlan, cores: Sequence[Array], prefixes: Array) -> Array:
    """Return products of all cores but the last, `(count, columns so far, rank)`."""
    first, *rest = digits(prefixes, plan.row_factors[:-1])
    product = np.take(cores[0], first, axis=0).reshape(len(prefixes), plan.col_factors[0], plan.ranks[1])
    for core, digit, rank in zip(cores[1:-1], rest, plan.ranks[2:-1], strict=True):
        product = _multiply(product, core, digit).reshape(len(prefixes), -1, rank)
    return product


def _multiply(left: Array, core: Array, digit: Array) -> Array:
    """Multiply each of `left` by the slice of the core that its digit selects."""
    if not _groups_pay(len(digit), core):
        return np.matmul(left, np.take(core, digit, axis=0))
    order = None if (digit[1:] >= digit[:-1]).all() else np.argsort(digit, kind="stable")
    grouped = left if order is None else left[order]
    ends = np.cumsum(np.bincount(digit, minlength=len(core)))
    products = np.empty((*left.shape[:2], core.shape[2]), left.dtype)
    for matrix, start, stop in zip(core, [0, *ends[:-1]], ends, strict=True):
        np.matmul(
            grouped[start:stop].reshape(-1, left.shape[2]),
            matrix,
            out=products[start:stop].reshape(-1, core.shape[2]),
        )
    if order is None:
        return products
    out = np.empty_like(products)
    out[order] = products
    return out
