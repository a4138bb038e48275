"""Register tiles of matmuls for the vector registers of a CPU."""

from dataclasses import dataclass
from functools import cache

from ttstack.support.operating_system import cpu_features


@dataclass(frozen=True)
class RegisterTile:
    """The part of a result that is accumulated in registers."""

    rows: int
    row_bytes: int


SMALL = RegisterTile(6, 64)
"""Twelve of AVX2's sixteen 32-byte registers, 24 of NEON's 32 16-byte registers; operands use the others."""
LARGE = RegisterTile(12, 128)
"""24 of AVX-512's 32 64-byte registers."""


@cache
def tile_of_this_machine() -> RegisterTile:
    """Return the register tile for the target CPU."""
    return LARGE if "avx512f" in cpu_features() else SMALL
