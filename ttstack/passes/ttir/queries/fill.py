"""Tensors filled up along a dimension, and cut again."""

from collections.abc import Sequence

from ttstack.dialects.ttir.builders import ttir
from ttstack.dialects.types import read_type
from ttstack.mlir import ir


def fill(value: ir.Value, dim: int, extent: int, number: float = 0.0) -> ir.Value:
    """`value` with so much of a number at the end of a dimension that it has that extent; itself where it has it."""
    shape = read_type(value.type).shape
    if shape[dim] == extent:
        return value
    padding = [0] * (2 * len(shape))
    padding[2 * dim + 1] = extent - shape[dim]
    return ttir.pad(value, padding=tuple(padding), value=number)


def cut_to(value: ir.Value, shape: Sequence[int]) -> ir.Value:
    """The first elements of each dimension; `value` itself where that is all of it."""
    if read_type(value.type).shape == tuple(shape):
        return value
    zeros, ones = (0,) * len(shape), (1,) * len(shape)
    return ttir.slice_static(value, begins=zeros, ends=tuple(shape), step=ones)
