"""Addresses of buffers whose lives are known: packed so that none ever moves."""

from collections.abc import Sequence
from dataclasses import dataclass

_ATTEMPTS = 40
"""Orders that are tried until all buffers fit."""


@dataclass(frozen=True)
class Life:
    """A buffer that is there from moment `first` to moment `last`, both included, at or above `floor`."""

    nbytes: int
    first: int
    last: int
    floor: int


@dataclass(frozen=True)
class Packed:
    """The address of each buffer; where they do not all fit, the number of one that found no room."""

    addresses: tuple[int, ...]
    left_over: int | None = None


def pack(lives: Sequence[Life], end: int, alignment: int) -> Packed:
    """Each buffer as far up below `end` as it fits beside those that it shares a moment with.

    Buffers are placed in the order in which they come to life, the largest first, those first that live longest;
    the order with the highest lowest address counts. Where none fits, whoever found no room goes first next time.
    """
    numbers = range(len(lives))
    orders = [
        sorted(numbers, key=lambda i: (lives[i].first, i)),
        sorted(numbers, key=lambda i: (-lives[i].nbytes, i)),
        sorted(numbers, key=lambda i: (lives[i].first - lives[i].last, i)),
    ]
    beside = _neighbours(lives)
    found = [_placed(lives, order, beside, end, alignment) for order in orders]
    fitting = [packed for packed in found if packed.left_over is None]
    if fitting:
        return max(fitting, key=lambda packed: _headroom(lives, packed))
    order, packed = orders[0], found[0]
    for _ in range(_ATTEMPTS):
        if packed.left_over is None:
            break
        order = [packed.left_over, *(i for i in order if i != packed.left_over)]
        packed = _placed(lives, order, beside, end, alignment)
    return packed


def _headroom(lives: Sequence[Life], packed: Packed) -> int:
    """Bytes that are free between the buffers and what they lie above, where that is least."""
    return min((a - life.floor for a, life in zip(packed.addresses, lives, strict=True)), default=0)


def _neighbours(lives: Sequence[Life]) -> list[list[int]]:
    """For each buffer, those with which it shares a moment."""
    beside: list[list[int]] = [[] for _ in lives]
    live: list[int] = []
    for i in sorted(range(len(lives)), key=lambda i: (lives[i].first, i)):
        live = [j for j in live if lives[j].last >= lives[i].first]
        for j in live:
            beside[i].append(j)
            beside[j].append(i)
        live.append(i)
    return beside


def _placed(
    lives: Sequence[Life], order: Sequence[int], beside: Sequence[Sequence[int]], end: int, alignment: int
) -> Packed:
    addresses: dict[int, int] = {}
    for i in order:
        taken = sorted(
            ((addresses[j] + lives[j].nbytes, addresses[j]) for j in beside[i] if j in addresses), reverse=True
        )
        address = _highest(taken, lives[i], end, alignment)
        if address is None:
            return Packed((), i)
        addresses[i] = address
    return Packed(tuple(addresses[i] for i in range(len(lives))))


def _highest(taken: Sequence[tuple[int, int]], life: Life, end: int, alignment: int) -> int | None:
    """The highest free address; `taken` are (end, start) of what is in the way, the highest end first."""
    top = end
    for taken_end, taken_start in (*taken, (life.floor, life.floor)):
        start = (top - life.nbytes) // alignment * alignment
        if start >= max(taken_end, life.floor):
            return start
        top = min(top, taken_start)
    return None


def spans(buffers: Sequence[tuple[int, int, int]], scratch: Sequence[int], base: int) -> list[Life]:
    """Buffers (bytes, first, last) above `base` and the `scratch` bytes that each moment needs at the bottom."""
    return [
        Life(nbytes, first, last, base + max(scratch[first : last + 1], default=0)) for nbytes, first, last in buffers
    ]
