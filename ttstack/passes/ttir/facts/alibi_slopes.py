"""ALiBi slopes of a mask: linear in the key's position for all visible keys."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from ttstack.ops.mask_rows import MaskRows
from ttstack.placement.element_values import FAR

Array = np.ndarray[Any, Any]


_APART = 2.0**-12
"""Maximum change of a key's weight, relative to the largest of its row."""


class NoSlopesError(Exception):
    """Some elements are neither linear in the position nor hidden."""


@dataclass(frozen=True)
class AlibiSlopes:
    """A bias of visible keys: a slope times the key's position, plus any constant of the row."""

    slopes: Array
    """[batch, heads]."""
    keys: int
    precision: float
    """The relative distance of consecutive numbers in the mask's format."""

    @staticmethod
    def of(part: MaskRows, keys: int, precision: float) -> "AlibiSlopes | None":
        """Fit by least squares to the row with most visible keys; None if nothing is added there."""
        if part.elements.dtype == bool:
            return None
        added, (shown, _) = part.elements, _shown(part.elements)
        row = int(shown.sum(axis=(0, 1, 3)).argmax())
        weight, value = shown[:, :, row].astype(np.float64), np.where(shown, added, 0)[:, :, row].astype(np.float64)
        count = np.maximum(weight.sum(axis=-1, keepdims=True), 1)
        away = (part.columns - (weight * part.columns).sum(axis=-1, keepdims=True) / count) * weight
        spread = (away * away).sum(axis=-1)
        slopes = (away * value).sum(axis=-1) / np.where(spread == 0, 1, spread)
        return AlibiSlopes(slopes, keys, precision) if slopes.any() else None

    def visible_keys(self, parts: Iterable[MaskRows]) -> Iterator[MaskRows]:
        """List the visible keys, those on the line of their row; raise `NoSlopesError` if others are not hidden."""
        for part in parts:
            on_line, (shown, finite) = self._on_line(part), _shown(part.elements)
            on_line &= finite & (np.diff(part.columns, append=self.keys) == 1)
            low = part.elements.max(axis=-1) <= -FAR  # all alike, where they are finite
            if (shown & ~on_line).any() or (low & finite.any(axis=-1)).any():
                raise NoSlopesError
            yield MaskRows(on_line, part.columns)

    def _on_line(self, part: MaskRows) -> Array:
        """Return True for elements on the line through the greatest of their row, except for rounding.

        The rounding must not count for the key's weight, which is an exponential of the element.
        """
        added = part.elements.astype(np.promote_types(part.elements.dtype, np.float32), copy=False)
        positions, first = part.columns.astype(added.dtype), added.argmax(axis=-1)[..., None]
        top = np.take_along_axis(added, first, axis=-1)
        slopes = self.slopes[..., None, None].astype(added.dtype)
        with np.errstate(invalid="ignore", over="ignore"):
            away = abs(added - (top + slopes * (positions - positions[first])))
            close = away <= self.precision * (abs(added) + abs(top))
            if (far := close & (away > _APART)).any():
                close &= ~far | (away * np.exp(added - top) <= _APART)
            return close


def _shown(added: Array) -> tuple[Array, Array]:
    """Return the elements that do not hide their key, by distance to the maximum of their row, and the finite ones."""
    top, finite = added.max(axis=-1, keepdims=True), np.isfinite(added)
    with np.errstate(invalid="ignore", over="ignore"):
        return ~(np.isneginf(added) | (added - top <= -FAR)), finite
