"""Plans of discrete Fourier transforms: one matmul, two shorter transforms, or a convolution with a chirp."""

import math
from collections.abc import Iterator
from dataclasses import dataclass

from ttstack.ops.types import TILE

SHORT = 256
"""Lengths up to which a transform is one matmul by default: its matrix has at most 8 x 8 tiles."""
LONGEST_MATRIX = 2048
"""The longest transform that can be one matmul; each of its two matrices takes 16 MiB in f32."""
_SPLITS = 3
"""Number of factorizations that are built and priced."""
_LARGE_PRIME = 128
"""Lengths with a larger prime factor are priced as a chirp too."""


@dataclass(frozen=True)
class Direct:
    """One matmul with the full matrix, which is the first operand along the last dimension but one if `left`."""

    size: int
    left: bool = True


@dataclass(frozen=True)
class Split:
    """`first.size` times `second.size` elements as transforms of both sizes (Cooley and Tukey, 1965)."""

    first: "Plan"
    second: "Plan"

    @property
    def size(self) -> int:
        """The length of the transform."""
        return self.first.size * self.second.size


@dataclass(frozen=True)
class Chirp:
    """A circular convolution with a chirp, by transforms of a length of at least `2 size - 1` (Bluestein, 1970)."""

    size: int
    padded: "Plan"


Plan = Direct | Split | Chirp


def default_plan(size: int) -> Plan:
    """Return the plan without prices: short lengths are one matmul, long ones split near the root of the length."""
    if size <= SHORT:
        return Direct(size)
    first = max((a for a, _ in _factorizations(size)), default=0)
    if first:
        return Split(default_plan(first), default_plan(size // first))
    return Direct(size) if size <= LONGEST_MATRIX else _chirp(size)


def plans(size: int) -> Iterator[Plan]:
    """Yield the plans that are worth a price, the default first."""
    yield from dict.fromkeys((default_plan(size), *_others(size)))


def _others(size: int) -> Iterator[Plan]:
    if size <= LONGEST_MATRIX:
        yield from (Direct(size), Direct(size, left=False))
    ordered = sorted(((a, b) for pair in _factorizations(size) for a, b in (pair, pair[::-1])), key=_padded_work)
    for first, second in ordered[:_SPLITS]:
        inner, outer = default_plan(first), default_plan(second)
        yield Split(inner, outer)
        if isinstance(inner, Direct):
            yield Split(Direct(first, left=False), outer)
    if _largest_prime(size) > _LARGE_PRIME:
        yield _chirp(size)


def _factorizations(size: int) -> Iterator[tuple[int, int]]:
    """Yield the pairs of factors of a length, the smaller one first."""
    return ((a, size // a) for a in range(2, math.isqrt(size) + 1) if size % a == 0)


def _padded_work(factors: tuple[int, int]) -> tuple[int, int]:
    """Return the multiplications by both matrices, each padded to tiles, for one element; then the first factor."""
    first, second = (-(-factor // TILE) * TILE for factor in factors)
    padding = first * second / math.prod(factors)
    return round((first + second) * padding), factors[0]


def _chirp(size: int) -> Chirp:
    """Return the chirp of a length whose transforms are products of tiles."""
    length = -(-(2 * size - 1) // TILE) * TILE
    while _largest_prime(length) > TILE:
        length += TILE
    return Chirp(size, default_plan(length))


def _largest_prime(size: int) -> int:
    factor, largest = 2, 1
    while factor * factor <= size:
        if size % factor == 0:
            size, largest = size // factor, factor
        else:
            factor += 1
    return max(largest, size)
