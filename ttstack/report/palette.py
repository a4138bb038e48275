"""Colours of charts and graphs."""

from collections.abc import Iterable

PALETTE = ("#0072b2", "#d98200", "#009e73", "#b4568c", "#56b4e9", "#d55e00", "#a69000", "#8a919c")
"""Colours that tell apart who sees all colours and who does not (Okabe and Ito, 2008)."""


def colours_of(names: Iterable[str]) -> dict[str, str]:
    """Return a colour for each name, in the order in which names first occur."""
    return {name: PALETTE[i % len(PALETTE)] for i, name in enumerate(dict.fromkeys(names))}
