"""Numbers that a user cannot have meant: without a unit, and far from what the device has."""

import math
import re
from collections.abc import Mapping

from ttstack.system_desc.quantities import Dimension

FAR = 100
"""How many times more or less than the device has is taken without a unit."""
_BARE = re.compile(r"[+-]?[\d._]+(e[+-]?\d+)?", re.IGNORECASE)


def implausible(name: str, text: str, dimension: Dimension, present: float) -> str | None:
    """Why a number without a unit is refused, and what to write; None of others, of zero, and where nothing was."""
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


def _factors(dimension: Dimension) -> dict[str, float]:
    """By unit: binary ones of sizes of memories, decimal ones of all else."""
    binary = dimension.integral
    return {unit: float(f) for unit, f in dimension.units.items() if f == 1 or ("i" in unit) == binary}


def _spell(number: float, factors: Mapping[str, float]) -> str:
    """In the largest unit of which there is one."""
    unit = max((u for u, factor in factors.items() if factor <= number), key=lambda u: factors[u], default=None)
    return f"{number:g}" if unit is None else f"{number / factors[unit]:g} {unit}"
