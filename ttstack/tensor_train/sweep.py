"""Cores of a table, the last first: each takes the leading directions of what is left of the table."""

from math import prod

import numpy as np
from numpy.typing import DTypeLike

from ttstack.tensor_train.indices import Array
from ttstack.tensor_train.shape import TensorTrainPlan
from ttstack.tensor_train.subspace import Directions, directions
from ttstack.tensor_train.tables import Progress, Table
from ttstack.tensor_train.unfolding import Unfolding

_FIRST_SKETCH = 128  # directions that are tried first where an error decides on the rank


def swept(
    table: Table, plan: TensorTrainPlan, dtype: DTypeLike, rel_error: float | None, progress: Progress | None
) -> tuple[tuple[int, ...], list[Array]]:
    """Ranks and index-major cores: of the plan's ranks, or of the least that keep `rel_error`.

    The table is read in `dtype`; what is left of it after the last core, in float64.

    TT-SVD from the right (Oseledets 2011, algorithm 1). The squares of what the steps lose add up, so each may lose
    an equal share of what `rel_error` leaves to it and those after it.
    """
    rest, scale = table.values, table.scale
    allowed = None if rel_error is None else rel_error**2
    ranks, cores = (1,), list[Array]()
    for k in range(plan.order - 1, 0, -1):
        heads = prod(plan.row_factors[:k]), prod(plan.col_factors[:k])
        tails = plan.row_factors[k], plan.col_factors[k] * ranks[0]
        unfolding = Unfolding(rest, heads, tails, dtype, scale, progress)
        limit = min(plan.ranks[k], unfolding.left, unfolding.right)
        if allowed is None:
            found, rank = directions(unfolding, limit), limit
        else:
            found, rank, loss = _least(unfolding, limit, allowed / k)
            allowed = max(0.0, allowed - loss) / (1 - loss)
        rest, core = _split(unfolding, found, rank)
        scale, ranks, dtype = 1.0, (rank, *ranks), np.float64
        cores.insert(0, core.reshape(rank, *tails).transpose(1, 0, 2))
    first = np.zeros((plan.row_factors[0], 1, rest.shape[1]), dtype)
    first[: len(rest), 0] = rest
    if plan.order > 1:
        first /= table.scale
    return (1, *ranks), [first, *cores]


def _least(unfolding: Unfolding, limit: int, allowed: float) -> tuple[Directions, int, float]:
    """Directions, how many of them are needed to lose at most a share `allowed` of the squares, and the share lost."""
    count = min(limit, _FIRST_SKETCH)
    while True:
        found = directions(unfolding, count)
        losses = found.losses()[:limit]
        enough = np.flatnonzero(losses <= allowed)
        if enough.size or found.vectors.shape[1] >= limit:
            rank = int(enough[0]) + 1 if enough.size else limit
            return found, rank, max(0.0, float(losses[rank - 1]))
        count = min(limit, 2 * count)


def _split(unfolding: Unfolding, found: Directions, rank: int) -> tuple[Array, Array]:
    """The table that is left, and orthonormal rows `(rank, right)`, whose product is nearest to the unfolding."""
    basis = np.ascontiguousarray(found.vectors[:, :rank], unfolding.dtype)
    if not found.left:
        rest = np.concatenate([block @ basis for block in unfolding.by_rows("projecting")])
        return rest.reshape(unfolding.heads[0], -1), basis.T
    projected = np.concatenate([basis.T @ block for block in unfolding.by_columns("projecting")], axis=1)
    rows, lower = np.linalg.qr(projected.T)
    return (basis @ lower.T).reshape(unfolding.heads[0], -1), rows.T
