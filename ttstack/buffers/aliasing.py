"""Who shares whose buffer."""

from collections.abc import Hashable, Mapping
from typing import TypeVar

V = TypeVar("V", bound=Hashable)


def buffer_owners(aliases: Mapping[V, V]) -> dict[V, V]:
    """For each value that lies in the buffer of another, the value that has a buffer of its own there.

    `aliases` say for each the next one, such as the operand of a view. Of a circle, one is the owner of all.
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
    """The value, what it lies in the buffer of, and so on to what has a buffer of its own."""
    found = [value]
    while found[-1] in aliases and aliases[found[-1]] not in found:
        found.append(aliases[found[-1]])
    return found
