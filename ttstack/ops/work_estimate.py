"""Estimates for ops without a loop nest: the tiles that they access, and their work."""

from dataclasses import dataclass
from functools import cached_property

from ttstack.ops.loops import Loops, TileWork


@dataclass(frozen=True)
class WorkEstimate(Loops):
    """Loops over tiles, and tile ops with their counts per iteration, without exact values."""

    body: tuple[TileWork, ...]

    @cached_property
    def work(self) -> tuple[TileWork, ...]:
        """The estimated tile ops."""
        return self.body

    def estimate(self) -> "WorkEstimate":
        """Return itself; for a loop nest, the estimate without its meaning."""
        return self
