"""Less frequent garbage collection during a compilation.

Nearly all objects of a compilation live until its end; collections after every 700 new objects would take a tenth of
the time.
"""

import gc
from collections.abc import Generator
from contextlib import contextmanager

from ttstack.support.fork_lock import ForkLock

OBJECTS = 20_000
"""Number of new objects between collections."""

_LOCK = ForkLock()
_before: list[int] = []
"""The original threshold, once for each running block in any thread."""


@contextmanager
def rare_collections() -> Generator[None]:
    """Reduce the frequency of garbage collection inside the block; the last of several blocks restores it.

    A disabled collector, or one with a higher threshold, is unchanged.
    """
    _enter()
    try:
        yield
    finally:
        _leave()


def _enter() -> None:
    with _LOCK:
        newest, *older = gc.get_threshold()
        _before.append(_before[-1] if _before else newest)
        if 0 < newest < OBJECTS:
            gc.set_threshold(OBJECTS, *older)


def _leave() -> None:
    with _LOCK:
        first = _before.pop()
        newest, *older = gc.get_threshold()
        if not _before and newest == OBJECTS:
            gc.set_threshold(first, *older)
