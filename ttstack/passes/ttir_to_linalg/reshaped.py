"""Reshapes as views: merged dimensions, then split dimensions."""

from collections.abc import Sequence
from math import prod

from ttstack.mlir import ir, tensor

Groups = list[list[int]]
"""Groups of consecutive dimensions."""


def collapse_and_expand(value: ir.Value, shape: Sequence[int]) -> ir.Value:
    """Reshape a tensor in row-major order; dimensions common to both shapes stay separate."""
    kind = ir.RankedTensorType(value.type)
    source = list(kind.shape)
    before, after = _groups(source, shape)
    between = [prod(source[d] for d in group) for group in before]
    if between != source:
        value = tensor.collapse_shape(ir.RankedTensorType.get(between, kind.element_type), value, before)
    if between == list(shape):
        return value
    return tensor.expand_shape(ir.RankedTensorType.get(list(shape), kind.element_type), value, after, [], list(shape))


def _groups(source: Sequence[int], target: Sequence[int]) -> tuple[Groups, Groups]:
    """Return the smallest consecutive groups of dimensions of two shapes with equally many elements."""
    if not (source and target):
        return [], []
    if 0 in (*source, *target):
        return [list(range(len(source)))], [list(range(len(target)))]
    before, after = Groups(), Groups()
    i = j = 0
    while i < len(source) and j < len(target):
        first, second = [i], [j]
        while (have := prod(source[d] for d in first)) != (want := prod(target[d] for d in second)):
            taken = first if have < want else second
            taken.append(taken[-1] + 1)
        before.append(first)
        after.append(second)
        i, j = first[-1] + 1, second[-1] + 1
    before[-1] += range(i, len(source))
    after[-1] += range(j, len(target))
    return before, after
