"""Python's garbage collector, at work seldom while a model is compiled.

Nearly all that a compilation imports and makes lives until its end: to look through it again after every 700 new
objects would take a tenth of the time.
"""

import gc
from collections.abc import Generator
from contextlib import contextmanager

from ttstack.support.fork_lock import ForkLock

OBJECTS = 20_000
"""New objects after which the collector looks through them."""

_LOCK = ForkLock()
_before: list[int] = []
"""The limit that the first of the blocks found, once for each block that runs, in whatever thread."""


@contextmanager
def rare_collections() -> Generator[None]:
    """Let the collector run seldom inside the block; the last of several to end restores what the first one found.

    A collector that is off, or that somebody has set to run more seldom yet, is left as it is.
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
