"""What the model says of an experiment, or that it says nothing."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Prediction:
    """A time or rate in the unit that was measured, and the term that gives it."""

    value: float
    term: str


class UnsaidError(Exception):
    """No term of the model says what an experiment measures; the message says why."""
