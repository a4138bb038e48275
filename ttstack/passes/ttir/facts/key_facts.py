"""Facts about values that masks are computed from, by key position."""

from dataclasses import dataclass

from ttstack.mlir import ir


@dataclass(frozen=True)
class Affine:
    """Integers `keys * j + rows * base + offset`, where `j` counts along the last dimension."""

    keys: int = 0
    rows: int = 0
    base: ir.Value | None = None
    """Integers that are constant along the last dimension; required if `rows` is not 0."""
    offset: int = 0

    def plus(self, other: "Affine", sign: int) -> "Affine | None":
        """Return the sum, or with `sign` -1 the difference; None if both have a base."""
        if self.base is not None and other.base is not None:
            return None
        if Affine() in (self, other) and not self.keys + other.keys:
            return None  # the sum is a base of its own: others who add nothing share it
        base = self.base if self.base is not None else other.base
        parts = ((a, sign * b) for a, b in ((self.keys, other.keys), (self.rows, other.rows)))
        keys, rows = map(sum, parts)
        return Affine(keys, rows, base, self.offset + sign * other.offset)


@dataclass(frozen=True)
class Bound:
    """Keys up to position `base + offset`, or from it on."""

    base: ir.Value
    offset: int
    is_last: bool

    @property
    def complement(self) -> "Bound":
        """Return all other keys."""
        return Bound(self.base, self.offset + (1 if self.is_last else -1), not self.is_last)


@dataclass(frozen=True)
class RowChoice:
    """Truth values that are constant along a row of keys."""

    value: ir.Value
    is_true: bool = True
    """Whether it selects the rows in which the value is true, or all others."""


Condition = tuple[frozenset[Bound], RowChoice | None]
"""Bounds, and rows in which all keys count as within them."""


@dataclass(frozen=True)
class KeyChoice:
    """One number for keys within all bounds, and another for all others."""

    bounds: frozenset[Bound]
    inside: float
    outside: float
    full: RowChoice | None = None
    """Rows whose keys are all inside, regardless of the bounds, such as those of a full ring buffer."""

    @property
    def condition(self) -> Condition:
        """Return the bounds and rows that decide the number."""
        return self.bounds, self.full

    def spellings(self) -> tuple["KeyChoice", ...]:
        """Return the choice, and its form by the outside keys if these are also one bound."""
        if len(self.bounds) > 1 or self.full is not None:
            return (self,)
        (bound,) = self.bounds
        return self, KeyChoice(frozenset({bound.complement}), self.outside, self.inside)


@dataclass(frozen=True)
class Age:
    """`(base - j) mod count`: the age of row `j` of a ring buffer that is written in order.

    `part` selects: the remainder, which is negative if the base is less than `j`; whether it is negative; the remainder
    plus the count; or the nonnegative of the two.
    """

    base: ir.Value
    count: int
    part: str = "remainder"


@dataclass(frozen=True)
class Written:
    """`base - age`: the position that row `j` of a ring buffer was written at, from `base - count + 1` to `base`."""

    age: Age


Fact = Affine | KeyChoice | RowChoice | Age | Written | float | None
"""A fact about a value; a number if all its elements are equal."""
