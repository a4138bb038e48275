"""The elements of a large mask, computed in slices of rows and only for distinct columns."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np

from ttstack.dialects.base import definition
from ttstack.dialects.types import read_type
from ttstack.mlir import ir
from ttstack.ops.eltwise import Eltwise
from ttstack.ops.mask_rows import MaskRows
from ttstack.ops.types import TILE
from ttstack.passes.dataflow import Facts
from ttstack.passes.ttir.facts.mask_bounds import Bounds, bounds_after, bounds_of, order_of_leading_dims
from ttstack.passes.ttir.queries.aliases import VIEWS
from ttstack.passes.ttir.queries.compile_time import result_elements

Array = np.ndarray[Any, Any]

_BROADCAST = "ttir.broadcast"

_TILE_ROWS = 8
"""Number of rows of tiles per slice; smaller slices have more constant blocks."""

_WHOLE = 2**20
"""Values with fewer elements are computed at once."""


@dataclass(frozen=True)
class MaskElements:
    """The elements of masks of this many queries and keys, in the last two dimensions of all intermediate values."""

    queries: int
    keys: int
    most_elements: int
    """Maximum number of elements computed at once; larger values are computed in slices if ops are elementwise."""
    elements: Facts[Array | None]
    """The elements of values outside of the masks."""

    def rows(self, mask: ir.Value, lead: tuple[int, int]) -> Iterator[MaskRows | None]:
        """Yield the rows of a mask [batch, heads, queries, keys] in order; None for rows that are not constant."""
        most = self.most_elements // max(TILE * prod(lead) * self.keys, 1)
        step = TILE * max(min(most, _TILE_ROWS), 1)
        starts, tiles = np.arange(0, self.queries, step), np.arange(0, self.keys, TILE)
        constant = self._constant(mask, starts, tiles)
        for start, of_tiles in zip(starts.tolist(), constant, strict=True):
            kept = np.repeat(~of_tiles, TILE)[: self.keys]
            kept[tiles] = True
            cut = np.arange(start, min(start + step, self.queries)), np.flatnonzero(kept)
            elements = self._computed(cut).about(mask)
            yield None if elements is None else MaskRows(np.broadcast_to(elements, (*lead, *map(len, cut))), cut[1])

    def _constant(self, mask: ir.Value, *starts: Array) -> Array:
        """Return the blocks of rows and tiles of keys that bounds show to be constant: [rows, tiles]."""
        blocks = tuple(map(len, starts))
        if not self._is_large(mask):
            return np.zeros(blocks, bool)

        def transfer(value: ir.Value, op: ir.Operation | None, operands: Sequence[Bounds | None]) -> Bounds | None:
            if op is not None:
                return bounds_after(op, operands)
            values = self.elements.about(value)
            return None if values is None else bounds_of(values, self._indices(values.shape, starts))

        bounds = Facts(self._is_followed, transfer).about(mask)
        constant = np.zeros(blocks, bool) if bounds is None else bounds.constant
        return np.broadcast_to(constant.all(axis=tuple(range(constant.ndim - 2))), blocks)

    def _computed(self, cut: tuple[Array, Array]) -> Facts[Array | None]:
        """Return facts that compute values at some queries and keys."""

        def transfer(value: ir.Value, op: ir.Operation | None, operands: Sequence[Array | None]) -> Array | None:
            if op is None:
                values = self.elements.about(value)
                return None if values is None else _gather(values, self._indices(values.shape, cut))
            if any(operand is None for operand in operands):
                return None
            (first, *_), shape = operands, read_type(value.type).shape
            if first is not None and (order := order_of_leading_dims(op)):
                return first.transpose(order)
            if first is None or (op.name != _BROADCAST and op.name not in VIEWS):
                return result_elements(op, operands)
            if op.name in VIEWS:
                return first.reshape(*shape[:-2], *first.shape[-2:])
            last = (
                n if indices is None else len(indices)
                for n, indices in zip(shape[-2:], self._indices(shape, cut), strict=True)
            )
            return np.broadcast_to(first, (*shape[:-2], *last))

        return Facts(self._is_followed, transfer)

    def _indices(self, shape: tuple[int, ...], cut: Sequence[Array]) -> tuple[Array | None, ...]:
        """Return the indices of `cut` for each of the last two dimensions; None for one of neither queries nor keys."""
        extents = (1, 1, *shape)[-2:]
        return tuple(
            indices if n == whole else None
            for n, whole, indices in zip(extents, (self.queries, self.keys), cut, strict=True)
        )

    def _is_large(self, value: ir.Value) -> bool:
        return read_type(value.type).size > min(self.most_elements, _WHOLE)

    def _is_followed(self, op: ir.Operation) -> bool:
        return len(op.results) == 1 and self._is_large(op.results[0]) and _keeps_positions(op)


def _gather(elements: Array, indices: Sequence[Array | None]) -> Array:
    for axis, index in zip((-2, -1), indices, strict=True):
        elements = elements if index is None else elements.take(index, axis)
    return elements


def _keeps_positions(op: ir.Operation) -> bool:
    """Return True if a result element depends only on elements at its query and key, or common to all of them."""
    if op.name in VIEWS:
        before, after = (read_type(v.type).shape for v in (op.operands[0], op.results[0]))
        return len(after) > 1 and before[-2:] == after[-2:]
    spec = definition(op)
    return (
        op.name == _BROADCAST
        or order_of_leading_dims(op) is not None
        or (spec is not None and issubclass(spec, Eltwise))
    )
