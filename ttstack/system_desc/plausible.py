"""Implausible numbers: without a unit, and far from the device's value."""

import math
import re
from collections.abc import Mapping

from ttstack.system_desc.quantities import Dimension

FAR = 100
"""Largest ratio to the device's value, either way, that is accepted without a unit."""
_BARE = re.compile(r"[+-]?[\d._]+(e[+-]?\d+)?", re.IGNORECASE)


def implausible(name: str, text: str, dimension: Dimension, present: float) -> str | None:
    """Return why a number without a unit is rejected, with a suggestion; None for plausible numbers and zero."""
    if not dimension.units or not _BARE.fullmatch(text) or present <= 0:
        return None
    try:
        number = float(text)
    except ValueError:
        return None  # is refused with the description
    if number <= 0 or 1 / FAR <= number / present <= FAR:
        return None
    factors = _factors(dimension)
    base = next(unit for unit, factor in factors.items() if factor == 1)
    near = min(factors, key=lambda unit: abs(math.log(number * factors[unit] / present)))
    has = _spell(present, factors)
    return f"'{name}={text}' is {text} {base}, where the device has {has}: write the unit, as in {name}={text}{near}"


def spell_quantity(number: float, dimension: Dimension) -> str:
    """Return a number in the largest unit of which there is one, such as `1.2 GHz`."""
    return _spell(number, _factors(dimension)) if dimension.units else f"{number:g}"


def _factors(dimension: Dimension) -> dict[str, float]:
    """Return factors by unit: binary ones for memory sizes, decimal ones for all others."""
    binary = dimension.integral
    return {unit: float(f) for unit, f in dimension.units.items() if f == 1 or ("i" in unit) == binary}


def _spell(number: float, factors: Mapping[str, float]) -> str:
    """Format a number with the largest unit of which it has at least one."""
    unit = max((u for u, factor in factors.items() if factor <= number), key=lambda u: factors[u], default=None)
    return f"{number:g}" if unit is None else f"{number / factors[unit]:g} {unit}"
