"""Repeated layers and time steps of a function: equal steps on other tensors."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby, repeat
from typing import Any

import numpy as np

from ttstack.buffers import lifetimes
from ttstack.ttnn_python.counters import Counters
from ttstack.ttnn_python.expression import Name, rename
from ttstack.ttnn_python.function import EmittedOp
from ttstack.ttnn_python.spelling import identifier

SHORTEST = 8
"""Minimum number of steps that become a function."""

Tokens = np.ndarray[Any, np.dtype[np.int64]]

_NUMBER = re.compile(r"(\d+)")


@dataclass(frozen=True)
class Layer:
    """Runs of equal steps, and the arguments and results of each."""

    starts: tuple[int, ...]
    """Number of the first step of each run."""
    stretches: tuple[tuple[EmittedOp, ...], ...]
    taken: tuple[tuple[str, ...], ...]
    """For each run, variables from outside, in one order."""
    made: tuple[tuple[str, ...], ...]
    """For each run, its own variables with later uses, in one order."""
    recurs: bool = False
    """Whether they are calls of one time step, whose integers may differ."""

    @property
    def length(self) -> int:
        """The number of steps of a run."""
        return len(self.stretches[0])

    @property
    def name(self) -> str:
        """The name derived from the layers' weights, if indexed; not unique, but different from other names."""
        prefixes = [parts[0] for parts, _ in self._templates.values()]
        if prefixes:
            return f"run_{identifier(prefixes[0].removeprefix('t['))}"
        return "run_step" if self.recurs else "run_layer"

    @cached_property
    def counters(self) -> Counters:
        """Integers that differ between runs."""
        return Counters([tuple(n for step in stretch for n in step.integers) for stretch in self.stretches])

    @property
    def indices(self) -> tuple[str, ...]:
        """The index of each run's weights; empty without an index."""
        return next((numbers for _, numbers in self._templates.values()), ())

    @property
    def spelled(self) -> Mapping[str, str]:
        """Weights of the first run, with the variable `layer` as their index."""
        return {
            variable: "{layer}".join(parts).replace("[", "[f", 1) for variable, (parts, _) in self._templates.items()
        }

    @property
    def passed(self) -> tuple[int, ...]:
        """Positions in `taken` that are passed as arguments: neither indexed weights nor equal everywhere."""
        indexed = self._templates
        return tuple(
            at
            for at, (first, *rest) in enumerate(zip(*self.taken, strict=True))
            if first not in indexed and not (first.startswith("t[") and set(rest) == {first})
        )

    @cached_property
    def _templates(self) -> dict[str, tuple[list[str], tuple[str, ...]]]:
        """Weights of the first run that differ in one number, split there, and the number of each run.

        All have the same numbers.
        """
        found: dict[str, tuple[list[str], tuple[str, ...]]] = {}
        for names in zip(*self.taken, strict=True):
            template = _template(names) if names[0].startswith("t[") else None
            if template and all(template[1] == other for _, other in found.values()):
                found[names[0]] = template
        return found


def _template(names: Sequence[str]) -> tuple[list[str], tuple[str, ...]] | None:
    parts = [_NUMBER.split(name) for name in names]
    if {"{", "}"} & set(names[0]) or any(p[::2] != parts[0][::2] for p in parts):
        return None
    varying = {at for at in range(1, len(parts[0]), 2) if len({p[at] for p in parts}) > 1}
    numbers = [{p[at] for at in varying} for p in parts]
    if not varying or any(len(found) != 1 or str(int(min(found))) not in found for found in numbers):
        return None  # more than one number, or one with zeros before it
    pieces = [""]
    for at, text in enumerate(parts[0]):
        if at in varying:
            pieces.append("")
        else:
            pieces[-1] += text
    return pieces, tuple(number for found in numbers for number in found)


def find_layers(
    steps: Sequence[EmittedOp], times: Sequence[str], outputs: Iterable[str], recurring: Iterable[range] = ()
) -> list[Layer]:
    """Return all repeated layers without overlap; `times` are the comments of the steps.

    `recurring` are starts of equal runs, each as long as the distance to the next; these come first, with any integers.
    Then the runs that save most steps are selected.
    """
    variables = assigned_variables(steps)
    live = _live(steps, variables, set(outputs))
    tokens, found = _tokens(steps, times, variables), list[Layer]()

    def take(layer: Layer) -> None:
        found.append(layer)
        for start in layer.starts:
            covered = np.arange(start, start + layer.length)
            tokens[covered] = -1 - covered  # like no other

    for starts in recurring:
        if recurrence := _layer(starts, starts.step, steps, variables, live, recurs=True):
            take(recurrence)
    while True:
        repeated = sorted(_repetitions(tokens), key=lambda r: (r.saved, -r.length), reverse=True)
        layers = (_layer(r.starts(live), r.length, steps, variables, live) for r in repeated)
        layer = next((layer for layer in layers if layer is not None), None)
        if layer is None:
            return found
        take(layer)


def _tokens(steps: Sequence[EmittedOp], times: Sequence[str], variables: set[str]) -> Tokens:
    """Return a number for each step, equal for equal steps."""
    known: dict[str, int] = {}
    texts = (f"{canonical([step], variables)} {time}" for step, time in zip(steps, times, strict=True))
    return np.array([known.setdefault(text, len(known)) for text in texts])


@dataclass(frozen=True)
class _Repetition:
    """Runs of equal tokens, `stride` apart."""

    start: int
    length: int
    stride: int
    count: int
    slack: int
    """The number of steps by which all could start later."""

    @property
    def saved(self) -> int:
        """The number of saved steps."""
        return (self.count - 1) * self.length

    def starts(self, live: Sequence[set[str]]) -> list[int]:
        """Return the starts of runs with the fewest tensors passed between them."""
        first = min(range(self.start, self.start + self.slack + 1), key=lambda at: len(live[at]))
        return [first + i * self.stride for i in range(self.count)]


def _repetitions(tokens: Tokens) -> Iterator[_Repetition]:
    for stride in range(SHORTEST, len(tokens)):
        same = np.concatenate([[False], tokens[:-stride] == tokens[stride:], [False]])
        edges = np.flatnonzero(same[1:] != same[:-1]).reshape(-1, 2)
        for start, end in edges[edges[:, 1] - edges[:, 0] >= SHORTEST].tolist():
            span = end - start
            if span >= stride:
                yield _Repetition(start, stride, stride, span // stride + 1, span % stride)
            else:
                yield _Repetition(start, span, stride, _count(tokens, start, span, stride), 0)


def _count(tokens: Tokens, start: int, length: int, stride: int) -> int:
    """Count consecutive runs equal to the first."""
    count = 2
    while np.array_equal(tokens[start + count * stride :][:length], tokens[start : start + length]):
        count += 1
    return count


def _layer(
    starts: Sequence[int],
    length: int,
    steps: Sequence[EmittedOp],
    variables: set[str],
    live: Sequence[set[str]],
    *,
    recurs: bool = False,
) -> Layer | None:
    """Return the layer if its runs compute something and are connected equally; most are for a recurrence."""
    stretches = tuple(tuple(steps[at : at + length]) for at in starts)
    if all(step.number is None for step in stretches[0]):
        return None
    forms = [canonical(stretch, variables, integers=not recurs) for stretch in stretches]
    if len(set(forms)) > 1:
        alike = max((list(group) for _, group in groupby(range(len(forms)), forms.__getitem__)), key=len)
        return _layer([starts[i] for i in alike], length, steps, variables, live, recurs=True) if recurs else None
    used = [_used(stretch, variables) for stretch in stretches]
    own = [assigned_variables(stretch) for stretch in stretches]
    after = [live[at + length] & mine for at, mine in zip(starts, own, strict=True)]
    kept = [at for at in range(len(used[0])) if any(names[at] in left for names, left in zip(used, after, strict=True))]
    return Layer(
        tuple(starts),
        stretches,
        taken=tuple(tuple(n for n in names if n not in mine) for names, mine in zip(used, own, strict=True)),
        made=tuple(tuple(names[at] for at in kept) for names in used),
        recurs=recurs,
    )


def assigned_variables(steps: Iterable[EmittedOp]) -> set[str]:
    """Return the variables that steps assign."""
    return {target for step in steps for targets, _ in step.statements for target in targets}


def _used(steps: Iterable[EmittedOp], variables: set[str]) -> list[str]:
    """Return all tensors in steps, each once, in order."""
    names = (name for step in steps for name in step.named if name in variables or name.startswith("t["))
    return list(dict.fromkeys(names))


def canonical(steps: Sequence[EmittedOp], variables: set[str], *, integers: bool = True) -> str:
    """Return the text of steps with or without integers; tensors are numbered by first use."""
    numbers = {name: f"%{i}" for i, name in enumerate(_used(steps, variables))}
    shown = steps if integers else [step.with_integers(repeat(Name("n"))) for step in steps]
    statements = [
        ([numbers[t] for t in targets], rename(expression, numbers))
        for step in shown
        for targets, expression in step.statements
    ]
    return f"{statements} {[step.missing for step in steps]}"


def _live(steps: Sequence[EmittedOp], variables: set[str], outputs: set[str]) -> list[set[str]]:
    """Return the live tensors before each step and at the end."""
    uses = [
        lifetimes.BufferAccesses([v for v in step.named if v in variables], [*assigned_variables([step])])
        for step in steps
    ]
    uses.append(lifetimes.BufferAccesses([*outputs & variables], ()))
    last = lifetimes.last_uses(uses, {})
    lives = {v: lifetimes.Lifetime(at, last[v]) for at, step in enumerate(uses) for v in step.makes}
    live = lifetimes.live_values(lives, len(uses))
    return [set(there) - {*step.makes} for there, step in zip(live, uses, strict=True)]
