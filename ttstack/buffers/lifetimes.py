"""Lifetimes of buffers and values."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Generic

from ttstack.buffers.aliasing import V


@dataclass(frozen=True)
class BufferAccesses(Generic[V]):
    """The buffer accesses of one op."""

    reads: Sequence[V]
    makes: Sequence[V]
    ends: Sequence[V] = ()
    """Values whose buffers are freed after it."""


@dataclass(frozen=True)
class Lifetime:
    """The first and the last step at which a buffer is live."""

    first: int
    last: int


def last_uses(steps: Iterable[BufferAccesses[V]], owners: Mapping[V, V]) -> dict[V, int]:
    """Return for each buffer the last step that reads or writes a value in it."""
    last: dict[V, int] = {}
    for at, step in enumerate(steps):
        for value in (*step.reads, *step.makes):
            last[owners.get(value, value)] = at
    return last


def last_reads(steps: Sequence[BufferAccesses[V]], aliases: Mapping[V, V]) -> dict[V, int]:
    """Return for each value the last step that reads it, or an alias of it."""
    last: dict[V, int] = {}
    for at in reversed(range(len(steps))):
        for value in steps[at].makes:
            if value in aliases:
                last[aliases[value]] = max(last.get(aliases[value], at), last.get(value, at))
        for value in steps[at].reads:
            last.setdefault(value, at)
    return last


def lifetimes(steps: Sequence[BufferAccesses[V]], given: Iterable[V], aliases: Mapping[V, V]) -> dict[V, Lifetime]:
    """Return the lifetime of every buffer from its producing step; `given` values are live from the start.

    A buffer that no step frees is live to the end.
    """
    first: dict[V, int] = {value: 0 for value in given if value not in aliases}
    last: dict[V, int] = {}
    for at, step in enumerate(steps):
        first |= {value: at for value in step.makes if value not in aliases}
        last |= dict.fromkeys(step.ends, at)
    end = max(len(steps) - 1, 0)
    return {value: Lifetime(at, last.get(value, end)) for value, at in first.items()}


def live_values(lives: Mapping[V, Lifetime], steps: int) -> list[tuple[V, ...]]:
    """Return the live values at each step, in order of their definition."""
    starts: list[list[V]] = [[] for _ in range(steps)]
    ends: list[list[V]] = [[] for _ in range(steps)]
    for value, life in lives.items() if steps else ():
        starts[life.first].append(value)
        ends[life.last].append(value)
    live, found = dict[V, None](), list[tuple[V, ...]]()
    for starting, ending in zip(starts, ends, strict=True):
        live |= dict.fromkeys(starting)
        found.append(tuple(live))
        for value in ending:
            del live[value]
    return found


def live_bytes(lives: Iterable[tuple[Lifetime, int]], steps: int) -> list[int]:
    """Return the total bytes of live buffers at each step, from their lifetimes."""
    changes = [0] * (steps + 1)
    for life, nbytes in lives:
        changes[life.first] += nbytes
        changes[min(life.last + 1, steps)] -= nbytes
    return list(accumulate(changes[:steps]))
