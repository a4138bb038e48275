"""Runs of numbers that repeat, against a search that compares all."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from ttstack.program.equal_runs import equal_runs, stretches

PERIODS = 3


def all_runs(numbers: list[int]) -> set[tuple[int, int, int]]:
    """Longest stretches with a period, which no smaller period divides into."""
    found: set[tuple[int, int, int]] = set()
    for period in range(1, len(numbers)):
        same = np.array([a == b for a, b in zip(numbers, numbers[period:], strict=False)])
        spans = [(first, last + period) for first, last in stretches(same)]
        found |= {(period, *span) for span in spans if span[1] - span[0] >= PERIODS * period}
    return {run for run in found if not any(run[1:] == other[1:] and other[0] < run[0] for other in found)}


@given(st.lists(st.integers(0, 2), max_size=40))
def test_all_runs_are_found(numbers: list[int]):
    assert set(equal_runs(np.array(numbers, np.int64), PERIODS)) == all_runs(numbers)


@given(
    st.lists(st.integers(0, 5), max_size=9),
    st.lists(st.integers(0, 5), min_size=1, max_size=13),
    st.integers(3, 9),
    st.lists(st.integers(0, 5), max_size=9),
)
def test_a_run_between_others_is_found(before: list[int], period: list[int], count: int, after: list[int]):
    numbers = [*before, *period * count, *after]
    assert set(equal_runs(np.array(numbers, np.int64), PERIODS)) == all_runs(numbers)


def test_nothing_repeats_in_what_is_all_different():
    assert not list(equal_runs(np.arange(1000), PERIODS))
    assert not list(equal_runs(np.arange(0), PERIODS))
