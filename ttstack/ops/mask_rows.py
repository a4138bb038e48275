"""From the elements of a mask, some rows at a time, to its structure."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from ttstack.ops.mask_structure import Band, MaskStructure, TileKind, TileRows, pieces_of
from ttstack.ops.types import TILE, tiles

Array = np.ndarray[Any, Any]


class MaskRows(NamedTuple):
    """Some rows of masks [batch, heads, queries, keys], whole tiles of them but for the last ones."""

    elements: Array
    """[batch, heads, rows, columns], bool, true where a key is seen, or what is added to scores."""
    columns: Array
    """The first of the keys that each column stands for, up to the next; those that tiles begin with among them."""


@dataclass
class _Plane:
    """What is known of the rows of one mask [queries, keys] so far."""

    keys: int
    first: list[Array] = field(default_factory=list[Array])
    end: list[Array] = field(default_factory=list[Array])
    kinds: list[Array] = field(default_factory=list[Array])
    is_band: bool = True
    """Whether each query sees a range of keys, to whose scores nothing is added."""

    def add(self, seen: Array, plain: Array, columns: Array) -> None:
        """Rows of which it is known which keys are seen, and to which scores nothing is added."""
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
        """Ranges of keys, where they take no more pieces than there are rows of tiles."""
        kinds = np.concatenate(self.kinds)
        if self.is_band:
            band = Band(pieces_of(np.concatenate(self.first)), pieces_of(np.concatenate(self.end)))
            if len(band.first) + len(band.end) <= 2 * len(kinds):
                return band
        return TileRows.of(kinds)


def read_structure(shape: tuple[int, ...], parts: Iterable[MaskRows], far: float) -> MaskStructure:
    """The structure of a mask [batch, heads, queries, keys] of that shape, of which all rows are given in order.

    Args:
        shape: Batch and heads can be 1.
        parts: The mask's rows.
        far: A key is hidden where this much less is added than to the greatest of its row, or nothing but -inf.
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
    """One of each tile, whose rows and columns begin at `starts`."""
    return together.reduceat(together.reduceat(elements, starts[0], axis=0), starts[1], axis=1)
