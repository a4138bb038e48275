"""Counts of applied rewrites, and of declined ones by reason."""

import threading
from collections import Counter
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from typing import Any

_STATE = threading.local()
APPLIED = "applied"
SLOWER = "no candidate reduces the predicted time"
"""The reason if a rewrite does not save time; all other reasons are conditions."""


class Outcomes(Counter[str]):
    """Counts by outcome: `APPLIED`, or the reason why a matching rewrite was not applied."""

    def __init__(self, *counts: Any) -> None:
        super().__init__(*counts)
        self.patterns: dict[str, Counter[str]] = {}
        """Outcomes of each pattern of the user; empty for a pattern that did not match."""


@contextmanager
def count_outcomes() -> Generator[Outcomes]:
    """Count the outcomes of rewrites inside the block; a nested block counts separately."""
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


def count_patterns(outcomes: Mapping[str, Counter[str]]) -> None:
    """Count the outcomes of patterns by name, if a block counts them."""
    counts: Outcomes | None = getattr(_STATE, "counts", None)
    if counts is None:
        return
    for name, found in outcomes.items():
        counts.update(found)
        counts.patterns.setdefault(name, Counter()).update(found)


def describe_outcomes(outcomes: Mapping[str, int]) -> str:
    """Format outcomes of one rewrite: `applied 3 times, declined once: no candidate reduces the predicted time`."""
    applied = outcomes.get(APPLIED, 0)
    declined = [f"declined {_times(count)}: {why}" for why, count in outcomes.items() if why != APPLIED]
    return ", ".join([*([f"applied {_times(applied)}"] if applied else []), *declined]) or "did not match"


def _times(count: int) -> str:
    return "once" if count == 1 else f"{count:,} times"
