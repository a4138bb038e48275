"""Shapes as measurement tables spell them: `MxKxN`, `1x1x32x8192`, `[1, 1, 32, 8192]`, `b=8, s=2048`, `32 heads`."""

import re
from collections.abc import Mapping, Sequence

from inexpressible import InexpressibleError
from layouts import dtype_of
from rows import Row

from ttstack.ops.types import TensorType

_BRACKETS = r"\[\s*\d+(?:\s*,\s*\d+)*\s*\]|\(\s*\d+(?:\s*,\s*\d+)+,?\s*\)"
_TIGHT = re.compile(rf"{_BRACKETS}|(?<![\w.])\d+(?:[x*]\d+)+(?![\w.])")
_SPACED = re.compile(rf"{_BRACKETS}|(?<![\w.])\d+(?:\s*[x*]\s*\d+)+")
_BARE = re.compile(r"\W*(?:[A-Za-z]+\s*=\s*)?\d+(?:\s*,\s*\d+)+\W*")
_NAMED = re.compile(r"\b([A-Za-z_]+?)\s*[=:]?\s*\(?(\d+)(?:\s*[x,]\s*\d+\)?)?\b")
_COUNTED = re.compile(
    r"\b(\d+)\s+((?:kv[_ ])?heads|users|tokens|devices|chips|links|hops|packets|groups)\b(?!\s*[=:]?\s*\d)"
)
_PAIRS = (
    (r"\b(kv|k|cache|seq|sequence|context)[ -]?(len|length)\b", r"\1_len"),
    (r"\b(page|packet|payload|transfer|kernel|vocab|batch)[ -]size\b", r"\1_size"),
    (r"\b(head|hidden)[ -]dim\b", r"\1_dim"),
    (r"\b(num|input|output|in|out|kv)[ -](heads|links|devices|channels|height|width|packets)\b", r"\1_\2"),
    (r"(?<=\d)_(?=[A-Za-z])", " "),
    ("\u00d7", "x"),
    (r"(?<=\d)\[(\d+)\]", ""),
)
"""Words that belong together, names glued with underscores, and extents as profilers give them, `padded[logical]`."""


def plain(text: str) -> str:
    """The text with one spelling for what tables spell in several ways."""
    for pattern, replacement in _PAIRS:
        text = re.sub(pattern, replacement, text, flags=re.IGNORECASE)
    return text


def extents(text: str) -> list[tuple[int, ...]]:
    """All shapes in a text, in order: those without blanks if there are any, else `1 x 1 x 32 x 64` or `1, 1, 32`."""
    text = plain(text)
    found = _TIGHT.findall(text) or _SPACED.findall(text) or ([text] if _BARE.fullmatch(text) else [])
    return [tuple(int(n) for n in re.findall(r"\d+", shape)) for shape in found]


def named(text: str) -> dict[str, int]:
    """Extents that the text gives names to, in lower case: `B32 H32 S512`, `b=32, nh=32, s=512`, `32 heads`."""
    text = plain(text)
    counted = {name.lower().replace(" ", "_"): int(value) for value, name in _COUNTED.findall(text)}
    return {
        name.lower(): int(value) for name, value in _NAMED.findall(_COUNTED.sub("", text)) if name not in "xof"
    } | counted


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
    found = _listed(row)
    if len(found) < least:
        raise InexpressibleError(f"shape {row.shape!r} does not give {least} tensors" if row.shape else "no shape")
    names = [*row.dtypes[:2], *[row.dtypes[0]] * len(found)]
    return [TensorType(shape, dtype_of(name or row.dtypes[0])) for shape, name in zip(found, names, strict=False)]


def _listed(row: Row) -> list[tuple[int, ...]]:
    """Shapes; `2 x 1x1x32x64` are two, `40 tiles` or one number a row of them."""
    text, found = plain(row.shape), extents(row.shape)
    several = re.match(r"\s*(\d+)\s*x\s+\d+x", text)
    if several and len(found) == 1:
        return found * int(several[1])
    tiles = re.search(r"(\d+)\s*tiles\b|\btiles\s*[=:]\s*(\d+)", text)
    if tiles and not found:
        return [(32, 32 * int(tiles[1] or tiles[2]))]
    return found or ([row.numbers()] if row.numbers() else [])
