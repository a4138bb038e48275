"""A function whose repeated steps are there once, each with its calls: as files hold it."""

from dataclasses import dataclass
from typing import Any

from ttstack.program.records import Operation, Tensor

MOST_CALLED = 1 << 20
"""What all calls of a program can stand for: operations, tensors, and the numbers that name them. A recurrence of 40
ops over 4,096 steps is 900,000; a file says many calls with few bytes, and so has a bound of its own."""


class CallRoom:
    """What is left of `MOST_CALLED`."""

    def __init__(self) -> None:
        self._left = MOST_CALLED

    def holds(self, count: int) -> bool:
        """Whether so many are left, and then takes them."""
        fits = count <= self._left
        self._left -= count if fits else 0
        return fits

    def take(self, count: int) -> None:
        """Take so many; raises `ValueError` where they are not left."""
        if not self.holds(count):
            raise ValueError(f"calls of its steps stand for more than {MOST_CALLED:,} ops, tensors and operands")


@dataclass(frozen=True)
class StepCall:
    """What one call of a step has of its own."""

    first_tensor: int
    """Id of the first tensor that it makes."""
    arguments: tuple[int, ...]
    """Ids of the tensors that it takes."""
    addresses: tuple[int, ...]
    """Those of the tensors that it makes."""
    attributes: tuple[tuple[str, Any], ...]
    """Names and values, in the order of `CalledStep.varying`."""


@dataclass(frozen=True)
class CalledStep:
    """A step and its calls. Its values are numbered: first what it makes, then its arguments."""

    start: int
    """Position of the first operation of the first call."""
    operations: tuple[Operation, ...]
    """With values in place of tensors."""
    tensors: tuple[Tensor, ...]
    """What it makes: ids are counted from the first one, aliases are values, addresses are those of the first call."""
    varying: tuple[int, ...]
    """For each attribute of a call, which operation has it."""
    calls: tuple[StepCall, ...]

    @property
    def called(self) -> int:
        """What its calls stand for, as `MOST_CALLED` counts it."""
        parts = 1 + len(self.operations) + len(self.tensors) + len(self.varying)
        named = sum(len(op.operands) + len(op.results) for op in self.operations)
        own = sum(len(call.arguments) + len(call.addresses) + len(call.attributes) for call in self.calls)
        return (1 + len(self.calls)) * parts + len(self.calls) * named + own


@dataclass(frozen=True)
class Folded:
    """The parts of a function."""

    tensors: tuple[Tensor, ...]
    """Those that no call makes."""
    operations: tuple[Operation, ...]
    """Those outside of calls."""
    steps: tuple[CalledStep, ...]
