"""Aliases: values that share a buffer."""

from collections.abc import Hashable, Mapping
from typing import TypeVar

V = TypeVar("V", bound=Hashable)


def buffer_owners(aliases: Mapping[V, V]) -> dict[V, V]:
    """Return the owner of the buffer of each value that shares one.

    `aliases` maps each value to the next one, such as the operand of a view. In a cycle, one value is the owner of all.
    """
    owners: dict[V, V] = {}
    for value in aliases:
        owner, seen = aliases[value], {value}
        while owner in aliases and owner not in seen:
            seen.add(owner)
            owner = owners.get(owner, aliases[owner])
        owners[value] = owner
    return owners


def through_aliases(value: V, aliases: Mapping[V, V]) -> list[V]:
    """Return the value, its alias, and so on to the owner of the buffer."""
    found = [value]
    while found[-1] in aliases and aliases[found[-1]] not in found:
        found.append(aliases[found[-1]])
    return found
