"""Cores of a table in order: each has the leading directions of the remainder."""

from math import prod

import numpy as np
from numpy.typing import DTypeLike

from ttstack.tensor_train.indices import Array
from ttstack.tensor_train.shape import TensorTrainPlan
from ttstack.tensor_train.subspace import Directions, directions
from ttstack.tensor_train.tables import DenseTable, Progress
from ttstack.tensor_train.unfolding import Unfolding

_FIRST_SKETCH = 128  # directions that are tried first where an error decides on the rank


def swept(
    table: DenseTable, plan: TensorTrainPlan, dtype: DTypeLike, rel_error: float | None, progress: Progress | None
) -> tuple[tuple[int, ...], list[Array]]:
    """Return ranks and index-major cores: of the plan's ranks, or of the smallest within `rel_error`.

    The table is read in `dtype`; the remainder after the first core is in float64.

    TT-SVD (Oseledets 2011, algorithm 1). The squares of the steps' losses add up, so each step may lose an equal share
    of the remaining `rel_error`.
    """
    rest, scale = table.values, table.scale
    allowed = None if rel_error is None else rel_error**2
    ranks, cores = (1,), list[Array]()
    for k in range(plan.order - 1):
        heads = ranks[-1] * plan.row_factors[k], plan.col_factors[k]
        tails = prod(plan.row_factors[k + 1 :]), prod(plan.col_factors[k + 1 :])
        unfolding = Unfolding(rest, heads, tails, dtype, scale, progress)
        limit = min(plan.ranks[k + 1], unfolding.left, unfolding.right)
        left = plan.order - 1 - k
        if allowed is None:
            found, rank = directions(unfolding, limit), limit
        else:
            found, rank, loss = _least(unfolding, limit, allowed / left)
            allowed = max(0.0, allowed - loss) / (1 - loss)
        core, rest = _split(unfolding, found, rank, last=left == 1)
        cores.append(_index_major(core, ranks[-1], plan.row_factors[k]))
        rest = rest.reshape(rank * tails[0], tails[1])
        scale, ranks, dtype = 1.0, (*ranks, rank), np.float64
    last = np.zeros((ranks[-1] * plan.row_factors[-1], plan.col_factors[-1]), dtype)
    last[: len(rest)] = rest
    if plan.order > 1:
        last /= table.scale
    return (*ranks, 1), [*cores, _index_major(last, ranks[-1], plan.row_factors[-1])]


def _index_major(core: Array, rank: int, rows: int) -> Array:
    return core.reshape(rank, rows, -1).transpose(1, 0, 2)


def _least(unfolding: Unfolding, limit: int, allowed: float) -> tuple[Directions, int, float]:
    """Return directions, how many of them lose at most a share `allowed` of the squares, and the actual share."""
    count = min(limit, _FIRST_SKETCH)
    while True:
        found = directions(unfolding, count)
        losses = found.losses()[:limit]
        enough = np.flatnonzero(losses <= allowed)
        if enough.size or found.vectors.shape[1] >= limit:
            rank = int(enough[0]) + 1 if enough.size else limit
            return found, rank, max(0.0, float(losses[rank - 1]))
        count = min(limit, 2 * count)


def _split(unfolding: Unfolding, found: Directions, rank: int, *, last: bool) -> tuple[Array, Array]:
    """Return orthonormal columns `(left, rank)` and the rest `(rank, right)`, with a product closest to the unfolding.

    The last split does not need orthonormal columns.
    """
    basis = np.ascontiguousarray(found.vectors[:, :rank], unfolding.dtype)
    if found.left:
        return basis, np.concatenate([basis.T @ block for block in unfolding.by_columns("projecting")], axis=1)
    projected = np.concatenate([block @ basis for block in unfolding.by_rows("projecting")])
    if last:
        return projected, basis.T
    columns, upper = np.linalg.qr(projected)
    return columns, upper @ basis.T
