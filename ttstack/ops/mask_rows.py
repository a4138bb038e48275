"""From the elements of a mask, some rows at a time, to its structure."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ttstack.ops.mask_structure import Band, MaskStructure, TileKind, TileRows, pieces_of
from ttstack.ops.types import TILE, tiles

Array = np.ndarray[Any, Any]


@dataclass
class _Rows:
    """What is known of the rows of one mask [queries, keys] so far."""

    keys: int
    first: list[Array] = field(default_factory=list[Array])
    end: list[Array] = field(default_factory=list[Array])
    kinds: list[Array] = field(default_factory=list[Array])
    is_band: bool = True
    """Whether each query sees a range of keys, to whose scores nothing is added."""

    def add(self, seen: Array, plain: Array) -> None:
        """Rows of whole tiles, but for the last: which keys are seen, and to which scores nothing is added."""
        counts, first = seen.sum(axis=1), seen.argmax(axis=1)
        end = np.where(counts, self.keys - seen[:, ::-1].argmax(axis=1), 0)
        self.is_band = self.is_band and bool((counts == end - first).all()) and bool((plain | ~seen).all())
        self.first.append(first)
        self.end.append(end)
        some, whole = (_blocks(x, f) for x, f in ((seen, np.logical_or), (plain, np.logical_and)))
        self.kinds.append(np.where(whole, TileKind.FULL, np.where(some, TileKind.PARTIAL, TileKind.EMPTY)))

    def plane(self) -> Band | TileRows:
        """Ranges of keys, where they take no more pieces than there are rows of tiles."""
        kinds = np.concatenate(self.kinds)
        if self.is_band:
            band = Band(pieces_of(np.concatenate(self.first)), pieces_of(np.concatenate(self.end)))
            if len(band.first) + len(band.end) <= 2 * len(kinds):
                return band
        return TileRows.of(kinds)


def read_structure(shape: tuple[int, ...], parts: Iterable[Array], far: float) -> MaskStructure:
    """The structure of a mask [batch, heads, queries, keys] of that shape.

    Args:
        shape: Batch and heads can be 1.
        parts: The mask's rows in order, as many at a time as make whole tiles but for the last: bool, true where a
            key is seen, or what is added to scores.
        far: A key is hidden where this much less is added than to the greatest of its row, or nothing but -inf.
    """
    batch, heads, queries, keys = shape
    planes = [_Rows(keys) for _ in range(batch * heads)]
    for part in parts:
        for rows, elements in zip(planes, part.reshape(-1, *part.shape[-2:]), strict=True):
            if elements.dtype == bool:
                rows.add(elements, elements)
            else:
                top = elements.max(axis=1, keepdims=True)
                level = np.where(np.isfinite(top), top, 0)
                low = elements if not level.any() else elements - level
                rows.add(~(low <= -far), elements == 0)
    return MaskStructure(queries, keys, (batch, heads), tuple(rows.plane() for rows in planes))


def _blocks(elements: Array, together: np.ufunc) -> Array:
    """One of each tile of rows and columns."""
    rows, columns = elements.shape
    by_rows = together.reduceat(elements, TILE * np.arange(tiles(rows)), axis=0)
    return together.reduceat(by_rows, TILE * np.arange(tiles(columns)), axis=1)
