"""What an op without a loop nest says of itself: the tiles that it touches, and about how much work they are."""

from dataclasses import dataclass
from functools import cached_property

from ttstack.ops.loops import Loops, TileWork


@dataclass(frozen=True)
class WorkEstimate(Loops):
    """Loops over tiles, and tile ops with how often they run in an iteration; what they compute is not said."""

    body: tuple[TileWork, ...]

    @cached_property
    def work(self) -> tuple[TileWork, ...]:
        """The estimate itself."""
        return self.body

    def estimate(self) -> "WorkEstimate":
        """Itself; of a loop nest, what is left without its meaning."""
        return self
