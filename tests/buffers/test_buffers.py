"""Who shares whose buffer, how long it lives, what overlaps, and what is in use."""

from random import Random

import pytest

from ttstack.buffers.aliasing import buffer_owners, through_aliases
from ttstack.buffers.lifetimes import (
    BufferAccesses,
    Lifetime,
    last_reads,
    last_uses,
    lifetimes,
    live_bytes,
    live_values,
)
from ttstack.buffers.memory import Memory
from ttstack.buffers.occupancy import Occupancy

STEPS = [BufferAccesses("x", "a"), BufferAccesses("a", "v"), BufferAccesses("v", "w", "a"), BufferAccesses("xw", "y")]
ALIASES = {"v": "a"}


def test_owners_of_views_in_any_order():
    assert buffer_owners({"w": "v", "v": "a", "u": "w"}) == {"w": "a", "v": "a", "u": "a"}
    assert buffer_owners({1: 1}) == {1: 1}
    assert set(buffer_owners({1: 2, 2: 1})) == {1, 2}
    assert through_aliases("w", {"w": "v", "v": "a", "u": "w"}) == ["w", "v", "a"]
    assert through_aliases(1, {1: 2, 2: 1}) == [1, 2]


def test_lives_are_those_of_buffers():
    assert last_uses(STEPS, buffer_owners(ALIASES)) == {"x": 3, "a": 2, "w": 3, "y": 3}
    assert last_reads(STEPS, ALIASES) == {"x": 3, "a": 2, "v": 2, "w": 3}
    lives = lifetimes(STEPS, "x", ALIASES)
    assert lives == {"x": Lifetime(0, 3), "a": Lifetime(0, 2), "w": Lifetime(2, 3), "y": Lifetime(3, 3)}
    assert live_bytes([(life, 10 if v == "x" else 1) for v, life in lives.items()], len(STEPS)) == [11, 11, 12, 12]
    assert live_bytes([(Lifetime(0, 0), 5)], 0) == []
    assert live_values(lives, len(STEPS)) == [("x", "a"), ("x", "a"), ("x", "a", "w"), ("x", "w", "y")]
    assert live_values({"x": Lifetime(0, 0)}, 0) == []


@pytest.mark.parametrize(
    ("start", "end", "other"),
    [(0, 10, None), (5, 11, 1), (10, 20, 1), (12, 13, 1), (19, 30, 1), (20, 30, None), (15, 15, None)],
)
def test_overlap(start: int, end: int, other: int | None):
    live = Occupancy[int](Memory(1, 0, 100, 1))
    assert live.add(1, 10, 10) is None
    assert live.add(2, 40, 10) is None
    assert live.add(3, start, end - start) == other
    assert live.used == 20 + (end - start if other is None else 0)


def test_the_highest_gap_is_taken():
    live = Occupancy[str](Memory(1, 8, 101, 4))
    assert [live.allocate("a", 10), live.allocate("b", 50), live.allocate("c", 13)] == [88, 36, 20]
    live.remove(36, 50)
    assert [live.allocate("d", 20), live.allocate("e", 30), live.allocate("f", 13)] == [68, 36, None]
    assert live.lowest() == (20, "c")


def test_many_buffers_in_any_order():
    live, places = Occupancy[int](Memory(1, 0, 100_000, 1)), list(range(10_000))
    Random(0).shuffle(places)
    assert all(live.add(i, i * 10, 10) is None for i in places)
    assert live.used == 100_000
    assert live.add(-1, 775, 1) == 77
    for i in places[:5000]:
        live.remove(i * 10, 10)
    assert live.used == 50_000
    assert all(live.add(i, i * 10, 10) is None for i in places[:5000])
