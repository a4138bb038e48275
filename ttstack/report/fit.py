"""Widths of columns that fit a terminal: numbers are never cut, texts give way, the longest first."""

from collections.abc import Sequence

from ttstack.program.locations import ELLIPSIS

GAP = 2
"""Characters between columns."""


def fit_widths(natural: Sequence[int], least: Sequence[int], width: int, gap: int = GAP) -> list[int]:
    """Characters of each column that fit into `width` together; none gets fewer than its `least`.

    Columns that take more than others give way first. Where even the least do not fit, these are given.
    """
    room = width - gap * (len(natural) - 1)
    found = list(natural)
    while sum(found) > room:
        wide = [i for i in range(len(found)) if found[i] > least[i]]
        if not wide:
            break
        found[max(wide, key=lambda i: found[i])] -= 1
    return found


def head(text: str, width: int) -> str:
    """Return the beginning of a text that is too long."""
    return text if len(text) <= width else f"{text[: max(width - 1, 0)]}{ELLIPSIS}"
