"""Noise model: the expected spectrum of a matrix of independent random entries."""

import numpy as np

from ttstack.tensor_train.indices import Array

_POINTS = 4096


def noise_share(rank: int, left: int, right: int) -> float:
    """Return the expected share of squares in the leading `rank` directions of a random `left x right` matrix.

    By the density of Marchenko and Pastur ("Distribution of eigenvalues for some sets of random matrices", Math. USSR
    Sb. 1, 1967) for independent entries of one variance, whatever their distribution.
    """
    narrow, wide = min(left, right), max(left, right)
    if rank >= narrow:
        return 1.0
    ratio = narrow / wide
    low, high = (1 - ratio**0.5) ** 2, (1 + ratio**0.5) ** 2
    # Points crowd at both ends, where the density has its corners; `value` is a squared singular value over its mean.
    angle: Array = (np.arange(_POINTS) + 0.5) * np.pi / _POINTS
    value: Array = low + (high - low) * (1 - np.cos(angle)) / 2
    weight: Array = np.sin(angle) * np.sqrt((high - value) * (value - low)) / value
    above: Array = np.cumsum(weight[::-1]) / weight.sum()
    energy: Array = np.cumsum((weight * value)[::-1]) / (weight * value).sum()
    return float(np.interp(rank / narrow, above, energy))
