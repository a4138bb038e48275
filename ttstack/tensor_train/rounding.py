"""Tensor-Train rounding: the smallest ranks for an error, from the cores alone (Oseledets 2011, algorithm 2)."""

from collections.abc import Sequence

import numpy as np

from ttstack.tensor_train.indices import Array


def round_cores(cores: Sequence[Array], rel_error: float) -> list[Array]:
    """Return cores `(r_{k-1}, s_k, r_k)` of lower ranks, in float64, within `rel_error` of the Frobenius norm.

    Ranks that no tensor of these sizes can need are removed at any error.
    """
    trains = [core.astype(np.float64) for core in cores]
    for k in range(len(trains) - 1):
        left, size, right = trains[k].shape
        orthogonal, rest = np.linalg.qr(trains[k].reshape(left * size, right))
        trains[k] = orthogonal.reshape(left, size, -1)
        trains[k + 1] = np.tensordot(rest, trains[k + 1], axes=1)
    allowed = rel_error**2 * float(np.vdot(trains[-1], trains[-1]))
    for k in range(len(trains) - 1, 0, -1):
        left, size, right = trains[k].shape
        vectors, values, rest = np.linalg.svd(trains[k].reshape(left, size * right), full_matrices=False)
        lost = np.append(np.cumsum(values[::-1] ** 2)[::-1], 0)
        rank = max(1, int(np.argmax(lost <= allowed / k)))
        allowed -= float(lost[rank])
        trains[k] = rest[:rank].reshape(rank, size, right)
        trains[k - 1] = np.tensordot(trains[k - 1], vectors[:, :rank] * values[:rank], axes=1)
    return trains
