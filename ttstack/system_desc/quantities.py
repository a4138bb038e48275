"""Physical quantities of a device description: a plain number in the base unit, or text with a unit."""

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Annotated

from pydantic import BeforeValidator, Field, Strict

_TEXT = re.compile(r"\s*([+-]?(?:\d[\d_]*\.?\d*|\.\d+)(?:[eE][+-]?\d{1,3})?)\s*(\S.*?)?\s*")
_QUOTIENT = re.compile(r"\s*([\d.]+)\s*/\s*([\d.]+)\s*")
_LARGEST = 2**63 - 1
_DECIMAL = {"": 1, "K": 10**3, "k": 10**3, "M": 10**6, "G": 10**9, "T": 10**12}
_BINARY = {"Ki": 2**10, "Mi": 2**20, "Gi": 2**30, "Ti": 2**40}


def _scale(unit: str, prefixes: Mapping[str, int]) -> dict[str, Fraction]:
    return {prefix + unit: Fraction(factor) for prefix, factor in prefixes.items()}


@dataclass(frozen=True)
class Dimension:
    """Reads values of one kind; calling it gives the number in the base unit or raises `ValueError`."""

    name: str
    units: Mapping[str, Fraction]
    integral: bool = False
    least_bare: float = 0
    """Positive numbers below this need a unit, because they are implausible for a device."""

    def __call__(self, value: object) -> int | float:
        """Return the number in the base unit of a plain number or a text such as `1464 KiB`."""
        if isinstance(value, bool) or not isinstance(value, int | float | str):
            raise ValueError(f"expected {self.name}, {self._examples()}")
        return self._bare(value) if not isinstance(value, str) else self._from_text(value)

    def _bare(self, value: float | Fraction) -> int | float:
        number = self._number(value)
        if 0 < number < self.least_bare:
            raise ValueError(f"{number:g} {self.name} is too little: write the unit that is meant, {self._examples()}")
        return number

    def _from_text(self, text: str) -> int | float:
        match = _TEXT.fullmatch(text)
        if match is None:
            raise ValueError(f"'{text}' is not a quantity; expected {self.name}, {self._examples()}")
        digits, unit = match.groups()
        if unit is not None and unit not in self.units:
            raise ValueError(f"unit '{unit}' does not measure {self.name}; {self._examples()}")
        return self._bare(Fraction(digits)) if unit is None else self._number(Fraction(digits) * self.units[unit])

    def _number(self, value: float | Fraction) -> int | float:
        if isinstance(value, float) and not math.isfinite(value):
            raise ValueError(f"{value} is not a finite number of {self.name}")
        if abs(value) > _LARGEST:
            raise ValueError(f"too large a number of {self.name}")
        if not self.integral:
            return float(value)
        if value % 1:
            raise ValueError(f"{float(value):g} is not a whole number of {self.name}")
        return int(value)

    def _examples(self) -> str:
        return f"a number or one with a unit of {', '.join(self.units)}" if self.units else "a plain number"


BYTES = Dimension("bytes", _scale("B", _DECIMAL | _BINARY), integral=True)
HERTZ = Dimension("hertz", _scale("Hz", {key: _DECIMAL[key] for key in ("", "k", "M", "G")}), least_bare=1e6)
BYTES_PER_SECOND = Dimension("bytes per second", _scale("B/s", _DECIMAL | _BINARY), least_bare=1e6)
BYTES_PER_CYCLE = Dimension("bytes per cycle", {"B/cycle": Fraction(1)})
NANOSECONDS = Dimension(
    "nanoseconds",
    {
        "ns": Fraction(1),
        "us": Fraction(10**3),
        "µs": Fraction(10**3),
        "ms": Fraction(10**6),
        "s": Fraction(10**9),
    },
)
CYCLES = Dimension("cycles", {"cycles": Fraction(1), "cycle": Fraction(1)})
RATIO = Dimension("a ratio", {})


def _ratio(value: object) -> int | float:
    """Return a plain number, or the value of a quotient such as `185/288`, which shows measurement and peak."""
    quotient = _QUOTIENT.fullmatch(value) if isinstance(value, str) else None
    if quotient is None:
        return RATIO(value)
    try:
        return float(Fraction(quotient[1]) / Fraction(quotient[2]))
    except (ValueError, ZeroDivisionError):
        raise ValueError(f"'{value}' is not a quotient of two numbers") from None


_NOT_NEGATIVE = Field(ge=0)
Bytes = Annotated[int, BeforeValidator(BYTES), _NOT_NEGATIVE]
Hertz = Annotated[float, BeforeValidator(HERTZ), _NOT_NEGATIVE]
BytesPerSecond = Annotated[float, BeforeValidator(BYTES_PER_SECOND), _NOT_NEGATIVE]
BytesPerCycle = Annotated[float, BeforeValidator(BYTES_PER_CYCLE), _NOT_NEGATIVE]
Nanoseconds = Annotated[float, BeforeValidator(NANOSECONDS), _NOT_NEGATIVE]
Cycles = Annotated[float, BeforeValidator(CYCLES), _NOT_NEGATIVE]
Ratio = Annotated[float, BeforeValidator(_ratio), _NOT_NEGATIVE]
Share = Annotated[float, BeforeValidator(_ratio), Field(gt=0, le=1)]
"""Reached share of a peak, above 0 and at most 1."""
Count = Annotated[int, Strict(), Field(le=1_000_000)]
Index = Annotated[int, Strict(), Field(ge=0, le=4096)]
_Extent = Annotated[int, Strict(), Field(ge=1, le=4096)]
Grid = tuple[_Extent, _Extent]
