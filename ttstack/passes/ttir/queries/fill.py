"""Padding of tensors along a dimension, and the inverse slice."""

from collections.abc import Sequence

from ttstack.dialects.ttir.builders import ttir
from ttstack.dialects.types import read_type
from ttstack.mlir import ir


def fill(value: ir.Value, dim: int, extent: int, number: float = 0.0) -> ir.Value:
    """Pad the end of a dimension with a number to an extent, unless it has that extent."""
    shape = read_type(value.type).shape
    if shape[dim] == extent:
        return value
    padding = [0] * (2 * len(shape))
    padding[2 * dim + 1] = extent - shape[dim]
    return ttir.pad(value, padding=tuple(padding), value=number)


def cut_to(value: ir.Value, shape: Sequence[int]) -> ir.Value:
    """Slice the first elements of each dimension; return `value` itself if it has that shape."""
    if read_type(value.type).shape == tuple(shape):
        return value
    zeros, ones = (0,) * len(shape), (1,) * len(shape)
    return ttir.slice_static(value, begins=zeros, ends=tuple(shape), step=ones)
