"""Integers that differ between calls of a time step, such as slice starts: arguments of its function."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from ttstack.ttnn_python.expression import Name


@dataclass(frozen=True)
class Counters:
    """The counters of a function; integers that grow equally from call to call share an argument."""

    integers: Sequence[tuple[int, ...]]
    """For each call, all integers of its statements, in one order."""

    @property
    def parameters(self) -> tuple[str, ...]:
        """Names of the function's counter parameters."""
        return tuple(f"n{i}" for i in range(len(self._first)))

    @property
    def spelled(self) -> tuple[int | Name, ...]:
        """The integers in the function: constants if they are equal in all calls."""
        return tuple(map(self._spell, range(len(self._growth))))

    def arguments(self, call: int) -> tuple[str, ...]:
        """Return the counter arguments of a call."""
        return tuple(str(self.integers[call][at]) for at in self._first.values())

    def _spell(self, at: int) -> int | Name:
        value, growth = self.integers[0][at], self._growth[at]
        if not any(growth):
            return value
        parameter, first = self.parameters[list(self._first).index(growth)], self.integers[0][self._first[growth]]
        more = value - first
        return Name(f"{parameter} {'+' if more > 0 else '-'} {abs(more)}" if more else parameter)

    @cached_property
    def _growth(self) -> list[tuple[int, ...]]:
        """For each integer, the difference of each call to the first."""
        return [tuple(n - column[0] for n in column) for column in zip(*self.integers, strict=True)]

    @cached_property
    def _first(self) -> dict[tuple[int, ...], int]:
        """For each growth, the first integer that has it."""
        found: dict[tuple[int, ...], int] = {}
        for at, growth in enumerate(self._growth):
            if any(growth):
                found.setdefault(growth, at)
        return found
