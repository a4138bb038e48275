"""Shapes as measurement tables spell them: `MxKxN`, `1x1x32x8192`, `[1, 1, 32, 8192]`, `b=8, s=2048`, `B32 H32`."""

import re
from collections.abc import Mapping, Sequence

from inexpressible import InexpressibleError
from layouts import dtype_of
from rows import Row

from ttstack.ops.types import TensorType

_LIST = re.compile(r"\[\s*\d+(?:\s*,\s*\d+)*\s*\]|\(\s*\d+(?:\s*,\s*\d+)+,?\s*\)|\d+(?:\s*[x*]\s*\d+)+")
_NAMED = re.compile(r"\b([A-Za-z_]+?)\s*[=:]?\s*(\d+)(?:\s*[x,]\s*(\d+))?\b")


def extents(text: str) -> list[tuple[int, ...]]:
    """All shapes in a text, in order."""
    return [tuple(int(n) for n in re.findall(r"\d+", found)) for found in _LIST.findall(text)]


def named(text: str) -> dict[str, int]:
    """Extents that the text gives names to, in lower case: `B32 H32 S512` or `b=32, nh=32, s=512`."""
    return {name.lower(): int(value) for name, value, _ in _NAMED.findall(text)}


def pick(sizes: Mapping[str, int], names: Sequence[str], default: int | None = None) -> int:
    """The first of `names` that has an extent."""
    for name in names:
        if name in sizes:
            return sizes[name]
    if default is None:
        raise InexpressibleError(f"the shape gives no {names[0]}")
    return default


def tensors(row: Row, least: int = 1) -> list[TensorType]:
    """The tensors that the row's shape lists, in the formats of its operands."""
    found = extents(row.shape)
    if len(found) < least and len(row.numbers()) >= 1 and least == 1:
        found = [row.numbers()]
    if len(found) < least:
        raise InexpressibleError(f"shape {row.shape!r} does not give {least} tensors" if row.shape else "no shape")
    names = [*row.dtypes[:2], *[row.dtypes[0]] * len(found)]
    return [TensorType(shape, dtype_of(name or row.dtypes[0])) for shape, name in zip(found, names, strict=False)]
