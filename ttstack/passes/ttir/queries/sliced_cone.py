"""Slices of an op's result computed from slices of its operands."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ttstack.ops.base import Op
from ttstack.ops.indexing import SliceStatic
from ttstack.ops.movement import Permutation
from ttstack.ops.reduction import Reduction
from ttstack.ops.shape import Reshape
from ttstack.ops.types import TensorType
from ttstack.passes.ttir.queries.row_wise_ops import RowWiseOp

Bounds = tuple[int, int, int]
"""Start, length and step of a slice of a dimension."""


@dataclass(frozen=True)
class SlicedCone:
    """The op that computes the slice, and the slice of each operand; None for a full operand."""

    op: Op
    cuts: tuple[SliceStatic | None, ...]

    @staticmethod
    def of(op: Op, cut: SliceStatic) -> "SlicedCone | None":
        """Return the slice `cut` of the op's result; None if it cannot be computed from slices of operands."""
        if len(op.results) != 1 or isinstance(op, SliceStatic) or 0 in cut.input.shape or min(cut.step, default=0) < 1:
            return None
        bounds = _bounds(cut)
        if type(op).keeps_order:
            return _of_view(op, cut, bounds)
        if isinstance(op, Permutation):
            return _of_one(op, cut, [bounds[op.order.index(d)] for d in range(op.input.rank)])
        if isinstance(op, Reduction):
            kept = iter(bounds if not op.keep_dim else [b for d, b in enumerate(bounds) if d not in op.dims])
            return _of_one(op, cut, [(0, n, 1) if d in op.dims else next(kept) for d, n in enumerate(op.input.shape)])
        return _of_rows(op, cut, bounds)


def _of_one(op: Op, cut: SliceStatic, bounds: Sequence[Bounds]) -> SlicedCone:
    part = _cut(op.operands[0], bounds)
    result = op.results[0].with_shape(cut.results[0].shape)
    return SlicedCone(type(op).on([part.results[0]], op.attributes(), result), (part,))


def _of_view(op: Op, cut: SliceStatic, bounds: Sequence[Bounds]) -> SlicedCone | None:
    (source,) = op.operands
    source_bounds: list[Bounds] = []
    for axes, dims in _alike(source.shape, cut.input.shape):
        run = _run([cut.input.shape[d] for d in dims], [bounds[d] for d in dims])
        box = run and _box([source.shape[d] for d in axes], run)
        if box is None:
            return None
        source_bounds += box
    part = _cut(source, source_bounds)
    return SlicedCone(Reshape(input=part.results[0], shape=cut.results[0].shape), (part,))


def _of_rows(op: Op, cut: SliceStatic, bounds: Sequence[Bounds]) -> SlicedCone | None:
    """Return full rows of a row-wise op."""
    if bounds[-1:] != [(0, *cut.input.shape[-1:], 1)] or (row_wise := RowWiseOp.of(op)) is None:
        return None
    cuts = tuple(
        _cut(t, [*bounds[:-1], (0, t.shape[-1], 1)]) if row_wise.has_rows(i) else None
        for i, t in enumerate(op.operands)
    )
    types = [
        t if operand_cut is None else operand_cut.results[0] for t, operand_cut in zip(op.operands, cuts, strict=True)
    ]
    return SlicedCone(op.with_operands(types, op.attributes(), op.results[0].with_shape(cut.results[0].shape)), cuts)


def _bounds(cut: SliceStatic) -> list[Bounds]:
    begins = (b + n if b < 0 else b for b, n in zip(cut.begins, cut.input.shape, strict=True))
    return list(zip(begins, cut.results[0].shape, cut.step, strict=True))


def _cut(t: TensorType, bounds: Sequence[Bounds]) -> SliceStatic:
    begins, _, step = zip(*bounds, strict=True) if bounds else ((), (), ())
    return SliceStatic(input=t, begins=begins, ends=tuple(b + (n - 1) * by + 1 for b, n, by in bounds), step=step)


def _alike(source: Sequence[int], result: Sequence[int]) -> Iterator[tuple[range, range]]:
    """Yield the smallest groups of dimensions of both shapes that have the same elements."""
    i = j = 0
    while i < len(source) and j < len(result):
        m, n = i + 1, j + 1
        while (before := math.prod(source[i:m])) != (after := math.prod(result[j:n])):
            m, n = (m + 1, n) if before < after else (m, n + 1)
        yield range(i, m), range(j, n)
        i, j = m, n
    yield range(i, len(source)), range(j, len(result))


def _run(extents: Sequence[int], bounds: Sequence[Bounds]) -> Bounds | None:
    """Return a slice as one strided range of flat elements; None if impossible."""
    begin, count, step, unit = 0, 1, 1, 1
    for extent, (first, length, by) in zip(reversed(extents), reversed(bounds), strict=True):
        if count == 1:
            count, step = length, by * unit
        elif length > 1:
            if by * unit != count * step:
                return None
            count *= length
        begin, unit = begin + first * unit, unit * extent
    return begin, count, step


def _box(extents: Sequence[int], run: Bounds) -> list[Bounds] | None:
    """Return a strided range of flat elements as slices of dimensions; None if impossible."""
    (begin, count, step), unit, bounds = run, 1, list[Bounds]()
    for extent in reversed(extents):
        first, by = begin // unit % extent, step // unit
        if count == 1 or by >= extent or step % unit:
            bounds.insert(0, (first, 1, 1))
        elif first + (count - 1) * by < extent:
            bounds.insert(0, (first, count, by))
            count = 1
        elif first == 0 and by == 1 and count % extent == 0:
            bounds.insert(0, (0, extent, 1))
            count, step = count // extent, unit * extent
        else:
            return None
        unit *= extent
    return bounds if count == 1 else None
