"""Operands of decomposed attention, in the form of the attention op."""

from collections.abc import Iterable

import numpy as np

from ttstack.dialects.base import definition_of
from ttstack.dialects.elements import elements_attribute
from ttstack.dialects.ttir.build import permute_dims, reshape_to
from ttstack.dialects.ttir.builders import ttir
from ttstack.dialects.types import read_type
from ttstack.mlir import ir
from ttstack.ops.matmul import Matmul
from ttstack.ops.movement import Permutation
from ttstack.ops.reduction import Softmax
from ttstack.ops.types import TensorType
from ttstack.passes.ttir.queries.producers import factor, find_producer
from ttstack.passes.ttir.recognize.attention_scores import Mask
from ttstack.passes.ttir.recognize.upcast_operands import narrow

Heads = tuple[int, int]
"""Batch and heads."""

_SWAPPED = (0, 1, 3, 2)


def split_scale(value: ir.Value) -> tuple[ir.Value, float]:
    """Return `x` and `c` of a value `x * c` that has one use; the value and 1 otherwise."""
    scaled = factor(value) if len(list(value.uses)) == 1 else None
    return scaled or (value, 1.0)


def matmul(op: ir.Operation) -> Matmul:
    """Return the matmul of an op."""
    described = definition_of(op)
    assert isinstance(described, Matmul)
    return described


def of_rows(norm: ir.Operation) -> bool:
    """Return True if a softmax normalizes each row."""
    softmax = definition_of(norm)
    assert isinstance(softmax, Softmax)
    return softmax.dimension % softmax.input.rank == softmax.input.rank - 1


def batch_of(value: ir.Value) -> tuple[int, ...]:
    """Return the extents before those of the matrix."""
    return read_type(value.type).shape[:-2]


def four(value: ir.Value, heads: Heads, *, transpose: bool = False) -> ir.Value:
    """Return the value in four dimensions, undoing a swap of the last two."""
    if transpose and (swap := find_producer(value, "permute", "transpose")) is not None and _swaps_the_last(swap):
        return four(swap.operands[0], heads)
    matrices = reshape_to(value, (*heads, *(1, 1, *read_type(value.type).shape)[-2:]))
    return permute_dims(matrices, _SWAPPED) if transpose else matrices


def _swaps_the_last(op: ir.Operation) -> bool:
    permutation = definition_of(op)
    assert isinstance(permutation, Permutation)
    *rest, a, b = permutation.order
    return [*rest, b, a] == list(range(permutation.input.rank))


def joined_masks(masks: Iterable[tuple[Mask, Heads]], scores: TensorType) -> ir.Value | None:
    """Combine masks in this order into one additive mask of the scores' element type; None without any."""
    joined, one = None, scores.with_shape((1, 1, 1, 1))
    for mask, heads in masks:
        value = four(mask.value if mask.choice else narrow(mask.value, scores.dtype), heads)
        if mask.choice:
            kept = _constant(0.0, one) if joined is None else joined
            joined = ttir.where(value, *(_constant(number, one) if number else kept for number in mask.choice))
        else:
            added = value if mask.factor == 1 else ttir.multiply(value, _constant(mask.factor, one))
            joined = added if joined is None else ttir.add(joined, added)
    return joined


def _constant(number: float, t: TensorType) -> ir.Value:
    return ttir.constant(result=t, value=elements_attribute(np.full(t.shape, number, t.dtype.numpy), t))
