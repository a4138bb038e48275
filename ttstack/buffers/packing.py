"""Addresses of buffers with known lifetimes."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Life:
    """A buffer that is live from moment `first` to moment `last`, inclusive, at or above `floor`."""

    nbytes: int
    first: int
    last: int
    floor: int


@dataclass(frozen=True)
class Allocated:
    """The address of each buffer, and the missing bytes of those that do not fit."""

    addresses: tuple[int, ...]
    short: Mapping[int, int]


def allocate(lives: Sequence[Life], end: int, alignment: int) -> Allocated:
    """Return addresses as the library allocates them: each buffer at the highest free address below `end`.

    Buffers never move, so freed ones leave gaps. A buffer with no room above its floor gets an address below it. The
    algorithm is the first fit from above of `FreeListOpt`, tt-metal's L1 allocator.
    """
    addresses = [0] * len(lives)
    short: dict[int, int] = {}
    live: list[int] = []
    for i in sorted(range(len(lives)), key=lambda i: (lives[i].first, i)):
        live = [j for j in live if lives[j].last >= lives[i].first]
        taken = [(addresses[j] + lives[j].nbytes, addresses[j]) for j in live]
        addresses[i] = _highest(taken, lives[i].nbytes, end, alignment)
        live.append(i)
        if addresses[i] < lives[i].floor:
            short[i] = lives[i].floor - addresses[i]
    return Allocated(tuple(addresses), short)


def pack(lives: Sequence[Life], end: int, alignment: int) -> tuple[int, ...] | None:
    """Return addresses with fewer gaps, largest buffer first, using all lifetimes; None if they do not fit."""
    beside = _neighbours(lives)
    addresses: dict[int, int] = {}
    for i in sorted(range(len(lives)), key=lambda i: (-lives[i].nbytes, i)):
        taken = [(addresses[j] + lives[j].nbytes, addresses[j]) for j in beside[i] if j in addresses]
        addresses[i] = _highest(taken, lives[i].nbytes, end, alignment)
        if addresses[i] < lives[i].floor:
            return None
    return tuple(addresses[i] for i in range(len(lives)))


def _neighbours(lives: Sequence[Life]) -> list[list[int]]:
    """Return for each buffer those that are live at the same time."""
    beside: list[list[int]] = [[] for _ in lives]
    live: list[int] = []
    for i in sorted(range(len(lives)), key=lambda i: (lives[i].first, i)):
        live = [j for j in live if lives[j].last >= lives[i].first]
        for j in live:
            beside[i].append(j)
            beside[j].append(i)
        live.append(i)
    return beside


def _highest(taken: Iterable[tuple[int, int]], nbytes: int, end: int, alignment: int) -> int:
    """Return the highest free address; `taken` are (end, start) of occupied ranges."""
    top = end
    for taken_end, taken_start in sorted(taken, reverse=True):
        start = (top - nbytes) // alignment * alignment
        if start >= taken_end:
            return start
        top = min(top, taken_start)
    return (top - nbytes) // alignment * alignment


def spans(buffers: Sequence[tuple[int, int, int]], scratch: Sequence[int], base: int) -> list[Life]:
    """Return buffers (bytes, first, last) above `base` and the `scratch` bytes of each moment at the bottom."""
    return [
        Life(nbytes, first, last, base + max(scratch[first : last + 1], default=0)) for nbytes, first, last in buffers
    ]
