"""The einops patterns that `rearrange` takes."""

import re
from dataclasses import dataclass
from math import prod

from ttstack.diagnostics import ExecutionError
from ttstack_runtime.kernels.table import Array


@dataclass(frozen=True)
class Rearrangement:
    """Split axes, permute them, merge them."""

    split: tuple[int, ...]
    permutation: tuple[int, ...]
    merged: tuple[int, ...]

    def apply(self, x: Array) -> Array:
        """Return `x` rearranged."""
        return x.reshape(self.split).transpose(self.permutation).reshape(self.merged)


def parse(pattern: str, shape: tuple[int, ...]) -> Rearrangement:
    """Return what `pattern` does to a tensor of `shape`.

    Raises:
        ExecutionError: the pattern is malformed or leaves the length of an axis open.
    """
    left, arrow, right = pattern.partition("->")
    rest = len(shape) - sum(group != ["..."] for group in _groups(left))
    before, after = _groups(left, rest), _groups(right, rest)
    lengths: dict[str, int] = {}
    names = [name for group in before for name in group]
    result = [name for group in after for name in group]
    if (
        not arrow
        or len(before) != len(shape)
        or len(set(names)) < len(names)
        or sorted(names) != sorted(result)
    ):
        raise _mismatch(pattern, shape)
    for group, length in zip(before, shape, strict=True):
        if len(group) > 1 or (not group and length != 1):
            raise _mismatch(pattern, shape)
        lengths.update(dict.fromkeys(group, length))
    return Rearrangement(
        tuple(lengths[name] for name in names),
        tuple(names.index(name) for name in result),
        tuple(prod(lengths[name] for name in group) for group in after),
    )


def _groups(side: str, rest: int | None = None) -> list[list[str]]:
    """The axes of one side as groups of names; `1` is an empty group, `...` is `rest` names."""
    groups: list[list[str]] = []
    for token in re.findall(r"\([^()]*\)|\.\.\.|\w+", side):
        if token == "..." and rest is not None:
            groups += [[f"...{i}"] for i in range(rest)]
            continue
        names = token.strip("()").split()
        spread = [f"...{i}" for i in range(rest or 0)]
        groups.append(
            [n for name in names if name != "1" for n in (spread if name == "..." and rest else [name])]
        )
    return groups


def _mismatch(pattern: str, shape: tuple[int, ...]) -> ExecutionError:
    return ExecutionError(
        f"the pattern {pattern!r} does not describe a tensor of shape {shape}",
        hint="name every axis once on each side; an axis cannot be split, because no lengths are given",
    )
