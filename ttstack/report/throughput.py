"""How much of a model one second takes."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Throughput:
    """How many samples or tokens a second there are."""

    what: str
    """`samples` or `tokens`."""
    per_pass: int
    """How many one pass has, as whoever asked said."""
    per_second: float
    ideal_per_second: float
    """At the ideal time."""
