"""Factors of a table's rows and columns: rows may be padded a little, columns never."""

from collections.abc import Iterator
from math import ceil, floor, prod

MAX_PADDING = 0.01

_PADDING_WEIGHT = 4  # one percent of padding weighs as much as factors that are four percent larger


def row_factors(rows: int, order: int) -> tuple[int, ...]:
    """Return `order` ascending factors of `rows` rows, or at most 1 % more: small factors with little padding.

    Padding rows of zeros do not fit the table's structure, so exact factors justify some imbalance.
    """

    def cost(factors: tuple[int, ...]) -> float:
        return sum(factors) * (1 + _PADDING_WEIGHT * (prod(factors) / rows - 1))

    return min(_splits(rows, order, floor(rows * (1 + MAX_PADDING))), key=cost)


def _splits(rows: int, order: int, limit: int, least: int = 1) -> Iterator[tuple[int, ...]]:
    """Yield ascending factors from `least` with a product from `rows` to `limit` and a nearly minimal sum."""
    if order == 1:
        if max(rows, least) <= limit:
            yield (max(rows, least),)
        return
    best = float("inf")
    for first in range(floor(limit ** (1 / order) + 1e-9), least - 1, -1):
        balanced = first + (order - 1) * (rows / first) ** (1 / (order - 1))
        if balanced > best * (1 + _PADDING_WEIGHT * MAX_PADDING):
            return
        for rest in _splits(ceil(rows / first), order - 1, limit // first, first):
            best = min(best, first + sum(rest))
            yield (first, *rest)


def column_factors(cols: int, order: int) -> tuple[int, ...]:
    """Return `order` ascending factors of exactly `cols` columns, with the minimal sum."""
    return min(factorisations(cols, order), key=lambda factors: (sum(factors), factors))


def factorisations(cols: int, order: int) -> Iterator[tuple[int, ...]]:
    """Yield every product of `order` factors equal to `cols`, in any order."""
    if order == 1:
        yield (cols,)
        return
    for first in range(1, cols + 1):
        if cols % first == 0:
            yield from ((first, *rest) for rest in factorisations(cols // first, order - 1))
