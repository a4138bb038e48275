"""Figures that do not affect predicted times, marked at their definition: what-ifs on them print a note."""

from collections.abc import Iterable, Iterator
from enum import StrEnum


class Unpriced(StrEnum):
    """Why no predicted time depends on a figure."""

    LIMITS = "is a limit of what is placed where"
    """A placement depends on it, and the time of a placed program does not."""
    DESCRIBES = "describes the device"
    """Known of it, and not used by the cost model for any op."""
    JUDGES = "states how predictions agree with measurements"


DESCRIBING = frozenset(
    (
        "noc.multicast.issue_cycles",
        *(f"vector.cycles_per_tile.{function}" for function in ("i0", "softplus", "tanh_approx")),
    )
)
"""Unpriced parameters whose field has other, priced ones; functions without an op are among them."""


def unpriced_notes(paths: Iterable[tuple[str, Unpriced | None]]) -> Iterator[str]:
    """Yield notes on the paths on which no time depends, in any memory."""
    for path, why in paths:
        if why not in (None, Unpriced.LIMITS):
            yield f"{path} {why}: no predicted time depends on it"
