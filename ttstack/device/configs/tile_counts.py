"""What all program configurations have in common: fields that count tiles."""

from dataclasses import dataclass
from enum import Enum


@dataclass(frozen=True)
class TileCounts:
    """A program configuration; fields that are None are as large as they can be, or what the kernel takes by default.

    Raises:
        ValueError: a field is no number of tiles from 1 on.
    """

    def __post_init__(self) -> None:
        for name, value in vars(self).items():
            if value is not None and not isinstance(value, Enum) and (type(value) is not int or value < 1):
                raise ValueError(f"'{name}' of a program configuration is a number of tiles from 1 on, not {value!r}")

    def tiles(self) -> dict[str, int]:
        """All numbers of tiles that are not None, by name."""
        return {name: value for name, value in vars(self).items() if type(value) is int}
