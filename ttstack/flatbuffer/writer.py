"""Construction of a flatbuffer: tables by field name, with equal parts written once."""

from collections.abc import Callable, Hashable, Iterable, Sequence
from functools import cache
from typing import Any, cast

import flatbuffers
import numpy as np

from ttstack.device.layout import Grid
from ttstack.flatbuffer._generated import binary_generated as schema

INT32 = np.dtype("<i4")
INT64 = np.dtype("<i8")
UINT8 = np.dtype("u1")
UINT64 = np.dtype("<u8")


class Writer:
    """Writes parts, children first, and returns their offsets; equal parts are written once."""

    def __init__(self) -> None:
        self._builder = flatbuffers.Builder(1 << 16)
        self._known: dict[Hashable, int] = {}

    def once(self, key: Hashable, write: Callable[[], int]) -> int:
        """Return the offset of the part that `write` writes; `key` identifies its content."""
        if key not in self._known:
            self._known[key] = write()
        return self._known[key]

    def string(self, text: str) -> int | None:
        """Write a string; return None for an empty one."""
        return self._builder.CreateSharedString(text) if text else None

    def numbers(self, values: Sequence[int], dtype: np.dtype[Any]) -> int | None:
        """Write a vector of integers; return None if it is empty."""
        if not values:
            return None
        key = (dtype.char, tuple(values))
        return self.once(key, lambda: self._builder.CreateNumpyVector(np.array(values, dtype)))

    def floats(self, values: Sequence[float]) -> int:
        """Write a vector of doubles."""
        return self._builder.CreateNumpyVector(np.array(values, np.float64))

    def tables(self, offsets: Iterable[int]) -> int | None:
        """Write a vector of existing tables; return None if it is empty."""
        offsets = list(offsets)
        if not offsets:
            return None
        self._builder.StartVector(4, len(offsets), 4)
        for offset in reversed(offsets):
            self._builder.PrependUOffsetTRelative(offset)
        return self._builder.EndVector()

    def table(self, name: str, /, **fields: Any) -> int:
        """Write a table of the schema. Fields are numbers, grids and offsets; None omits a field."""
        start, add, end = _functions(name)
        start(self._builder)
        for field, value in fields.items():
            if isinstance(value, Grid):
                value = cast(Any, schema).CreateGrid(self._builder, value.rows, value.cols)  # noqa: PLW2901
            if value is not None:
                add[field](self._builder, value)
        return end(self._builder)

    def finish(self, root: int) -> bytes:
        """Return the buffer with the table at `root` as its root."""
        self._builder.Finish(root)
        return bytes(self._builder.Output())


@cache
def _functions(table: str) -> tuple[Callable[..., Any], dict[str, Callable[..., Any]], Callable[..., int]]:
    """Return the generated functions that start a table, add each of its fields, and end it."""
    add = _Adders(table)
    return getattr(schema, f"{table}Start"), add, getattr(schema, f"{table}End")


class _Adders(dict[str, Callable[..., Any]]):
    """The generated functions by field, in snake case as in the schema."""

    def __init__(self, table: str) -> None:
        super().__init__()
        self._table = table

    def __missing__(self, field: str) -> Callable[..., Any]:
        camel = "".join(part.capitalize() for part in field.split("_"))
        self[field] = getattr(schema, f"{self._table}Add{camel}")
        return self[field]
