"""Memory in use, and overlaps."""

from bisect import bisect_right
from collections.abc import Iterator
from typing import Generic

from ttstack.buffers.aliasing import V
from ttstack.buffers.memory import Memory


class Occupancy(Generic[V]):
    """The live buffers of one memory, in address order; all banks have the same ones.

    Empty buffers take no space and overlap nothing.
    """

    def __init__(self, memory: Memory) -> None:
        self.memory = memory
        self.used = 0
        """Bytes of all live buffers, in each bank."""
        self._starts: list[int] = []
        self._live: list[tuple[int, V]] = []
        """The end and owner of each."""

    def add(self, owner: V, start: int, nbytes: int) -> V | None:
        """Add a buffer; if it overlaps another, add nothing and return that one's owner."""
        if not nbytes:
            return None
        at = bisect_right(self._starts, start)
        if at and self._live[at - 1][0] > start:
            return self._live[at - 1][1]
        if at < len(self._starts) and self._starts[at] < start + nbytes:
            return self._live[at][1]
        self._starts.insert(at, start)
        self._live.insert(at, (start + nbytes, owner))
        self.used += nbytes
        return None

    def remove(self, start: int, nbytes: int) -> None:
        """Remove a buffer."""
        if nbytes:
            at = bisect_right(self._starts, start) - 1
            del self._starts[at], self._live[at]
            self.used -= nbytes

    def owners(self) -> Iterator[V]:
        """Yield the owners of the live buffers."""
        return (owner for _, owner in self._live)

    def lowest(self) -> tuple[int, V] | None:
        """Return address and owner of the lowest buffer, or None."""
        return (self._starts[0], self._live[0][1]) if self._starts else None

    def allocate(self, owner: V, nbytes: int) -> int | None:
        """Add a buffer at the highest aligned address at which it fits; return None if it does not fit."""
        for low, high in self._gaps():
            start = (high - nbytes) // self.memory.alignment * self.memory.alignment
            if start >= low:
                self.add(owner, start, nbytes)
                return start
        return None

    def _gaps(self) -> Iterator[tuple[int, int]]:
        """Yield start and end of the gaps between buffers, highest first."""
        ends = [self.memory.base, *(end for end, _ in self._live)]
        return zip(reversed(ends), reversed([*self._starts, self.memory.end]), strict=True)
