"""How far a reduction has come."""

from dataclasses import dataclass


@dataclass(frozen=True)
class ReductionState:
    """A module that is being made smaller."""

    text: str
    """The smallest module so far."""
    ops: int
    """Ops that it has."""
    tries: int
    """Smaller modules that were tried."""
