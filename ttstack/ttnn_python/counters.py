"""Integers by which the calls of a step differ, such as where each cuts its input: arguments of its function."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from ttstack.ttnn_python.expression import Name


@dataclass(frozen=True)
class Counters:
    """Those of a function; integers that grow alike from call to call are one argument."""

    integers: Sequence[tuple[int, ...]]
    """For each call, all integers of its statements, in one order."""

    @property
    def parameters(self) -> tuple[str, ...]:
        """Names of what the function takes."""
        return tuple(f"n{i}" for i in range(len(self._first)))

    @property
    def spelled(self) -> tuple[int | Name, ...]:
        """The integers in the function: themselves where they are the same in all calls."""
        return tuple(map(self._spell, range(len(self._growth))))

    def arguments(self, call: int) -> tuple[str, ...]:
        """What a call gives for the parameters."""
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
        """By integer, what each call has more than the first."""
        return [tuple(n - column[0] for n in column) for column in zip(*self.integers, strict=True)]

    @cached_property
    def _first(self) -> dict[tuple[int, ...], int]:
        """By growth, the first integer that has it."""
        found: dict[tuple[int, ...], int] = {}
        for at, growth in enumerate(self._growth):
            if any(growth):
                found.setdefault(growth, at)
        return found
