"""Corresponding time steps of two computations: at the same position, or counted from the end."""

from ttstack.dialects.base import definition_of
from ttstack.mlir import ir
from ttstack.ops.indexing import SliceStatic

Sense = int | None
"""The dimension along which the second computation runs in reverse; None if both have one direction."""


def is_step(op: ir.Operation) -> bool:
    """Return True for a slice along a dimension other than the last."""
    cut = definition_of(op) if op.name == "ttir.slice_static" else None
    return isinstance(cut, SliceStatic) and cut.input.shape[:-1] != cut.results[0].shape[:-1]


def senses(a: ir.Operation, b: ir.Operation) -> set[Sense]:
    """Return the directions in which two slices of one tensor can be the same time step."""
    one, other = definition_of(a), definition_of(b)
    assert isinstance(one, SliceStatic)
    assert isinstance(other, SliceStatic)
    if one.input != other.input or one.results != other.results:
        return set()
    apart = [d for d, (begin, to) in enumerate(zip(one.begins, other.begins, strict=True)) if begin != to]
    extents = [*zip(one.input.shape, one.results[0].shape, strict=True)][:-1]
    directions: set[Sense] = set() if apart else {None}
    for d, (extent, count) in enumerate(extents):
        if count == 1 < extent and set(apart) <= {d} and other.begins[d] == extent - 1 - one.begins[d]:
            directions.add(d)
    return directions
