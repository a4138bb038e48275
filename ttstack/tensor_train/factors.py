"""Factors of a table's rows and columns: rows may be padded a little, columns never."""

from collections.abc import Iterator
from math import ceil, floor, prod

MAX_PADDING = 0.01

_PADDING_WEIGHT = 4  # one percent of padding weighs as much as factors that are four percent larger


def row_factors(rows: int, order: int) -> tuple[int, ...]:
    """`order` ascending factors that make `rows` rows and at most 1 % more: small ones that pad little.

    Rows of zeros fit no structure that the others have, so exact factors are worth a little imbalance.
    """

    def cost(factors: tuple[int, ...]) -> float:
        return sum(factors) * (1 + _PADDING_WEIGHT * (prod(factors) / rows - 1))

    return min(_splits(rows, order, floor(rows * (1 + MAX_PADDING))), key=cost)


def _splits(rows: int, order: int, limit: int, least: int = 1) -> Iterator[tuple[int, ...]]:
    """Ascending factors from `least` whose product is from `rows` to `limit`, and whose sum is near the least."""
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
    """`order` ascending factors that make exactly `cols` columns, of the least sum."""
    return min(factorisations(cols, order), key=lambda factors: (sum(factors), factors))


def factorisations(cols: int, order: int) -> Iterator[tuple[int, ...]]:
    """Every way to write `cols` as a product of `order` factors, their order counting."""
    if order == 1:
        yield (cols,)
        return
    for first in range(1, cols + 1):
        if cols % first == 0:
            yield from ((first, *rest) for rest in factorisations(cols // first, order - 1))
