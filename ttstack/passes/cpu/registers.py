"""How much of a matrix product the vector registers of a processor hold."""

from dataclasses import dataclass
from functools import cache
from pathlib import Path


@dataclass(frozen=True)
class RegisterTile:
    """The part of a result that stays in registers while it is added up."""

    rows: int
    row_bytes: int


SMALL = RegisterTile(6, 64)
"""Twelve of AVX2's sixteen registers of 32 bytes, 24 of NEON's 32 of 16: the others are for operands."""
LARGE = RegisterTile(12, 128)
"""24 of AVX-512's 32 registers of 64 bytes."""
_FEATURES = Path("/proc/cpuinfo")
"""Where Linux lists what the processor has."""


@cache
def tile_of_this_machine() -> RegisterTile:
    """The one that fits the processor that the code is for."""
    try:
        known = _FEATURES.read_text().split()
    except OSError:
        return SMALL
    return LARGE if "avx512f" in known else SMALL
