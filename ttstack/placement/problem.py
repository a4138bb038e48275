"""Placement as numbers: values with options, steps with choices, one capacity; no op and no layout is known here."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from ttstack.buffers.lifetimes import BufferAccesses, lifetimes, live_values

Numbers = np.ndarray[Any, np.dtype[np.float64]]
Counts = np.ndarray[Any, np.dtype[np.int64]]
Flags = np.ndarray[Any, np.dtype[np.bool_]]


@dataclass(frozen=True)
class Read:
    """One operand of a step; rows are options of the value, columns are layouts that choices require."""

    value: int
    cost: Numbers
    """Nanoseconds of the change from an option to a required layout; infinite if impossible."""
    copied: Counts
    """Bytes of the changed copy, which lives until the step ends."""
    scratch: Counts
    """Bytes of buffers while the change is made."""
    changes: Flags
    """True if anything has to change."""


@dataclass(frozen=True)
class Decision:
    """One op: it reads values, produces others, and has several choices."""

    reads: tuple[Read, ...]
    writes: tuple[int, ...]
    needs: Counts
    """Choice by read: the column of the read that the choice asks for."""
    gives: Counts
    """Choice by written value: the option that the choice makes."""
    cost: Numbers
    scratch: Counts
    """Bytes of buffers while the choice runs."""
    dies: tuple[int, ...]
    """Values that nothing needs after this step."""

    @property
    def choices(self) -> int:
        """Number of choices."""
        return len(self.cost)

    def keep(self, kept: Sequence[int]) -> "Decision":
        """Return the step with only some of its choices."""
        rows = np.asarray(kept, dtype=np.int64)
        arrays = {name: getattr(self, name)[rows] for name in ("needs", "gives", "cost", "scratch")}
        return replace(self, **arrays)

    def fix(self, options: Mapping[int, int]) -> "Decision":
        """Return the step without choices that make another option of one of these values."""
        other = [self.gives[:, i] != options[v] for i, v in enumerate(self.writes) if v in options]
        return replace(self, cost=np.where(np.any(other, axis=0), np.inf, self.cost))


@dataclass(frozen=True)
class Problem:
    """Choose one of each step's choices, so that the total is least and no step needs more than `capacity` bytes."""

    sizes: tuple[tuple[int, ...], ...]
    """For each value, the bytes of each option."""
    steps: tuple[Decision, ...]
    capacity: tuple[int, ...]
    """Capacity at each step: less than the total if space between buffers is lost."""

    @cached_property
    def live(self) -> tuple[tuple[int, ...], ...]:
        """For each step, the values that are there before it and those that it makes; not those never in L1."""
        written = {v for step in self.steps for v in step.writes}
        steps = [BufferAccesses((), step.writes, step.dies) for step in self.steps]
        lives = lifetimes(steps, [v for v in range(len(self.sizes)) if v not in written], {})
        in_l1 = {v: life for v, life in lives.items() if any(self.sizes[v])}
        return tuple(live_values(in_l1, len(steps)))

    def options(self, chosen: Sequence[int]) -> list[int]:
        """Return the option of each value under one choice for each step; 0 for values that no step makes."""
        options = [0] * len(self.sizes)
        for step, choice in zip(self.steps, chosen, strict=True):
            for value, option in zip(step.writes, step.gives[choice], strict=True):
                options[value] = int(option)
        return options

    def total(self, chosen: Sequence[int]) -> float:
        """Cost of all choices and of the changes between them."""
        options = self.options(chosen)
        return sum(self.step_cost(i, choice, options) for i, choice in enumerate(chosen))

    @cached_property
    def readers(self) -> Mapping[int, tuple[int, ...]]:
        """For each value, the steps that read it."""
        reading_steps: dict[int, list[int]] = {v: [] for v in range(len(self.sizes))}
        for position, step in enumerate(self.steps):
            for value in dict.fromkeys(read.value for read in step.reads):
                reading_steps[value].append(position)
        return {value: tuple(steps) for value, steps in reading_steps.items()}

    def difference(self, old: Sequence[int], new: Sequence[int]) -> float:
        """Return the cost of the new choices minus that of the old ones, over the steps that they affect."""
        changed = [position for position, (a, b) in enumerate(zip(old, new, strict=True)) if a != b]
        concerned = {
            *changed,
            *(position for i in changed for v in self.steps[i].writes for position in self.readers[v]),
        }
        before, after = self.options(old), self.options(new)
        return sum(self.step_cost(i, new[i], after) - self.step_cost(i, old[i], before) for i in sorted(concerned))

    def changes_around(self, chosen: Sequence[int], position: int) -> tuple[float, float]:
        """Return the cost of layout changes before a step, and of those that its results need in later steps."""
        options, step = self.options(chosen), self.steps[position]
        before = self.step_cost(position, chosen[position], options) - float(step.cost[chosen[position]])
        after = sum(
            float(read.cost[options[read.value], need])
            for i in sorted({i for v in step.writes for i in self.readers[v]})
            for read, need in zip(self.steps[i].reads, self.steps[i].needs[chosen[i]], strict=True)
            if read.value in step.writes
        )
        return before, after

    def step_cost(self, position: int, choice: int, options: Sequence[int]) -> float:
        """Cost of one choice and of the changes that it asks for."""
        step = self.steps[position]
        changes = (r.cost[options[r.value], n] for r, n in zip(step.reads, step.needs[choice], strict=True))
        return float(step.cost[choice] + sum(changes))

    def peak(self, position: int, choice: int, options: Sequence[int]) -> int:
        """Return the most bytes in use at once while a step runs, changes of layout before it included."""
        step = self.steps[position]
        stored = sum(self.sizes[v][options[v]] for v in self.live[position] if v not in step.writes)
        peak = 0
        for read, need in zip(step.reads, step.needs[choice], strict=True):
            have = options[read.value]
            stored += int(read.copied[have, need])
            if read.changes[have, need]:
                peak = max(peak, stored + int(read.scratch[have, need]))
        stored += sum(self.sizes[v][options[v]] for v in step.writes)
        return max(peak, stored + int(step.scratch[choice]))

    def fits(self, chosen: Sequence[int]) -> bool:
        """Return True if no step needs more than its capacity."""
        options = self.options(chosen)
        peaks = (self.peak(i, choice, options) for i, choice in enumerate(chosen))
        return all(peak <= most for peak, most in zip(peaks, self.capacity, strict=True))

    @cached_property
    def smallest(self) -> tuple[int, ...]:
        """The option of each value with the least L1."""
        return tuple(nbytes.index(min(nbytes)) for nbytes in self.sizes)

    def fix(self, options: Mapping[int, int]) -> "Problem":
        """Return the problem with one option for some values: choices that produce other options cost infinity."""
        steps = (step.fix(options) if options.keys() & set(step.writes) else step for step in self.steps)
        return replace(self, steps=tuple(steps))

    def tighter(self, position: int, capacity: int) -> "Problem":
        """Return the problem with less room at one step."""
        return replace(self, capacity=(*self.capacity[:position], capacity, *self.capacity[position + 1 :]))
