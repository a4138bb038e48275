"""Throughput of a model."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Throughput:
    """Samples or tokens per second."""

    what: str
    """`samples` or `tokens`."""
    per_pass: int
    """Number in one pass, as given by the user."""
    per_second: float
    ideal_per_second: float
    """Rate at the ideal time."""
