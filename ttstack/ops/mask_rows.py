"""Derives the structure of a mask from its elements, several rows at a time."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from ttstack.ops.mask_structure import Band, MaskStructure, TileKind, TileRows, pieces_of
from ttstack.ops.types import TILE, tiles

Array = np.ndarray[Any, Any]


class MaskRows(NamedTuple):
    """Rows of masks [batch, heads, queries, keys], in whole tiles except for the last ones."""

    elements: Array
    """[batch, heads, rows, columns]: bool (true: visible), or numbers that are added to scores."""
    columns: Array
    """The first key of each column, which stands for the keys up to the next; tile boundaries are among them."""


@dataclass
class _Plane:
    """The structure of the rows of one mask [queries, keys] that were read so far."""

    keys: int
    first: list[Array] = field(default_factory=list[Array])
    end: list[Array] = field(default_factory=list[Array])
    kinds: list[Array] = field(default_factory=list[Array])
    is_band: bool = True
    """Whether each query attends to a range of keys with nothing added to their scores."""

    def add(self, seen: Array, plain: Array, columns: Array) -> None:
        """Add rows, given which keys are visible and which scores have nothing added."""
        ends = np.append(columns[1:], self.keys)
        first = np.where(seen.any(axis=1), columns[seen.argmax(axis=1)], 0)
        end = np.where(seen.any(axis=1), ends[::-1][seen[:, ::-1].argmax(axis=1)], 0)
        counts = seen @ (ends - columns)
        self.is_band = self.is_band and bool((counts == end - first).all()) and bool((plain | ~seen).all())
        self.first.append(first)
        self.end.append(end)
        starts = TILE * np.arange(tiles(len(seen))), np.flatnonzero(columns % TILE == 0)
        some, whole = (_blocks(x, f, starts) for x, f in ((seen, np.logical_or), (plain, np.logical_and)))
        self.kinds.append(np.where(whole, TileKind.FULL, np.where(some, TileKind.PARTIAL, TileKind.EMPTY)))

    def structure(self) -> Band | TileRows:
        """Return ranges of keys if they need at most as many pieces as rows of tiles; otherwise runs of tiles."""
        kinds = np.concatenate(self.kinds)
        if self.is_band:
            band = Band(pieces_of(np.concatenate(self.first)), pieces_of(np.concatenate(self.end)))
            if len(band.first) + len(band.end) <= 2 * len(kinds):
                return band
        return TileRows.of(kinds)


def read_structure(shape: tuple[int, ...], parts: Iterable[MaskRows], far: float) -> MaskStructure:
    """Derive the structure of a mask [batch, heads, queries, keys] from all its rows, in order.

    Args:
        shape: Batch and heads can be 1.
        parts: The mask's rows.
        far: A key is hidden if its added value is this much below the row's largest, or if the row has only -inf.
    """
    batch, heads, queries, keys = shape
    planes = [_Plane(keys) for _ in range(batch * heads)]
    for part in parts:
        for plane, elements in zip(planes, part.elements.reshape(-1, *part.elements.shape[2:]), strict=True):
            if elements.dtype == bool:
                plane.add(elements, elements, part.columns)
            else:
                added = elements.astype(np.promote_types(elements.dtype, np.float32), copy=False)
                top = added.max(axis=1, keepdims=True)
                level = np.where(np.isfinite(top), top, 0)
                low = added if not level.any() else added - level
                plane.add(~(low <= -far), added == 0, part.columns)
    return MaskStructure(queries, keys, (batch, heads), tuple(plane.structure() for plane in planes))


def _blocks(elements: Array, together: np.ufunc, starts: tuple[Array, Array]) -> Array:
    """Reduce each tile to one element; rows and columns of tiles begin at `starts`."""
    return together.reduceat(together.reduceat(elements, starts[0], axis=0), starts[1], axis=1)
