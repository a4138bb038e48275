"""Binary search for the first number of which something holds."""

from collections.abc import Callable


def first_true(first: int, last: int, holds: Callable[[int], bool]) -> int:
    """Return the least number from `first` to `last` of which something holds, as of all after it.

    It is assumed to hold of `last`, which is not asked.
    """
    while first < last:
        middle = (first + last) // 2
        if holds(middle):
            last = middle
        else:
            first = middle + 1
    return last
