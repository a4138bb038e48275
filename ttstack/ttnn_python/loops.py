"""Calls of a time step as a loop."""

from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from itertools import pairwise

from ttstack.ttnn_python.layers import Layer


@dataclass(frozen=True)
class Loop:
    """Calls of a time step, with results of the previous call and loop-invariant arguments."""

    layer: Layer
    arguments: tuple[str, ...]
    """The arguments of each call, without integers: variables of `targets`, or from outside."""
    initial: Mapping[str, str]
    """Arguments among `targets`, and the outside variables that the first call uses instead."""
    kept: tuple[int, ...]
    """Positions in `targets` whose results of several calls are used after the loop."""

    @property
    def targets(self) -> tuple[str, ...]:
        """The variables that each call assigns."""
        return self.layer.made[0]

    @property
    def names(self) -> Mapping[str, str]:
        """The names of calls' results after the loop."""
        last = dict(zip(self.layer.made[-1], self.targets, strict=True))
        listed = {names[at]: f"{self._list(at)}[{i}]" for i, names in enumerate(self.layer.made) for at in self.kept}
        return last | listed

    def lines(self, function: str, outside: Mapping[str, str]) -> Iterator[str]:
        """Yield the loop as text; `outside` renames variables from outside."""
        if self.initial:
            first = (outside.get(name, name) for name in self.initial.values())
            yield f"{', '.join(self.initial)} = {', '.join(first)}"
        yield from (f"{self._list(at)} = []" for at in self.kept)
        yield f"for {self._header()}:"
        taken = (name if name in self.initial else outside.get(name, name) for name in self.arguments)
        index = ["layer"] if self.layer.indices else []
        given = ", ".join(["device", "t", *index, *taken, *self.layer.counters.parameters])
        yield f"    {', '.join(self.targets)} = {function}({given})"
        yield from (f"    {self._list(at)}.append({self.targets[at]})" for at in self.kept)

    def _list(self, at: int) -> str:
        return f"each_{self.targets[at]}"

    def _header(self) -> str:
        counters, count = self.layer.counters, len(self.layer.starts)
        columns = list(zip(*(counters.arguments(call) for call in range(count)), strict=True))
        variables = [*(["layer"] if self.layer.indices else []), *counters.parameters]
        values = [_spell([int(text) for text in column]) for column in filter(None, (self.layer.indices, *columns))]
        if len(values) > 1:
            return f"{', '.join(variables)} in zip({', '.join(values)})"
        return f"{variables[0]} in {values[0]}" if values else f"_ in range({count})"


def find_loop(layer: Layer, used: AbstractSet[str]) -> Loop | None:
    """Return the loop of a time step's calls, or None; `used` are variables used outside of them."""
    one_after_the_other = all(b - a == layer.length for a, b in pairwise(layer.starts))
    if not (layer.recurs and one_after_the_other and layer.made[0]):
        return None
    arguments, initial = list[str](), dict[str, str]()
    for at in layer.passed:
        first, *rest = (taken[at] for taken in layer.taken)
        target = _source(rest, layer.made)
        if target is not None and initial.setdefault(target, first) == first:
            arguments.append(target)
        elif set(rest) == {first}:
            arguments.append(first)
        else:
            return None
    kept = [at for at in range(len(layer.made[0])) if any(names[at] in used for names in layer.made[:-1])]
    return Loop(layer, tuple(arguments), initial, tuple(kept))


def _source(rest: Sequence[str], made: Sequence[Sequence[str]]) -> str | None:
    """Return the result, by its name in the first call, that all later calls use from the previous one."""
    found = (names[0] for names in zip(*made, strict=True) if all(a == b for a, b in zip(rest, names, strict=False)))
    return next(found, None)


def _spell(column: Sequence[int]) -> str:
    """Format integers as a range, if they are one."""
    (growth, *others) = dict.fromkeys(b - a for a, b in pairwise(column))
    if others or not growth:
        return f"[{', '.join(map(str, column))}]"
    if growth == 1 and not column[0]:
        return f"range({len(column)})"
    step = "" if growth == 1 else f", {growth}"
    return f"range({column[0]}, {column[-1] + growth}{step})"
