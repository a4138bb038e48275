"""Leading singular directions of an unfolding, without holding it in memory.

For a narrow unfolding the Gram matrix is formed and solved. For one that is wide on both sides, random directions are
multiplied by the unfolding and back (Halko, Martinsson, Tropp, "Finding structure with randomness", SIAM Review 53,
2011, algorithm 4.4), with a fixed seed.

Products in float32 would lose directions whose squares are below 1e-7 of the largest ones. The largest are therefore
first found in a sample of the unfolding, and removed from every block before it is squared.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np

from ttstack.tensor_train.indices import Array
from ttstack.tensor_train.unfolding import Unfolding

WIDEST_GRAM = 1536  # a wider one takes longer to solve than the sketch takes to form

_OUTSTANDING = 64  # directions that are looked for in a sample
_CONTRAST = 100.0  # of squares, by which those stand out that are taken out
_OVERSAMPLING = 16
_SKETCHED_ELEMENTS = 1 << 21  # of a block in it: sums as wide as the unfolding are added to after each
_ROUNDS = 2  # of multiplication there and back


@dataclass(frozen=True)
class Directions:
    """Orthonormal directions in columns, the squared singular value of each, descending, and the sum of all squares.

    `left` is whether they are of the unfolding's left side.
    """

    vectors: Array
    energies: Array
    total: float
    left: bool

    def losses(self) -> Array:
        """Return the share of the squares outside of the leading 1, 2, 3 ... directions; 0 for a table of zeros."""
        if self.total == 0:
            return np.zeros(len(self.energies))
        return np.maximum(1 - np.cumsum(self.energies) / self.total, 0)


def directions(unfolding: Unfolding, count: int) -> Directions:
    """Return at least the `count` leading directions of the narrower side, or all if there are fewer."""
    narrow = min(unfolding.left, unfolding.right)
    if narrow <= WIDEST_GRAM or 2 * (count + _OVERSAMPLING) >= narrow:
        gram = _gram(unfolding.lines("analysing"), _outstanding(unfolding.sample()))
        energies, vectors = np.linalg.eigh(gram)
        energies = np.maximum(energies[::-1], 0)
        return Directions(_sign(vectors[:, ::-1]), energies, float(np.trace(gram)), unfolding.narrow_left)
    return _sketch(unfolding, count + _OVERSAMPLING)


def _outstanding(sample: Array) -> Array:
    """Return dominant directions of the sample in columns; none for float64."""
    side = sample.shape[1]
    if sample.dtype == np.float64:
        return np.empty((side, 0))
    basis = np.random.default_rng(0).standard_normal((side, min(side, _OUTSTANDING)), np.float32)
    basis = np.linalg.qr(sample.T @ (sample @ basis))[0]
    projected = sample @ basis
    energies, rotation = np.linalg.eigh(projected.T @ projected)
    return basis @ rotation[:, energies > _CONTRAST * energies[0]]


def _gram(blocks: Iterable[Array], known: Array) -> Array:
    """Return `X^T X` of the rows in the blocks, summed in float64, from `X = [X known, rest] [known, 1]^T`."""
    side, count = known.shape
    total = np.zeros((count + side,) * 2)
    for block in blocks:
        parts = _part(block, known) if count else block
        total += parts.T @ parts
    back = np.concatenate([known, np.eye(side)], axis=1)
    return back @ total @ back.T


def _part(block: Array, known: Array) -> Array:
    """Return `[block known, rest]`, where the rest is the block without the known directions."""
    count = known.shape[1]
    parts = np.empty((len(block), count + len(known)), block.dtype, "F" if block.flags.f_contiguous else "C")
    part, rest = parts[:, :count], parts[:, count:]
    np.matmul(block, known, out=part)
    np.matmul(part, known.T, out=rest)
    np.subtract(block, rest, out=rest)
    return parts


def _sketch(unfolding: Unfolding, count: int) -> Directions:
    """Return directions from products of the unfolding with `count` random ones.

    The search is in the blocks' type, and their squares are measured in float64.
    """
    narrow = min(unfolding.left, unfolding.right)
    basis = np.random.default_rng(0).standard_normal((narrow, count))
    for _ in range(_ROUNDS):
        product = np.zeros((narrow, count))
        found = basis.astype(unfolding.dtype)
        for block in unfolding.lines("analysing", _SKETCHED_ELEMENTS):
            product += block.T @ (block @ found)
        basis = np.linalg.qr(product)[0]
    gram, total = np.zeros((count, count)), 0.0
    for block in replace(unfolding, dtype=np.float64).lines("analysing"):
        projected = block @ basis
        gram += projected.T @ projected
        total += float(np.vdot(block, block))
    energies, rotation = np.linalg.eigh(gram)
    vectors = _sign(basis @ rotation[:, ::-1])
    return Directions(vectors, np.maximum(energies[::-1], 0), total, unfolding.narrow_left)


def _sign(vectors: Array) -> Array:
    """Return the directions with their largest entries positive."""
    peaks = np.take_along_axis(vectors, np.abs(vectors).argmax(axis=0)[None], axis=0)
    return vectors * np.where(peaks < 0, -1, 1)
