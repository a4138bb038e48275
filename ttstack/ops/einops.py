"""The einops patterns that `rearrange` supports."""

import re
from dataclasses import dataclass
from math import prod


@dataclass(frozen=True)
class EinopsPattern:
    """A split of axes, a permutation and a merge."""

    split: tuple[int, ...]
    permutation: tuple[int, ...]
    merged: tuple[int, ...]
    places: tuple[int, ...]
    """For each axis of `split`, the operand dimension that it belongs to."""
    groups: tuple[tuple[int, ...], ...]
    """For each result dimension, the axes of `split` that are merged in it."""


def rearrangement(pattern: str, shape: tuple[int, ...]) -> EinopsPattern:
    """Parse `pattern` for a tensor of `shape`; raise `ValueError` if it does not describe one.

    Every axis is named once on each side. Axes are merged, not split: patterns have no lengths.
    """
    left, arrow, right = pattern.partition("->")
    rest = len(shape) - sum(group != ["..."] for group in _groups(left))
    before, after = _groups(left, rest), _groups(right, rest)
    names = [name for group in before for name in group]
    result = [name for group in after for name in group]
    same = len(set(names)) == len(names) and sorted(names) == sorted(result)
    single = all(len(group) == 1 or (not group and length == 1) for group, length in zip(before, shape, strict=False))
    if not (arrow and len(before) == len(shape) and same and single):
        raise ValueError(f"pattern {pattern!r} does not describe a tensor of shape {list(shape)}")
    lengths = {name: length for group, length in zip(before, shape, strict=True) for name in group}
    return EinopsPattern(
        tuple(lengths[name] for name in names),
        tuple(names.index(name) for name in result),
        tuple(prod(lengths[name] for name in group) for group in after),
        tuple(d for d, group in enumerate(before) if group),
        tuple(tuple(names.index(name) for name in group) for group in after),
    )


def _groups(side: str, rest: int | None = None) -> list[list[str]]:
    """Parse the axes of one side as groups of names; `1` is an empty group, `...` is `rest` names."""
    groups: list[list[str]] = []
    spread = [f"...{i}" for i in range(rest or 0)]
    for token in re.findall(r"\([^()]*\)|\.\.\.|\w+", side):
        if token == "..." and rest is not None:
            groups += [[name] for name in spread]
            continue
        names = token.strip("()").split()
        groups.append([n for name in names if name != "1" for n in (spread if name == "..." and rest else [name])])
    return groups
