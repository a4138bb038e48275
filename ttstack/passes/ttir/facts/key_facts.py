"""What is known of values that masks are computed from, key by key."""

from dataclasses import dataclass

from ttstack.mlir import ir


@dataclass(frozen=True)
class Affine:
    """Integers `keys * j + rows * base + offset`, where `j` counts along the last dimension."""

    keys: int = 0
    rows: int = 0
    base: ir.Value | None = None
    """Integers that are the same all along the last dimension, where `rows` is not 0."""
    offset: int = 0

    def plus(self, other: "Affine", sign: int) -> "Affine | None":
        """The sum, or with `sign` -1 the difference; None where both have a base."""
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
        """All other keys."""
        return Bound(self.base, self.offset + (1 if self.is_last else -1), not self.is_last)


@dataclass(frozen=True)
class RowChoice:
    """Truth values that are the same for all keys of a row."""

    value: ir.Value
    is_true: bool = True
    """Whether the rows are meant of which the value is true, or all others."""


Condition = tuple[frozenset[Bound], RowChoice | None]
"""Bounds, and rows of which all keys are within them."""


@dataclass(frozen=True)
class KeyChoice:
    """One number for keys within all bounds, another for all others."""

    bounds: frozenset[Bound]
    inside: float
    outside: float
    full: RowChoice | None = None
    """Rows of which all keys are inside, whatever the bounds say, as those of a ring that has gone round."""

    @property
    def condition(self) -> Condition:
        """Return the bounds and rows that decide the number."""
        return self.bounds, self.full

    def spellings(self) -> tuple["KeyChoice", ...]:
        """The choice, and by the keys outside of it where these are within a bound too."""
        if len(self.bounds) > 1 or self.full is not None:
            return (self,)
        (bound,) = self.bounds
        return self, KeyChoice(frozenset({bound.complement}), self.outside, self.inside)


@dataclass(frozen=True)
class Age:
    """`(base - j) mod count`: how long ago a ring of so many rows was written at row `j`, if it is written in turn.

    It is the remainder alone, below 0 where the base is less than `j`; or by `part`, whether that is negative, the
    remainder with the count added to it, or what one of both is from 0 up to the count.
    """

    base: ir.Value
    count: int
    part: str = "remainder"


@dataclass(frozen=True)
class Written:
    """`base - age`: the position that row `j` of a ring was written at, from `base - count + 1` up to `base`."""

    age: Age


Fact = Affine | KeyChoice | RowChoice | Age | Written | float | None
"""What is known of a value; a number where it is that everywhere."""
