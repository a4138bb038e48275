"""Which keys each query of attention sees, if that is a compile-time constant, as tiles of scores.

A mask is a range of keys for each query if possible, as for causal masks, sliding windows, prefixes, packed documents,
padding and their intersections, and otherwise runs of tiles. In text form, a range is `first..end`, both in pieces
`row:bound` with `q` for the query's own position: `0..q+1` is causal, `0,4096:q-4095..q+1` a window of 4,096 keys,
`0,100:100..100,100:256` two documents. Runs of tiles are `2*3f1p4e 6*8f`: two rows of tiles with 3 full, a partly
masked and 4 empty ones, then six full rows. Masks that differ by batch or head follow one another after their numbers:
`[2x1] 0..100 | 0..90`.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import IntEnum
from functools import cached_property, lru_cache
from itertools import groupby
from typing import Any

import numpy as np

from ttstack.ops.types import TILE, tiles

Array = np.ndarray[Any, Any]


class TileKind(IntEnum):
    """The effect of a mask on a tile of scores."""

    EMPTY = 0
    """All scores are hidden."""
    PARTIAL = 1
    """Some scores are hidden, or changed by an added value."""
    FULL = 2
    """All scores are visible and unchanged."""


_LETTERS = "epf"
_PIECE = re.compile(r"(?:(\d+):)?(?:(q)([+-]\d+)?|(\d+))")
_RUNS = re.compile(r"(\d+)\*((?:\d+[epf])+)")


@dataclass(frozen=True)
class Piece:
    """A piece of a bound: from query `row` on, the bound is `slope * query + offset`."""

    row: int
    slope: int
    offset: int

    def __str__(self) -> str:
        offset = f"{self.offset:+}" if self.offset else ""
        bound = f"q{offset}" if self.slope else str(self.offset)
        return f"{self.row}:{bound}" if self.row else bound


@dataclass(frozen=True)
class Band:
    """A range of keys for each query, from `first` up to, excluding, `end`."""

    first: tuple[Piece, ...]
    end: tuple[Piece, ...]

    def ranges(self, queries: int) -> tuple[Array, Array]:
        """Return the first keys and ends [queries]; a query without visible keys has end <= first."""
        return _bounds(self.first, queries), _bounds(self.end, queries)

    def kinds(self, queries: int, keys: int, block: tuple[int, int]) -> Array:
        """Return the kind of each block of this many queries and keys."""
        (height, width), (first, end) = block, self.ranges(queries)
        rows, columns = -(-queries // height), -(-keys // width)
        at, seen = np.arange(queries) // height, first < end
        whole = np.where(end >= keys, columns, end // width)
        touched = _covered(at[seen], (first // width)[seen], -(-end // width)[seen], (rows, columns))
        filled = seen & (-(-first // width) < whole)
        full = _covered(at[filled], -(-first // width)[filled], whole[filled], (rows, columns))
        held = np.minimum(height, queries - height * np.arange(rows))[:, None]
        return np.where(full == held, TileKind.FULL, np.where(touched > 0, TileKind.PARTIAL, TileKind.EMPTY))

    def __str__(self) -> str:
        return f"{','.join(map(str, self.first))}..{','.join(map(str, self.end))}"


@dataclass(frozen=True)
class TileRows:
    """Runs of tiles of one kind, for rows of tiles: (rows, ((kind, tiles), ...)), ..."""

    runs: tuple[tuple[int, tuple[tuple[TileKind, int], ...]], ...]

    @staticmethod
    def of(kinds: Array) -> "TileRows":
        """Return the runs of [rows, columns] kinds."""
        rows = (tuple((TileKind(k), len(list(run))) for k, run in groupby(row)) for row in kinds.tolist())
        return TileRows(tuple((len(list(alike)), row) for row, alike in groupby(rows)))

    @cached_property
    def tiles(self) -> Array:
        """Kinds [rows, columns]."""
        rows = [np.repeat([kind for kind, _ in row], [n for _, n in row]) for _, row in self.runs]
        return np.repeat(np.stack(rows), [count for count, _ in self.runs], axis=0)

    def kinds(self, _queries: int, _keys: int, block: tuple[int, int]) -> Array:
        """Return the kind of each block of this many queries and keys, in whole tiles."""
        found = self.tiles
        for axis, extent in enumerate(block):
            starts = range(0, found.shape[axis], extent // TILE)
            least, most = (f.reduceat(found, starts, axis=axis) for f in (np.minimum, np.maximum))
            found = np.where(least == most, least, TileKind.PARTIAL)
        return found

    def __str__(self) -> str:
        return " ".join(f"{count}*{''.join(f'{n}{_LETTERS[kind]}' for kind, n in row)}" for count, row in self.runs)


@dataclass(frozen=True)
class MaskStructure:
    """The masks of all scores [batch, heads, queries, keys]; batch and heads can be 1 for all."""

    queries: int
    keys: int
    shape: tuple[int, int]
    """Batch and heads."""
    planes: tuple[Band | TileRows, ...]
    """The mask of each head of each batch, in order."""

    @property
    def band(self) -> Band | None:
        """The ranges of keys that all heads share; None if masks differ or are not ranges."""
        (first, *others) = self.planes
        return first if isinstance(first, Band) and all(plane == first for plane in others) else None

    def kinds(self, height: int = TILE, width: int = TILE) -> Array:
        """Return the kind of each block of this many queries and keys: [batch * heads, rows, columns]."""
        if (height, width) not in self._kinds:
            planes = {plane: plane.kinds(self.queries, self.keys, (height, width)) for plane in set(self.planes)}
            self._kinds[height, width] = np.stack([planes[plane] for plane in self.planes])
        return self._kinds[height, width]

    @cached_property
    def _kinds(self) -> dict[tuple[int, int], Array]:
        """The cached kinds."""
        return {}

    @cached_property
    def share(self) -> float:
        """Share of the tiles that are not empty."""
        found = self.kinds()
        return float((found != TileKind.EMPTY).mean()) if found.size else 1.0

    @cached_property
    def seen(self) -> float:
        """The average number of keys that a query sees; all keys of nonempty tiles if the mask is runs of tiles."""
        return float(np.mean([_seen(plane, self.queries, self.keys) for plane in self.planes]))

    @property
    def documents(self) -> tuple[tuple[int, ...], bool] | None:
        """Starts of documents with the end of the last, and whether they are causal; None for other masks.

        Tokens attend only to their own document, as with `cu_window_seqlens` of the library's op.
        """
        if self.band is None or self.queries != self.keys or any(piece.slope for piece in self.band.first):
            return None
        starts = tuple(piece.offset for piece in self.band.first)
        if starts != tuple(piece.row for piece in self.band.first):
            return None
        ends = (*starts[1:], self.keys)
        if self.band.end == (Piece(0, 1, 1),):
            return (*starts, self.keys), True
        alike = pieces_of(np.repeat(ends, np.diff((*starts, self.keys))))
        return ((*starts, self.keys), False) if self.band.end == alike else None

    def __str__(self) -> str:
        text = " | ".join(map(str, self.planes))
        return text if self.shape == (1, 1) else f"[{self.shape[0]}x{self.shape[1]}] {text}"


@lru_cache(256)
def visible_by_place(queries: int, keys: int, window: int | None, *, is_causal: bool) -> MaskStructure:
    """Return the visible scores for `is_causal` and `sliding_window_size`; without causality the window is centred."""
    beyond = keys + queries if window is None else window // 2
    before, after = (window or keys + queries, 1) if is_causal else (beyond + 1, beyond + 1)
    q = np.arange(queries)
    first, end = np.clip(q - before + 1, 0, keys), np.minimum(q + after, keys)
    return MaskStructure(queries, keys, (1, 1), (Band(pieces_of(first), pieces_of(end)),))


@lru_cache(256)
def parse_structure(text: str, queries: int, keys: int) -> MaskStructure:
    """Parse the text form of a structure; raise `ValueError` if it does not fit the numbers of queries and keys."""
    found = re.fullmatch(r"(?:\[(\d+)x(\d+)\] )?(.*)", text)
    lead, planes = (1, 1), text
    if found is not None and found[1]:
        lead, planes = (int(found[1]), int(found[2])), found[3]
    parsed = tuple(_plane(part.strip(), queries, keys) for part in planes.split("|"))
    if len(parsed) != lead[0] * lead[1]:
        raise ValueError(f"mask structure of {lead[0]}x{lead[1]} masks has {len(parsed)}")
    return MaskStructure(queries, keys, lead, parsed)


def pieces_of(bounds: Array) -> tuple[Piece, ...]:
    """Split a bound for each query into pieces that are constant, or grow by one with each query."""
    steps = np.diff(bounds)
    changes = [*(np.flatnonzero(np.diff(steps)) + 1).tolist(), len(steps)]
    found, at, change = list[Piece](), 0, 0
    while at < len(bounds):
        slope = int(at < len(steps) and steps[at] == 1)
        found.append(Piece(at, slope, int(bounds[at]) - slope * at))
        while changes[change] <= at < len(steps):
            change += 1
        at = changes[change] + 1 if at < len(steps) and steps[at] == slope else at + 1
    return tuple(found)


def _bounds(pieces: tuple[Piece, ...], queries: int) -> Array:
    found, rows = np.empty(queries, np.int64), np.arange(queries)
    for piece, end in zip(pieces, (*(p.row for p in pieces[1:]), queries), strict=True):
        part = slice(piece.row, end)
        found[part] = piece.slope * rows[part] + piece.offset
    return found


def _covered(rows: Array, first: Array, end: Array, shape: tuple[int, int]) -> Array:
    """Count the ranges [first, end) of columns that cover each position."""
    found = np.zeros((shape[0], shape[1] + 1), np.int32)
    np.add.at(found, (rows, first), 1)
    np.add.at(found, (rows, end), -1)
    return found.cumsum(axis=1)[:, :-1]


def _seen(plane: Band | TileRows, queries: int, keys: int) -> float:
    if isinstance(plane, Band):
        first, end = plane.ranges(queries)
        return float(np.maximum(end - first, 0).mean())
    heights, widths = (np.minimum(TILE, n - TILE * np.arange(tiles(n))) for n in (queries, keys))
    return float(heights @ (plane.tiles != TileKind.EMPTY) @ widths) / queries


def _plane(text: str, queries: int, keys: int) -> Band | TileRows:
    if ".." in text:
        first, end = (tuple(_pieces(part, queries)) for part in text.split("..", 1))
        bounds = _bounds(first, queries), _bounds(end, queries)
        if min(b.min() for b in bounds) < 0 or max(b.max() for b in bounds) > keys:
            raise ValueError(f"mask structure {text!r} has keys that are not among {keys}")
        return Band(first, end)
    rows = [
        (int(count), tuple((TileKind(_LETTERS.index(run[-1])), int(run[:-1])) for run in re.findall(r"\d+[epf]", runs)))
        for count, runs in _RUNS.findall(text)
    ]
    widths, height = {sum(n for _, n in row) for _, row in rows}, sum(count for count, _ in rows)
    if _RUNS.sub("", text).strip() or widths != {tiles(keys)} or height != tiles(queries):
        raise ValueError(f"mask structure {text!r} is not one of {tiles(queries)} rows of {tiles(keys)} tiles")
    return TileRows(tuple(rows))


def _pieces(text: str, queries: int) -> Iterator[Piece]:
    before = -1
    for part in text.split(","):
        found = _PIECE.fullmatch(part)
        if found is None:
            raise ValueError(f"mask structure has {part!r}, which is no bound of keys")
        row = int(found[1] or 0)
        if not before < row < queries or (before < 0 and row):
            raise ValueError(f"mask structure has {part!r}: pieces begin with query 0, in order, of {queries}")
        before = row
        yield Piece(row, 1, int(found[3] or 0)) if found[2] else Piece(row, 0, int(found[4]))
