"""Figures that no predicted time depends on, marked where they are defined: what a what-if on one of them must say."""

from collections.abc import Iterable, Iterator
from enum import StrEnum


class Unpriced(StrEnum):
    """Why no predicted time depends on a figure."""

    LIMITS = "is a limit of what is placed where"
    """A placement depends on it, and the time of a placed program does not."""
    DESCRIBES = "describes the device"
    """Known of it, and not used by the cost model for any op."""
    JUDGES = "says how predictions agree with measurements"


DESCRIBING = frozenset(
    (
        "noc.multicast.issue_cycles",
        *(f"vector.cycles_per_tile.{function}" for function in ("i0", "softplus", "tanh_approx")),
    )
)
"""Those of which no field says it, since times depend on its other figures: functions that no op has are among them."""


def unpriced_notes(paths: Iterable[tuple[str, Unpriced | None]]) -> Iterator[str]:
    """What to know of the paths on which no time depends, wherever tensors lie."""
    for path, why in paths:
        if why not in (None, Unpriced.LIMITS):
            yield f"{path} {why}: no predicted time depends on it"
