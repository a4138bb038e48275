"""The structure of masks whose elements are known before the run."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ttstack.dialects.signature import kind_of
from ttstack.dialects.ttir.destination import is_overwritten
from ttstack.dialects.types import read_type
from ttstack.mlir import ir
from ttstack.ops.mask_rows import MaskRows, read_structure
from ttstack.ops.mask_structure import MaskStructure
from ttstack.passes.dataflow import Facts
from ttstack.passes.ttir.compile_time import elements, parameters
from ttstack.passes.ttir.mask_parts import MaskParts
from ttstack.placement.element_values import FAR
from ttstack.program.records import TensorKind

Array = np.ndarray[Any, Any]

_AT_A_TIME = 2**22
"""Elements of a mask that are computed at a time."""


@dataclass(frozen=True)
class KnownMasks:
    """Masks by the value and the scores that it is added to, each looked at once."""

    max_elements: int
    """Larger values are never there as a whole."""
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
        batch, heads, *last = (1, 1, 1, 1, *read_type(mask.type).shape)[-4:]
        if last not in ([1, keys], [queries, keys]) or not (queries and keys):
            return None
        parts = MaskParts(queries, keys, min(self.max_elements, _AT_A_TIME), self._elements())
        rows = parts.rows(mask, (batch, heads))
        first = next(rows)
        return None if first is None else read_structure((batch, heads, queries, keys), _known(first, rows), FAR)


def _known(first: MaskRows, rest: Iterator[MaskRows | None]) -> Iterator[MaskRows]:
    yield first
    yield from (rows for rows in rest if rows is not None)
