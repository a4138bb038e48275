"""Addresses in one memory whose banks all hold the same buffers at the same offsets."""

from bisect import insort
from dataclasses import dataclass, field


@dataclass
class Allocator:
    """Buffers in `[base, end)` of every bank, placed as far up as they fit; no buffer ever moves."""

    base: int
    end: int
    alignment: int
    live: list[tuple[int, int, int]] = field(default_factory=list[tuple[int, int, int]])
    """(address, bytes, owner), sorted."""

    def allocate(self, owner: int, size: int) -> int | None:
        """The highest address at which `size` bytes are free; None where there is no such gap."""
        top = self.end
        for address, bytes_, _ in reversed(self.live):
            if (found := self._in_gap(address + bytes_, top, size)) is not None:
                break
            top = address
        else:
            found = self._in_gap(self.base, top, size)
        if found is not None:
            insort(self.live, (found, size, owner))
        return found

    def free(self, owner: int) -> None:
        """End the owner's buffer."""
        self.live = [entry for entry in self.live if entry[2] != owner]

    def _in_gap(self, low: int, high: int, size: int) -> int | None:
        start = (high - size) // self.alignment * self.alignment
        return start if start >= max(low, self.base) else None
