"""Values without repeated slices: one slice for each dimension along which all are equal."""

from collections.abc import Sequence

import numpy as np

from ttstack.dialects.base import create, definition, definition_of
from ttstack.dialects.built_ops import insert_before
from ttstack.dialects.defining_op import defining_op
from ttstack.dialects.ttir.build import constant, permute_dims, reshape_to, splat
from ttstack.dialects.ttir.builders import ttir
from ttstack.dialects.ttir.destination import is_overwritten
from ttstack.dialects.types import read_type
from ttstack.mlir import ir
from ttstack.ops.creation import Arange, Full
from ttstack.ops.eltwise import Eltwise
from ttstack.ops.indexing import SliceStatic
from ttstack.ops.shape import Broadcast, Permute, Reshape, Squeeze, Unsqueeze
from ttstack.ops.shapes import axis
from ttstack.passes.dataflow import Facts
from ttstack.passes.ttir.queries.compile_time import constant_elements

_MOST_ELEMENTS = 1 << 20
"""Larger constants are assumed to have no repeated slices."""

_FOLLOWED = (Full, Arange, Eltwise, Broadcast, Permute, SliceStatic, Reshape, Squeeze, Unsqueeze)

Shape = tuple[int, ...]


def distinct_shape(value: ir.Value) -> Shape:
    """Return the shape of a value with extent 1 along dimensions that repeat one slice, as broadcasts do."""
    return Facts(_is_followed, _infer).about(value)


class DistinctSlices:
    """Builds values of `distinct_shape` once each, next to the op whose result repeats them."""

    def __init__(self) -> None:
        self._shapes = Facts(_is_followed, _infer)
        self._slices = Facts(_is_followed, self._build)

    def shape(self, value: ir.Value) -> Shape:
        """Return `distinct_shape`."""
        return self._shapes.about(value)

    def of(self, value: ir.Value) -> ir.Value:
        """Build one slice along each dimension that repeats it; return the value itself if none does."""
        return self._slices.about(value)

    def _build(self, value: ir.Value, op: ir.Operation | None, operands: Sequence[ir.Value]) -> ir.Value:
        shape, maker = self.shape(value), defining_op(value)
        if maker is None or shape == read_type(value.type).shape:
            return value
        with insert_before(maker):
            return _build(value, op, operands, shape)


def _is_followed(op: ir.Operation) -> bool:
    spec, results = definition(op), op.results
    is_one = len(results) == 1 and read_type(results[0].type).size > 0 and not is_overwritten(results[0])
    return is_one and spec is not None and issubclass(spec, _FOLLOWED)


def _infer(value: ir.Value, op: ir.Operation | None, operands: Sequence[Shape]) -> Shape:
    shape = read_type(value.type).shape
    described = None if op is None else definition_of(op)
    match described:
        case None:
            distinct = _of_constant(value, shape)
        case Full():
            distinct = (1,) * len(shape)
        case Arange():
            dim = axis(described.arange_dimension, len(shape))
            distinct = tuple(extent if d == dim else 1 for d, extent in enumerate(shape))
        case Eltwise():
            distinct = np.broadcast_shapes(*operands)
        case Broadcast():
            distinct = operands[0]
        case Permute():
            distinct = tuple(operands[0][d] for d in described.permutation)
        case SliceStatic():
            distinct = tuple(min(pair) for pair in zip(operands[0], shape, strict=True))
        case _:
            distinct = _reshaped(described.operands[0].shape, operands[0], shape)
    return distinct


def _of_constant(value: ir.Value, shape: Shape) -> Shape:
    elements = constant_elements(value)
    if elements is None or not 0 < elements.size <= _MOST_ELEMENTS:
        return shape
    alike = [(elements == elements.take([0], axis=d)).all() for d in range(elements.ndim)]
    return tuple(1 if same else extent for same, extent in zip(alike, shape, strict=True))


def _reshaped(source: Shape, distinct: Shape, target: Shape) -> Shape:
    """Return the distinct shape after unit dimensions are added or removed; `target` for other reshapes."""
    kept = [d for d, extent in enumerate(source) if extent != 1]
    if [source[d] for d in kept] != [extent for extent in target if extent != 1]:
        return target
    extents = iter([distinct[d] for d in kept])
    return tuple(1 if extent == 1 else next(extents) for extent in target)


def _build(value: ir.Value, op: ir.Operation | None, operands: Sequence[ir.Value], shape: Shape) -> ir.Value:
    t = read_type(value.type).with_shape(shape)
    described = None if op is None else definition_of(op)
    match described:
        case None:
            elements = constant_elements(value)
            assert elements is not None
            slices = constant(elements[tuple(slice(extent) for extent in shape)], t)
        case Full():
            slices = splat(described.fill_value, t)
        case Eltwise() | Arange():
            slices = create("ttir", described.mnemonic, operands, described.attributes(), results=[t]).results[0]
        case Broadcast():
            slices = operands[0]
        case Permute():
            slices = permute_dims(operands[0], described.permutation)
        case SliceStatic():
            slices = _slice(operands[0], described)
        case _:
            slices = reshape_to(operands[0], shape)
    return slices


def _slice(x: ir.Value, cut: SliceStatic) -> ir.Value:
    """Slice `x` along the dimensions that it does not repeat."""
    bounds = zip(read_type(x.type).shape, cut.begins, cut.ends, cut.step, strict=True)
    begins, ends, steps = zip(*[(0, 1, 1) if n == 1 else bound for n, *bound in bounds], strict=True)
    return ttir.slice_static(x, begins=begins, ends=ends, step=steps)
