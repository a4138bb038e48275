"""Runs of numbers that repeat with a period.

They follow from windows of 1, 2, 4, 8, ... numbers, each named by the names of its halves (Karp, Miller and Rosenberg,
"Rapid identification of repeated patterns in strings, trees and arrays", 1972): n log n, whatever repeats in them.
"""

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import numpy as np

Numbers = np.ndarray[Any, np.dtype[np.int64]]


def equal_runs(numbers: Numbers, periods: int) -> Iterator[tuple[int, int, int]]:
    """Yield period, start and stop of all runs with at least this many periods; numbers must not be negative.

    Before a window that is as long as the period or longer, the nearest equal one is a period away.
    """
    names, width = numbers, 1
    while len(names) and periods * (width // 2 + 1) <= len(numbers):
        gaps = _gaps(names)
        if not gaps.any():
            return
        edges = np.flatnonzero(np.diff(gaps, prepend=0, append=0))
        for first, last in pairwise(edges.tolist()):
            period = int(gaps[first])
            start, stop = first - period, last - 1 + width
            if width // 2 < period <= width and stop - start >= periods * period:
                yield period, start, stop
        pairs = names[:-width] * (names.max() + 1) + names[width:]
        names, width = np.unique(pairs, return_inverse=True)[1], 2 * width


def _gaps(names: Numbers) -> Numbers:
    """Distance to the nearest equal number before each; 0 without one."""
    order = np.argsort(names, kind="stable")
    same = names[order[1:]] == names[order[:-1]]
    gaps = np.zeros(len(names), np.int64)
    gaps[order[1:][same]] = np.diff(order)[same]
    return gaps


def stretches(same: np.ndarray[Any, np.dtype[np.bool_]]) -> Iterator[tuple[int, int]]:
    """First and after the last of all in a row that are true."""
    edges = np.flatnonzero(np.diff(same.astype(np.int8), prepend=0, append=0))
    return zip(edges[::2].tolist(), edges[1::2].tolist(), strict=True)
