"""The structure of masks whose elements are compile-time constants."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import Any, NamedTuple

import ml_dtypes
import numpy as np

from ttstack.dialects.base import definition, definition_of
from ttstack.dialects.ttir.destination import is_overwritten
from ttstack.dialects.types import read_type
from ttstack.mlir import ir
from ttstack.ops.mask_rows import MaskRows, read_structure
from ttstack.ops.mask_structure import MaskStructure
from ttstack.ops.types import DType
from ttstack.passes.dataflow import Facts
from ttstack.passes.ttir.facts.alibi_slopes import AlibiSlopes, NoSlopesError
from ttstack.passes.ttir.facts.mask_elements import MaskElements
from ttstack.passes.ttir.queries.compile_time import elements, is_constant, is_function, parameters
from ttstack.passes.weights import Weights
from ttstack.placement.element_values import FAR

Array = np.ndarray[Any, Any]

_AT_A_TIME = 2**22
"""Number of mask elements that are computed at once."""


class LinearMask(NamedTuple):
    """A mask that adds a slope times the key's position to visible scores."""

    slopes: Array
    """[batch, heads]."""
    seen: MaskStructure


def _first_of_equals() -> Facts[ir.Value]:
    """Return facts that map values to the first equal value, computed by equal ops: each layer builds its own mask."""
    met = dict[tuple[object, ...], ir.Value]()

    def follows(op: ir.Operation) -> bool:
        spec = definition(op)
        return spec is not None and is_function(spec) and not any(map(is_overwritten, op.results))

    def transfer(value: ir.Value, op: ir.Operation | None, operands: Sequence[ir.Value]) -> ir.Value:
        if op is None:
            return value
        described = op.attributes["value"] if op.name == "ttir.constant" else definition_of(op)
        return met.setdefault((described, value.type, ir.OpResult(value).result_number, *operands), value)

    return Facts(follows, transfer)


@dataclass(frozen=True)
class ConstantMasks:
    """The masks of a function, analyzed once for each value and score shape."""

    max_elements: int
    """Maximum number of elements that are computed at once."""
    weights: Weights
    """Values of parameters by name."""
    names: Sequence[str]
    """Names of the function's arguments."""
    structures: dict[tuple[ir.Value, int, int], MaskStructure | None] = field(default_factory=dict[Any, Any])
    linear: dict[tuple[ir.Value, int, int], LinearMask | None] = field(default_factory=dict[Any, Any])
    equal: Facts[ir.Value] = field(default_factory=_first_of_equals)

    def linear_bias(self, mask: ir.Value, queries: int, keys: int) -> LinearMask | None:
        """Return slopes and hidden keys, if a mask of this many queries and keys consists of them."""
        key = self.equal.about(mask), queries, keys
        if key not in self.linear:
            self.linear[key] = self._read_linear(mask, queries, keys)
        return self.linear[key]

    def structure(self, mask: ir.Value, queries: int, keys: int) -> MaskStructure | None:
        """Return the structure of a mask of this many queries and keys; None if its elements are not constant."""
        key = self.equal.about(mask), queries, keys
        if key not in self.structures:
            self.structures[key] = self._read(mask, queries, keys)
        return self.structures[key]

    def is_learned(self, mask: ir.Value) -> bool:
        """Return True if the mask depends on a floating-point parameter."""
        return any(read_type(leaf.type).dtype.is_float for leaf in parameters().about(mask) or ())

    def fix(self, mask: ir.Value) -> frozenset[ir.BlockArgument]:
        """Record that the program depends on a mask's values; return the parameters that it is computed from."""
        leaves = parameters().about(mask) or frozenset()
        self.weights.fix(sorted(self.names[leaf.arg_number] for leaf in leaves))
        return leaves

    def _elements(self) -> Facts[Array | None]:
        return elements(self.max_elements, self._parameter)

    def _parameter(self, argument: ir.BlockArgument) -> Array | None:
        return self.weights.arrays.get(self.names[argument.arg_number]) if is_constant(argument) else None

    def _read(self, mask: ir.Value, queries: int, keys: int) -> MaskStructure | None:
        shape, rows = _shape(mask, queries, keys), self._rows(mask, queries, keys)
        return None if rows is None else read_structure(shape, rows, FAR)

    def _read_linear(self, mask: ir.Value, queries: int, keys: int) -> LinearMask | None:
        t, rows = read_type(mask.type), self._rows(mask, queries, keys)
        if rows is None or not isinstance(t.dtype, DType) or not t.dtype.is_float:
            return None
        first = next(rows)
        rule = AlibiSlopes.of(first, keys, float(ml_dtypes.finfo(t.dtype.numpy).eps))
        if rule is None:
            return None
        try:
            seen = read_structure(_shape(mask, queries, keys), rule.visible_keys(chain([first], rows)), FAR)
        except NoSlopesError:
            return None
        return LinearMask(rule.slopes, seen)

    def _rows(self, mask: ir.Value, queries: int, keys: int) -> Iterator[MaskRows] | None:
        """Return all rows, in slices; None if their elements are not constant."""
        *lead, rows, columns = _shape(mask, queries, keys)
        last = (1, 1, *read_type(mask.type).shape)[-2:]
        if last not in ((1, keys), (queries, keys)) or not (queries and keys):
            return None
        parts = MaskElements(rows, columns, min(self.max_elements, _AT_A_TIME), self._elements())
        chunks = parts.rows(mask, (lead[0], lead[1]))
        first = next(chunks)
        return None if first is None else chain([first], (part for part in chunks if part is not None))


def _shape(mask: ir.Value, queries: int, keys: int) -> tuple[int, int, int, int]:
    batch, heads = (1, 1, 1, 1, *read_type(mask.type).shape)[-4:-2]
    return batch, heads, queries, keys
