"""The structure of masks whose elements are known before the run, all at once or some rows at a time."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ttstack.dialects.base import definition
from ttstack.dialects.signature import kind_of
from ttstack.dialects.ttir.destination import is_overwritten
from ttstack.dialects.types import read_type
from ttstack.mlir import ir
from ttstack.ops.eltwise import Eltwise
from ttstack.ops.mask_rows import read_structure
from ttstack.ops.mask_structure import MaskStructure
from ttstack.ops.types import TILE
from ttstack.passes.dataflow import Facts
from ttstack.passes.ttir.compile_time import elements, parameters, result_elements
from ttstack.passes.ttir.views import VIEWS
from ttstack.placement.element_values import FAR
from ttstack.program.records import TensorKind

Array = np.ndarray[Any, Any]

_BROADCAST = "ttir.broadcast"

_AT_A_TIME = 2**20
"""Elements of a large mask that are computed at a time."""


@dataclass(frozen=True)
class KnownMasks:
    """Masks by the value and the scores that it is added to, each looked at once."""

    max_elements: int
    """Larger values are computed some rows at a time."""
    given: Mapping[str, Array]
    """Values of parameters by name."""
    names: Sequence[str]
    """Names of the function's arguments."""
    found: dict[tuple[ir.Value, int, int], MaskStructure | None] = field(default_factory=dict[Any, Any])

    def structure(self, mask: ir.Value, queries: int, keys: int) -> MaskStructure | None:
        """The structure of a mask of so many queries and keys; None where its elements are not known."""
        key = mask, queries, keys
        if key not in self.found:
            self.found[key] = self._read(mask, queries, keys)
        return self.found[key]

    def is_learned(self, mask: ir.Value) -> bool:
        """Whether a parameter of real numbers decides the mask."""
        return any(read_type(leaf.type).dtype.is_float for leaf in parameters().about(mask) or ())

    def _elements(self) -> Facts[Array | None]:
        return elements(self.max_elements, self._parameter)

    def _parameter(self, argument: ir.BlockArgument) -> Array | None:
        known = kind_of(argument) is TensorKind.PARAMETER and not is_overwritten(argument)
        return self.given.get(self.names[argument.arg_number]) if known else None

    def _read(self, mask: ir.Value, queries: int, keys: int) -> MaskStructure | None:
        shape = (1, 1, 1, 1, *read_type(mask.type).shape)[-4:]
        if shape[3] != keys or shape[2] not in (1, queries) or not (queries and keys):
            return None
        if int(np.prod(shape)) <= self.max_elements:
            known = self._elements().about(mask)
            whole = None if known is None else np.broadcast_to(known.reshape(shape), (*shape[:2], queries, keys))
            return None if whole is None else read_structure(whole.shape, _parts(whole), FAR)
        parts = self._rows(mask, queries)
        first = next(parts)
        return None if first is None else read_structure(shape, self._given(first, parts), FAR)

    def _given(self, first: Array, rest: Iterator[Array | None]) -> Iterator[Array]:
        yield first
        yield from (part for part in rest if part is not None)

    def _rows(self, mask: ir.Value, queries: int) -> Iterator[Array | None]:
        """The mask's rows in order, so many at a time that a cache holds them, and at least a row of tiles."""
        size = read_type(mask.type).size // queries
        step = max(min(self.max_elements, _AT_A_TIME) // (TILE * max(size, 1)), 1) * TILE
        for start in range(0, queries, step):
            yield _PartOf(slice(start, start + step), queries, self.max_elements, self._elements).about(mask)


def _parts(whole: Array) -> Iterator[Array]:
    """Rows of 32 tiles at a time."""
    for start in range(0, whole.shape[2], TILE * TILE):
        yield whole[:, :, start : start + TILE * TILE]


@dataclass(frozen=True)
class _PartOf:
    """Values that stand in the last two dimensions as the mask does, of which only some rows are computed."""

    rows: slice
    queries: int
    max_elements: int
    elements: Callable[[], Facts[Array | None]]
    """What knows those that are small."""

    def about(self, mask: ir.Value) -> Array | None:
        """The rows of a value [..., queries, keys]; None where they are not known."""
        return Facts(self._is_followed, self._transfer).about(mask)

    def _is_large(self, value: ir.Value) -> bool:
        return read_type(value.type).size > self.max_elements

    def _is_followed(self, op: ir.Operation) -> bool:
        return len(op.results) == 1 and self._is_large(op.results[0]) and _keeps_rows(op)

    def _transfer(self, value: ir.Value, op: ir.Operation | None, operands: Sequence[Array | None]) -> Array | None:
        if op is None:
            known = None if self._is_large(value) else self.elements().about(value)
            return None if known is None else self._cut(known)
        if any(operand is None for operand in operands):
            return None
        (first, *_), shape = operands, read_type(value.type).shape
        if op.name == _BROADCAST or op.name in VIEWS:
            assert first is not None
            height = min(self.rows.stop, self.queries) - self.rows.start if shape[-2] == self.queries else shape[-2]
            return _broadcast(first, shape, height) if op.name == _BROADCAST else first.reshape(*shape[:-2], height, -1)
        return result_elements(op, operands)

    def _cut(self, known: Array) -> Array:
        """The rows of what has as many as there are queries; a single one is that of all."""
        return known[..., self.rows, :] if known.ndim > 1 and known.shape[-2] == self.queries else known


def _broadcast(x: Array, shape: tuple[int, ...], height: int) -> Array:
    return np.broadcast_to(x, (*shape[:-2], height, shape[-1]))


def _keeps_rows(op: ir.Operation) -> bool:
    """Whether each row of the result is made of the same rows of operands, or of single ones."""
    if op.name in VIEWS:
        before, after = (read_type(v.type).shape for v in (op.operands[0], op.results[0]))
        return len(after) > 1 and before[-2:] == after[-2:]
    spec = definition(op)
    return op.name == _BROADCAST or (spec is not None and issubclass(spec, Eltwise))
