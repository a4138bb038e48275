"""Parts of a flatbuffer as plain values; shared parts are decoded once."""

from collections.abc import Callable
from typing import Any, TypeVar

T = TypeVar("T")


class Reader:
    """Caches decoded parts by their position in the buffer."""

    def __init__(self) -> None:
        self._known: dict[tuple[Callable[..., Any], int], Any] = {}

    def once(self, decode: Callable[["Reader", Any], T], table: Any) -> T:
        """Return the decoded table, cached; raise `ValueError` if the table is absent."""
        if table is None:
            raise ValueError("a required part is absent")
        key = (decode, table._tab.Pos)
        if key not in self._known:
            self._known[key] = decode(self, table)
        return self._known[key]


def text(value: bytes | None) -> str:
    """Return a string of the buffer; absent ones are empty."""
    return "" if value is None else value.decode()


def numbers(vector: Any) -> tuple[Any, ...]:
    """Return a vector of numbers from the generated `...AsNumpy`, where 0 means absent."""
    return () if isinstance(vector, int) else tuple(vector.tolist())


def tables(owner: Any, field: str) -> list[Any]:
    """Return the tables of a vector of `owner`, by the generated name of the field."""
    at = getattr(owner, field)
    return [at(i) for i in range(getattr(owner, f"{field}Length")())]
