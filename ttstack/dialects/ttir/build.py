"""Ops that are left out where they would change nothing."""

from collections.abc import Sequence

from ttstack.dialects.ttir.builders import ttir
from ttstack.dialects.types import read_type
from ttstack.mlir import ir
from ttstack.ops.indexing import SliceStatic


def reshape_to(value: ir.Value, shape: Sequence[int]) -> ir.Value:
    """`value` in another shape; itself where it has that shape."""
    if read_type(value.type).shape == tuple(shape):
        return value
    return ttir.reshape(value, shape=tuple(shape))


def permute_dims(value: ir.Value, order: Sequence[int]) -> ir.Value:
    """`value` with its dimensions in another order; itself where that is theirs."""
    if list(order) == list(range(len(order))):
        return value
    return ttir.permute(value, permutation=tuple(order))


def slice_as(value: ir.Value, cut: SliceStatic) -> ir.Value:
    """The part of `value` that a slice of a tensor of its type takes; itself where that is all of it."""
    assert read_type(value.type) == cut.input
    if cut.results[0] == cut.input:
        return value
    return ttir.slice_static(value, begins=cut.begins, ends=cut.ends, step=cut.step)
