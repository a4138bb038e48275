"""Integers that are gathered from another value and computed on: slots in blocks of a table."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ttstack.dialects.base import definition
from ttstack.dialects.defining_op import defining_op
from ttstack.dialects.types import read_type
from ttstack.mlir import ir
from ttstack.ops.types import DType
from ttstack.passes.dataflow import Facts
from ttstack.passes.ttir.queries.aliases import VIEWS
from ttstack.passes.ttir.queries.compile_time import constant_elements, is_function, result_elements
from ttstack.passes.ttir.queries.movement_chain import PERMUTATIONS
from ttstack.passes.ttir.queries.producers import scalar

Array = np.ndarray[Any, Any]

_MOST_ELEMENTS = 1 << 20
"""Larger values are not analyzed, as their elements are computed one by one."""


@dataclass(frozen=True, eq=False)
class IndexValues:
    """Integers `factor * source[positions] + offsets`, elementwise, with positions in row-major order."""

    source: ir.Value
    positions: Array
    factor: int
    offsets: Array
    wrap: int = 0
    """A number to add to negative entries of the source."""

    def about_same(self, other: "IndexValues") -> bool:
        """Return True if the same entries are gathered and multiplied by the same factor."""
        alike = (self.source, self.factor, self.wrap) == (other.source, other.factor, other.wrap)
        return alike and np.array_equal(self.positions, other.positions)


Fact = IndexValues | Array | None


def make_facts() -> Facts[Fact]:
    """Return facts of integers at compile time: their elements, or the source that they are gathered from."""
    return Facts(_is_followed, _transfer)


def _is_followed(op: ir.Operation) -> bool:
    spec = definition(op)
    return spec is not None and is_function(spec) and len(op.results) == 1 and _is_small(op.results[0])


def _is_small(value: ir.Value) -> bool:
    t = read_type(value.type)
    return isinstance(t.dtype, DType) and not t.dtype.is_float and t.size <= _MOST_ELEMENTS


def _is_wide(value: ir.Value) -> bool:
    """Return True if its integer type can represent any index."""
    return read_type(value.type).dtype.bits >= DType.I32.bits


def _transfer(value: ir.Value, op: ir.Operation | None, operands: Sequence[Fact]) -> Fact:
    if (result := constant_elements(value)) is not None:
        return result if _is_small(value) else None
    arrays = [fact if isinstance(fact, np.ndarray) else None for fact in operands]
    if op is not None:
        elements = result_elements(op, arrays)
        result = elements if elements is not None else _computed(op, operands, arrays)
    return _itself(value) if result is None else result


def _itself(value: ir.Value) -> IndexValues | None:
    """Return the fact of an unknown value: it is its own source."""
    t = read_type(value.type)
    if not _is_small(value) or not _is_wide(value):
        return None
    return IndexValues(value, np.arange(t.size).reshape(t.shape), 1, np.zeros(t.shape, np.int64))


def _computed(op: ir.Operation, operands: Sequence[Fact], arrays: Sequence[Array | None]) -> IndexValues | None:
    gathered = [i for i, fact in enumerate(operands) if isinstance(fact, IndexValues)]
    if op.name == "ttir.where":
        return _wrapped(op, operands)
    if len(gathered) != 1:
        return None
    (position,) = gathered
    fact, others = operands[position], [a for i, a in enumerate(arrays) if i != position]
    assert isinstance(fact, IndexValues)
    if op.name in _MOVED:
        return _moved(op, fact, position, arrays)
    if op.name == "ttir.typecast":
        return fact if _is_wide(op.results[0]) else None
    (other,) = others if len(others) == 1 else (None,)
    return None if other is None else _calculated(op.name, fact, position, other.astype(np.int64))


def _moved(op: ir.Operation, fact: IndexValues, position: int, arrays: Sequence[Array | None]) -> IndexValues | None:
    """Return the fact after the same move of positions and offsets."""
    positions, offsets = (
        result_elements(op, [moved if i == position else a for i, a in enumerate(arrays)])
        for moved in (fact.positions, fact.offsets)
    )
    return None if positions is None or offsets is None else replace(fact, positions=positions, offsets=offsets)


def _calculated(name: str, fact: IndexValues, position: int, other: Array) -> IndexValues | None:
    """Return the fact after adding, subtracting or multiplying constant integers."""
    if name == "ttir.add" or (name == "ttir.subtract" and position == 0):
        offsets = fact.offsets + (other if name == "ttir.add" else -other)
        return replace(fact, positions=np.broadcast_to(fact.positions, offsets.shape), offsets=offsets)
    if name == "ttir.multiply" and other.size and (other == other.flat[0]).all() and other.flat[0] > 0:
        number, shape = int(other.flat[0]), np.broadcast_shapes(fact.positions.shape, other.shape)
        positions, offsets = (np.broadcast_to(a, shape) for a in (fact.positions, fact.offsets * number))
        return replace(fact, positions=positions, factor=fact.factor * number, offsets=offsets)
    return None


def _wrapped(op: ir.Operation, operands: Sequence[Fact]) -> IndexValues | None:
    """Return the fact of indices with negative ones counted from the end, as in PyTorch."""
    _, moved, plain = operands
    negative = defining_op(op.operands[0], "ttir.lt")
    if (
        not isinstance(moved, IndexValues)
        or not isinstance(plain, IndexValues)
        or not plain.about_same(moved)
        or negative is None
    ):
        return None
    if negative.operands[0] != op.operands[2] or scalar(negative.operands[1]) != 0:
        return None
    count = moved.offsets - plain.offsets
    within = plain.offsets.size and plain.offsets.min() >= 0 and plain.offsets.max() < plain.factor
    if not within or (count != count.flat[0]).any() or count.flat[0] % plain.factor:
        return None
    wrap = int(count.flat[0]) // plain.factor
    return replace(plain, wrap=wrap) if plain.wrap in (0, wrap) else None


_MOVED = frozenset(
    {*VIEWS, *PERMUTATIONS, "ttir.broadcast", "ttir.slice_static", "ttir.gather", "ttir.embedding", "ttir.repeat"}
)
