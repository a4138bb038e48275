"""A function whose repeated steps are there once, each with its calls: as files hold it."""

from dataclasses import dataclass
from typing import Any

from ttstack.program.records import Operation, Tensor

MOST_CALLED = 1 << 20
"""Limit of operations, tensors and their numbers over all expanded calls of a program.

A recurrence of 40 ops over 4,096 steps has 900,000. A file can define many calls with few bytes, so this needs a
limit."""


class CallRoom:
    """Remaining budget of `MOST_CALLED`."""

    def __init__(self) -> None:
        self._left = MOST_CALLED

    def holds(self, count: int) -> bool:
        """Reserve `count` parts; return True if this many are left."""
        fits = count <= self._left
        self._left -= count if fits else 0
        return fits

    def take(self, count: int) -> None:
        """Reserve `count` parts; raise `ValueError` if fewer are left."""
        if not self.holds(count):
            raise ValueError(f"calls of its steps expand to more than {MOST_CALLED:,} ops, tensors and operands")


@dataclass(frozen=True)
class StepCall:
    """Data that differs in one call of a time step."""

    first_tensor: int
    """Id of the first tensor that it makes."""
    arguments: tuple[int, ...]
    """Ids of its argument tensors."""
    addresses: tuple[int, ...]
    """Addresses of the tensors that it makes."""
    attributes: tuple[tuple[str, Any], ...]
    """Names and values, in the order of `CalledStep.varying`."""


@dataclass(frozen=True)
class CalledStep:
    """A step and its calls. Its values are numbered: first its results, then its arguments."""

    start: int
    """Position of the first operation of the first call."""
    operations: tuple[Operation, ...]
    """Operations with values instead of tensors."""
    tensors: tuple[Tensor, ...]
    """Results: ids are counted from the first one, aliases are values, addresses are those of the first call."""
    varying: tuple[int, ...]
    """For each attribute of a call, which operation has it."""
    calls: tuple[StepCall, ...]

    @property
    def called(self) -> int:
        """Size of its calls, as `MOST_CALLED` counts it."""
        parts = 1 + len(self.operations) + len(self.tensors) + len(self.varying)
        named = sum(len(op.operands) + len(op.results) for op in self.operations)
        own = sum(len(call.arguments) + len(call.addresses) + len(call.attributes) for call in self.calls)
        return (1 + len(self.calls)) * parts + len(self.calls) * named + own


@dataclass(frozen=True)
class Folded:
    """The parts of a function."""

    tensors: tuple[Tensor, ...]
    """Tensors that no call makes."""
    operations: tuple[Operation, ...]
    """Operations outside of calls."""
    steps: tuple[CalledStep, ...]
