"""Which operands kernels of tt-metal can read before a move: repeated and transposed ones."""

from collections.abc import Sequence

from ttstack.device.kernel_class import elementwise_function, is_matmul
from ttstack.ops.flash import attention_nest, is_flash, read_attention
from ttstack.ops.loop_nest import LoopNest
from ttstack.ops.loop_nests import broadcast_map, elementwise
from ttstack.ops.tile_order import is_broadcast, tile_order
from ttstack.ops.types import TensorType

_OF_ONE_SHAPE = frozenset({"gelu_bw"})
"""Functions that do not broadcast operands."""


def has_kernel(nest: LoopNest, operands: Sequence[TensorType], result: TensorType) -> bool:
    """Return True if one kernel runs a nest that reads its operands before tiles were moved."""
    if is_flash(nest):
        return _attends(nest, operands, result)
    if is_matmul(nest):
        return _multiplies(nest, operands, result)
    return tile_order(nest) is not None or _goes_by_elements(nest, operands, result) or _scales(nest, operands, result)


def _attends(nest: LoopNest, operands: Sequence[TensorType], result: TensorType) -> bool:
    """Return True for attention that only broadcasts a mask over batches and heads."""
    read = read_attention(nest)
    if nest != attention_nest(operands, result, read):
        return False
    return read.mask is None or operands[read.mask].shape[-2:] == (result.shape[2], operands[1].shape[2])


def _multiplies(nest: LoopNest, operands: Sequence[TensorType], result: TensorType) -> bool:
    """Return True for a matmul that transposes either matrix, and broadcasts only the second operand over the batch."""
    *lead, row, column = range(result.rank)
    (a, b), added = (m.loops for m in nest.inputs[:2]), zip(operands[2:], nest.inputs[2:], strict=True)
    whole = {*a[-2:]} == {row, result.rank} and {*b[-2:]} == {column, result.rank}
    batch = {i for i in lead if nest.domain[i] > 1}
    repeats = batch.issubset(a[:-2]) and batch.intersection(b[:-2]) in (set(), batch)
    in_order = all(i in (None, d) for loops in (a, b) for i, d in zip(loops[-3::-1], lead[::-1], strict=False))
    return whole and repeats and in_order and all(m == broadcast_map(t, result) for t, m in added)


def _goes_by_elements(nest: LoopNest, operands: Sequence[TensorType], result: TensorType) -> bool:
    """Return True for an elementwise function of broadcast operands whose result is not larger than they are."""
    if len(operands) == 1 and is_broadcast(nest, operands[0], result):
        return True
    function = elementwise_function(nest)
    if function is None or nest != elementwise(operands, result, nest.body):
        return False
    shapes = [(1,) * (result.rank - t.rank) + t.shape for t in operands]
    together = tuple(max(extents) for extents in zip(*shapes, strict=True))
    return together == result.shape and (function.name not in _OF_ONE_SHAPE or len(set(shapes)) == 1)


def _scales(nest: LoopNest, operands: Sequence[TensorType], result: TensorType) -> bool:
    """Return True for several elementwise functions, as in quantization, with operands of a number per column."""
    first, *others = operands
    parameters = bool(others) and all(t.size == 1 or t.rank == 1 for t in others)
    alike = first.shape == result.shape and nest == elementwise(operands, result, nest.body)
    return parameters and alike and len(nest.body) > 1
