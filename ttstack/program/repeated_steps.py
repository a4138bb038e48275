"""Detection of time steps that a function calls several times in a row, such as an unrolled scan."""

from collections.abc import Hashable, Iterator, Mapping
from dataclasses import dataclass, fields
from itertools import pairwise
from operator import attrgetter
from typing import Any

import numpy as np

from ttstack.program.equal_runs import Numbers, equal_runs, stretches
from ttstack.program.records import Function, Operation, TensorKind, result_name

SHORTEST = 3
"""Operations of a step."""
FEWEST = 3
"""Calls of a step."""

_compared_fields = attrgetter(
    *(f.name for f in fields(Operation) if f.name not in ("operands", "results", "attributes"))
)
"""Fields of operations that must be equal in all calls of a step: a file stores them once."""


@dataclass(frozen=True)
class RepeatedStep:
    """Operations of a function that are calls of one step, one after the other."""

    start: int
    """Position of the first one."""
    length: int
    """Operations of a call."""
    count: int
    """Calls."""

    @property
    def starts(self) -> range:
        """Position of the first operation of each call."""
        return range(self.start, self.start + self.count * self.length, self.length)

    @property
    def stop(self) -> int:
        """Position after the last one."""
        return self.start + self.count * self.length

    @property
    def saved(self) -> int:
        """Operations that need not be written."""
        return (self.count - 1) * self.length


def repeated_steps(function: Function) -> tuple[RepeatedStep, ...]:
    """Return all repeated steps, in order, without overlap; of several possibilities, the one that saves most.

    Operations of two calls are alike in name, location, cores, fidelity, configuration, circular buffers and the
    types and layouts of their tensors; attributes are, but for integers. What they take was made at the same place
    of the same call, or before it: by the call before, or by anything else. Addresses do not count.
    """
    if not _is_numbered(function):
        return ()
    view = _Function.of(function)
    found: list[RepeatedStep] = []
    free = np.ones(len(function.operations), bool)
    runs = (run for run in equal_runs(view.tokens, FEWEST) if run[0] >= SHORTEST)
    for period, start, stop in sorted(runs, key=lambda run: (run[1] - run[2] + run[0], run)):
        for first, last in stretches(free[start:stop]):
            for step in view.steps(period, start + first, start + last):
                found.append(step)
                free[step.start : step.stop] = False
    return tuple(sorted(found, key=lambda step: step.start))


def _is_numbered(function: Function) -> bool:
    """Return True if ids are positions and results have one producer, as `validate` requires."""
    tensors = range(len(function.tensors))
    used = [i for op in function.operations for i in (*op.operands, *op.results) if i is not None]
    made = [i for op in function.operations for i in op.results]
    aliases = function.aliases.values()
    return (
        all(tensor.id == at for at, tensor in enumerate(function.tensors))
        and all(i in tensors for i in (*used, *aliases))
        and len(set(made)) == len(made)
    )


@dataclass(frozen=True)
class _Function:
    """A function as columns of numbers."""

    function: Function
    tokens: Numbers
    """By operation: the properties that must be equal in all calls."""
    maker: Mapping[int, int]
    """By tensor: the operation that produces it; none for inputs."""

    @staticmethod
    def of(function: Function) -> "_Function":
        known: dict[Hashable, int] = {}
        kinds = [known.setdefault((t.type, t.layout), len(known)) for t in function.tensors]
        named: dict[Hashable, int] = {}
        tokens = [named.setdefault(_token(op, kinds), len(named)) for op in function.operations]
        maker = {i: at for at, op in enumerate(function.operations) for i in op.results}
        return _Function(function, np.array(tokens, np.int64), maker)

    def steps(self, period: int, start: int, stop: int) -> Iterator[RepeatedStep]:
        """Yield the steps in a run of equal operations, starting where the fewest tensors pass between calls."""
        if stop - start < FEWEST * period:
            return
        start += int(np.argmin(self._passing(period, start)[: (stop - start) % period + 1]))
        starts = range(start, stop - period + 1, period)
        wired = [self._wiring(at, period) for at in starts]
        same = [one is not None and one == other for one, other in pairwise(wired)]
        for first, last in stretches(np.array(same)):
            if (count := last - first + 1) >= FEWEST:
                yield RepeatedStep(starts[first], period, count)

    def _passing(self, period: int, start: int) -> Numbers:
        """Return, for each of `period` possible starts of a call, how many tensors it reads from the call before."""
        last: dict[int, int] = {}
        for at in range(start, start + FEWEST * period):
            for i in self.function.operations[at].operands:
                if i is not None and start <= self.maker.get(i, -1) and at < self.maker[i] + 2 * period:
                    last[i] = at
        changes = np.zeros(FEWEST * period + 1, np.int64)
        for tensor, at in last.items():
            changes[self.maker[tensor] + 1 - start] += 1
            changes[at + 1 - start] -= 1
        return np.cumsum(changes)[period : 2 * period]

    def _wiring(self, start: int, length: int) -> list[int | None] | None:
        """Return where results of a call are used within it, relative to its start; None if there are other uses."""
        operations = self.function.operations[start : start + length]
        results = [i for op in operations for i in op.results]
        tensors = [self.function.tensors[i] for i in results]
        if not tensors or any(t.kind is not TensorKind.INTERMEDIATE or t.name != result_name(t.id) for t in tensors):
            return None
        taken = [*(i for op in operations for i in op.operands), *(t.alias for t in tensors)]
        within = [None if i is None or not self._makes(start, length, i) else i - results[0] for i in taken]
        absent = [-1 if i is None else 0 for i in taken]
        return [*within, *absent, *(i - results[0] for i in results)]

    def _makes(self, start: int, length: int, tensor: int) -> bool:
        return start <= self.maker.get(tensor, -1) < start + length


def _token(op: Operation, kinds: list[int]) -> Hashable:
    return (
        _compared_fields(op),
        tuple(None if i is None else kinds[i] for i in op.operands),
        tuple(kinds[i] for i in op.results),
        tuple((name, _fixed(value)) for name, value in op.attributes.items()),
    )


def _fixed(value: Any) -> Hashable:
    """Return the part of an attribute that must be equal in all calls: for integers, only their number."""
    if value.__class__ is int:
        return int
    if value.__class__ in (tuple, list) and all(type(entry) is int for entry in value):
        return len(value)
    return value.__class__.__qualname__, repr(value)
