"""How often the rewrites of a pass were applied, and how often each reason declined one."""

import threading
from collections import Counter
from collections.abc import Generator
from contextlib import contextmanager

_STATE = threading.local()
APPLIED = "applied"
SLOWER = "no candidate reduces the predicted time"
"""The reason of a rewrite that its price declined; all others are conditions."""

Outcomes = Counter[str]
"""By outcome: `APPLIED`, or the reason for which a rewrite that matched was not applied."""


@contextmanager
def count_outcomes() -> Generator[Outcomes]:
    """Count the outcomes of rewrites inside the block; a block inside it counts its own."""
    outer, counts = getattr(_STATE, "counts", None), Outcomes()
    _STATE.counts = counts
    try:
        yield counts
    finally:
        _STATE.counts = outer


def count_outcome(outcome: str) -> None:
    """Count one outcome, if a block counts them."""
    if (counts := getattr(_STATE, "counts", None)) is not None:
        counts[outcome] += 1
