"""Parser of what-if changes: `l1_size=2MiB,grid=7x8,dram.routers=[[0, 1], [0, 5]]`."""

import re
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from ttstack.support.yaml_text import read_yaml

_CHANGE = re.compile(r"\s*([A-Za-z_][\w.]*)\s*=\s*([^=]+?)\s*", re.DOTALL)
_GRID = re.compile(r"(\d+)\s*x\s*(\d+)")
_OPEN, _CLOSED = "[{", "]}"


class Change(NamedTuple):
    """A field and its value, as written."""

    name: str
    text: str

    def value(self) -> Any:
        """A grid, a whole number, a list, or the text, which may be a number with a unit.

        Raises:
            ValueError: a list that does not end, or the like.
        """
        if grid := _GRID.fullmatch(self.text):
            return [int(grid[1]), int(grid[2])]
        if self.text[0] in _OPEN:
            try:
                return read_yaml(self.text)
            except ValueError:
                raise ValueError(f"'{self.text}' is not a list") from None
        return int(self.text) if re.fullmatch(r"[+-]?\d+", self.text) else self.text

    def __str__(self) -> str:
        return f"{self.name}={self.text}"


def read_changes(texts: Sequence[str]) -> tuple[list[Change], list[str]]:
    """Return the changes of several texts, each with commas between changes, and the invalid parts."""
    changes, faults = list[Change](), list[str]()
    for part in filter(str.strip, (part for text in texts for part in _parts(text))):
        found = _CHANGE.fullmatch(part)
        if found is None:
            faults.append(f"'{part.strip()}' is not of the form FIELD=VALUE")
        else:
            changes.append(Change(found[1], found[2]))
    return changes, faults


def _parts(text: str) -> Iterator[str]:
    """Yield the texts between commas outside of brackets."""
    depth, start = 0, 0
    for at, letter in enumerate(text):
        depth += (letter in _OPEN) - (letter in _CLOSED)
        if letter == "," and depth <= 0:
            yield text[start:at]
            start = at + 1
    yield text[start:]
