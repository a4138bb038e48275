"""Ways over the Ethernet links between chips."""

from collections import deque
from collections.abc import Collection, Sequence

from ttstack.system_desc.chip import ChipDesc
from ttstack.system_desc.system import LinkDesc

Leg = tuple[int, int]
"""A link from one chip to another."""


class Network:
    """The chips of a system and the links that join them."""

    def __init__(self, chips: Sequence[ChipDesc], links: Sequence[LinkDesc] = ()) -> None:
        self._chips = chips
        self._channels: dict[Leg, int] = {}
        for link in links:
            for leg in ((link.from_chip, link.to_chip), (link.to_chip, link.from_chip)):
                self._channels[leg] = self._channels.get(leg, 0) + link.channels

    def is_linked(self, a: int, b: int) -> bool:
        """Return True if two chips are linked directly."""
        return (a, b) in self._channels

    def path(self, source: int, target: int, without: Collection[Leg] = ()) -> tuple[Leg, ...] | None:
        """Return the shortest path; None if there is none without these links."""
        before: dict[int, int] = {source: source}
        queue = deque([source])
        while queue and target not in before:
            at = queue.popleft()
            for a, b in self._channels:
                if a == at and b not in before and (a, b) not in without:
                    before[b] = at
                    queue.append(b)
        if target not in before:
            return None
        legs: list[Leg] = []
        while target != source:
            legs.append((before[target], target))
            target = before[target]
        return tuple(reversed(legs))

    def channels(self, leg: Leg) -> int:
        """Return the number of links that join two chips directly."""
        return self._channels[leg]

    def bytes_per_second(self, leg: Leg) -> float:
        """Measured bytes per second of all channels of a leg in its direction."""
        rates = [e.effective_bytes_per_second for i in leg if (e := self._chips[i].ethernet)]
        return self._channels[leg] * min(rates)

    def hop_ns(self) -> float:
        """Return a small packet over one leg, on the slowest chip."""
        return max((chip.ethernet.hop_ns for chip in self._chips if chip.ethernet), default=0.0)
