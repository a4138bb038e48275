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
    (r"\b(in|out)_ch\b", r"\1_channels"),
    (r"\bspatial\b", ""),
    (r"\((?:im2col )?(\d+x\d+x\d+)(?: as printed)?\)", r"windows \1"),
    (r"(?<=\d)_(?=[A-Za-z])", " "),
    ("\u00d7", "x"),
    (r"(?<=\d)\[(\d+)\]", ""),
)
"""Words that belong together, names glued with underscores, and extents as profilers give them, `padded[logical]`."""
_ROLES = r"\b(in|input|output|out|q|k|v)\d*\b(?=\W)"
_KNOWN = re.compile(
    r"b|batch|batch_size|bsz|users?|m|k|n|s|seq|seqlen|d|dh|dim|e|h|w|c|v|g|groups?|(q|k|v|kv|cache|context|seq|sequence)?_?len"
    r"|([a-z]+_)?heads?|n?kv_?h?|n(q|kv|h)?h?|h(q|kv)|nqh|kvh|num_[a-z]+|n_[a-z]+|s(q|k|kv)|(q|k)_?chunk(_size)?|(q|kv)_seq|seq_k"
    r"|cache|context|ctx|tokens?|vocab|hidden|rows|tiles|(head|hidden|page|block)_(dim|size)|(in|out|input|output|kv)_[a-z]+"
    r"|[a-z]?in|[a-z]?out|[oi]?[chw]|[ck]?[oi]|c_(in|out)|k_out|filters?|channels?|height|width|image|weight"
    r"|depth|length|(filter|kernel|stride|pad|dilation)(_[hw]|_height|_width|_size)?|padding|[kfspd][hw]?|scale|factor|scale_factor"
    r"|devices|chips|links|hops|packets?|users|heads|kv_heads|[kmg]i?b|bytes"
)
"""Names of extents that some class of ops reads."""


def refuse_prose(row: Row) -> None:
    """Raise `InexpressibleError` where numbers of the shape are neither extents nor named: those of a model's name."""
    text = re.sub(r"->\s*\d+|\b\d+\s*->|\S+_TO_\S+", " ", _without_shapes(plain(row.shape)))
    text = _NAMED.sub(lambda m: " " if _KNOWN.fullmatch(m[1].lower().strip("_")) else m[0], _COUNTED.sub(" ", text))
    text = re.sub(r"\b\d+\s*(?=x\s|tiles\b)", " ", re.sub(_ROLES, " ", text, flags=re.IGNORECASE))
    if re.search(r"\d", text) and re.search(r"[A-Za-z]", text):
        raise InexpressibleError(f"the shape is prose: {row.shape!r} does not say what its numbers are the extents of")


def _without_shapes(text: str) -> str:
    return _SPACED.sub(" ", _TIGHT.sub(" ", text))


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


def operands(row: Row) -> list[TensorType]:
    """The tensors of the row that it does not call the output; all of them where it calls none so."""
    listed = tensors(row)
    given = len(extents(_parts(row.shape)[0]))
    return listed[:given] if 0 < given < len(listed) else listed


def results(row: Row) -> list[TensorType]:
    """The tensors that the row calls the output, in the format of the result."""
    dtype = dtype_of(row.dtypes[2] or row.dtypes[0])
    return [TensorType(shape, dtype) for shape in extents(_parts(row.shape)[1])]


def _parts(shape: str) -> tuple[str, str]:
    """What stands before and after the word `out`."""
    before, _, after = re.sub(r"\bout(put)?\b(?=[ :=]*(?:[a-z]\s+)?[\d\[(])", "\0", shape).partition("\0")
    return before, after


def _listed(row: Row) -> list[tuple[int, ...]]:
    """Shapes; `2 x 1x1x32x64` are two, `40 tiles` or one number a row of them."""
    text, found = plain(row.shape), extents(row.shape)
    several = re.match(r"\s*(\d+)\s*x\s+\d+x", text)
    if several and len(found) == 1:
        return found * int(several[1])
    tiles = re.search(r"(\d+)\s*tiles\b|\btiles\s*[=:]\s*(\d+)", text)
    if tiles and not found:
        return [(32, 32 * int(tiles[1] or tiles[2]))]
    bare = row.numbers() if re.fullmatch(r"[\W\d]*", text) else ()
    return found or ([bare] if bare else [])
