"""Fusion of attention that a model decomposes to matmuls with softmax between them."""

import math

from ttstack.dialects.base import attribute_values, definition_of, operands_by_place
from ttstack.dialects.ttir.build import permute_dims, reshape_to
from ttstack.dialects.ttir.builders import ttir
from ttstack.dialects.ttir.destination import pure_producer
from ttstack.dialects.types import read_type
from ttstack.mlir import ir
from ttstack.ops.attention import ScaledDotProductAttention
from ttstack.ops.reduction import Reduction
from ttstack.ops.shape import Broadcast, RepeatInterleave
from ttstack.passes.base import Pass
from ttstack.passes.rewriting.pattern import apply_patterns
from ttstack.passes.rewriting.python_file import with_roots
from ttstack.passes.stages import Stage
from ttstack.passes.ttir.queries.aliases import VIEWS
from ttstack.passes.ttir.queries.movement_chain import PERMUTATIONS, moved_dims, moves_unit_dims
from ttstack.passes.ttir.queries.producers import find_producer, scalar
from ttstack.passes.ttir.recognize.attention_operands import (
    Heads,
    batch_of,
    four,
    joined_masks,
    matmul,
    of_rows,
    split_scale,
)
from ttstack.passes.ttir.recognize.attention_scores import Scores, behind, level_masks, scores_of
from ttstack.passes.ttir.recognize.fully_masked_rows import with_nan_rows
from ttstack.passes.ttir.recognize.fuse_reduction import softmax
from ttstack.passes.ttir.recognize.grouped_attention import grouped_attention
from ttstack.passes.ttir.recognize.query_scale import take_scale
from ttstack.passes.ttir.recognize.upcast_operands import lies_in, narrow

_ATTENTION = ScaledDotProductAttention.mnemonic
_GUARDS = 3
"""Number of uses of a value that is replaced if it is NaN."""


class FuseAttention(Pass, name="fuse-attention", optional=True, stage=Stage.ATTENTION):
    """Fuse `softmax(q @ k^T * scale + mask) @ v` into one op, also with grouped queries.

    It runs before movements are folded, while heads are a separate dimension.
    """

    def run(self, module: ir.Module) -> None:
        """Rewrite to a fixpoint."""
        apply_patterns(
            module,
            [
                *with_roots(softmax),
                ("ttir.matmul", _attention),
                ("ttir.matmul", grouped_attention),
                ("ttir.matmul", _weights_first),
                (f"ttir.{_ATTENTION}", _without_repetition),
                (f"ttir.{_ATTENTION}", take_scale),
            ],
        )


def _attention(op: ir.Operation) -> list[ir.Value] | None:
    weights, value = op.operands
    guarded, shown = _guarded(weights), _unless_hidden(weights)
    below = guarded if guarded is not None else weights if shown is None else shown[0]
    norm = find_producer(behind(below), "softmax")
    outer, result = matmul(op), read_type(op.results[0].type)
    if norm is None or outer.transpose_a or outer.activation or not of_rows(norm):
        return None
    if result.shape[:-1] != read_type(weights.type).shape[:-1]:
        return None
    readers = 1 if guarded is None else _GUARDS
    if (scores := scores_of(norm.operands[0])) is None or len(list(norm.results[0].uses)) > readers:
        return None
    added = level_masks(scores.masks)
    guards_all = shown is None or [mask.value for mask in scores.masks] == [shown[1]]
    if not scores.keep_rows or added is None or not guards_all:
        return None
    inner = matmul(scores.product)
    (query, before), (key, times) = map(split_scale, scores.product.operands)
    whole, heads = read_type(scores.product.results[0].type).shape[:-2], _heads(scores)
    query_heads, key_heads, value_heads = (_fold(batch_of(v), whole, heads) for v in (query, key, value))
    alike = read_type(value.type).dtype == result.dtype and all(lies_in(v, result.dtype) for v in (query, key))
    alike = alike and all(mask.is_of(result.dtype) for mask in added)
    grouped = key_heads is not None and key_heads == value_heads and key_heads[0] == heads[0]
    masks = [_fold(batch_of(mask.value), mask.scores.shape[:-2], heads) for mask in added]
    matrices = all(read_type(v.type).rank > 1 for v in (query, key, value))
    if query_heads != heads or not grouped or not alike or not matrices or None in masks or inner.activation:
        return None
    transposes = inner.transpose_a, not inner.transpose_b, outer.transpose_b
    query, key = (narrow(v, result.dtype) for v in (query, key))
    inputs = zip((query, key, value), (heads, key_heads, value_heads), transposes, strict=True)
    operands = [four(v, operand_heads, transpose=transpose) for v, operand_heads, transpose in inputs if operand_heads]
    mask = joined_masks(
        [(step, operand_heads) for step, operand_heads in zip(added, masks, strict=True) if operand_heads], result
    )
    if mask is not None and guarded is None and shown is None:
        mask = with_nan_rows(mask)
    scale = scores.scale * before * times
    return [reshape_to(ttir.build(_ATTENTION, *operands, mask, is_causal=False, scale=scale), result.shape)]


def _weights_first(op: ir.Operation) -> list[ir.Value] | None:
    """Rewrite `v^T @ weights^T` to `(weights @ v)^T`."""
    value, transposed = op.operands
    product, shape = matmul(op), read_type(transposed.type).shape
    weights = None if product.transpose_b else _untransposed(transposed)
    if weights is None or product.activation or batch_of(value) != batch_of(transposed):
        return None
    rows = reshape_to(weights, (*shape[:-2], shape[-1], shape[-2]))
    result = ttir.matmul(rows, value, transpose_b=not product.transpose_a)
    rank = len(shape)
    return [permute_dims(result, (*range(rank - 2), rank - 1, rank - 2))]


def _untransposed(value: ir.Value) -> ir.Value | None:
    """Return the weights before a swap of the last two dimensions, ignoring unit dimensions."""
    op = pure_producer(value)
    while op is not None and moves_unit_dims(op) and len(list(value.uses)) == 1:
        value = op.operands[0]
        op = pure_producer(value)
    if op is None or op.name not in PERMUTATIONS or find_producer(behind(op.operands[0]), "softmax") is None:
        return None
    weights, moved = op.operands[0], moved_dims(op)
    rank = read_type(weights.type).rank
    kept = sorted(moved) == [*moved[:-2], rank - 2, rank - 1] and moved[-2:] == [rank - 1, rank - 2]
    return weights if kept else None


def _guarded(value: ir.Value) -> ir.Value | None:
    """Return `x` of a value that is `x` with NaN replaced by 0, as in attention for a query without visible keys."""
    choice = find_producer(value, "where")
    test = None if choice is None else find_producer(choice.operands[0], "ne")
    if choice is None or test is None or scalar(choice.operands[1]) != 0:
        return None
    x = choice.operands[2]
    return x if all(v == x for v in test.operands) and len(list(x.uses)) == _GUARDS else None


def _unless_hidden(value: ir.Value) -> tuple[ir.Value, ir.Value] | None:
    """Return `x` and a mask of a value that is 0 in rows that the mask hides fully by -inf."""
    choice = find_producer(value, "where")
    test = None if choice is None else find_producer(choice.operands[0], "eq")
    if choice is None or test is None or scalar(choice.operands[1]) != 0:
        return None
    for largest, least in (test.operands, reversed(test.operands)):
        if scalar(least) == -math.inf and (top := find_producer(largest, "max")) is not None:
            reduction = definition_of(top)
            assert isinstance(reduction, Reduction)
            if reduction.keep_dim and reduction.dims == (reduction.input.rank - 1,):
                return choice.operands[2], top.operands[0]
    return None


def _without_repetition(op: ir.Operation) -> list[ir.Value] | None:
    """Use repeated heads of keys and values directly, for grouped queries."""
    query, key, value, *others = operands_by_place(ScaledDotProductAttention, op)
    keys, values = _unrepeat(key), _unrepeat(value)
    if keys is None or values is None or keys[1][:3] != values[1][:3]:
        return None
    once = (reshape_to(*keys), reshape_to(*values))
    return [ttir.build(_ATTENTION, query, *once, *others, **attribute_values(ScaledDotProductAttention, op))]


def _unrepeat(value: ir.Value | None) -> tuple[ir.Value, tuple[int, ...]] | None:
    """Return the source of a repetition to [batch, heads * times, length, width], and its four-dimensional shape."""
    if (op := find_producer(value, "repeat_interleave")) is not None:
        described = definition_of(op)
        assert isinstance(described, RepeatInterleave)
        return (op.operands[0], described.input.shape) if described.dim % 4 == 1 else None
    op = find_producer(value, *(name.removeprefix("ttir.") for name in VIEWS))
    op = op and find_producer(op.operands[0], "broadcast")
    if op is None or value is None:
        return None
    described, (batch, heads, *rows) = definition_of(op), read_type(value.type).shape
    assert isinstance(described, Broadcast)
    times, shape = described.broadcast_dimensions, described.input.shape
    if len(shape) != 5 or shape[2] != 1 or times[:2] + times[3:] != (1,) * 4 or shape[3:] != tuple(rows):
        return None
    return (op.operands[0], (batch, shape[1], *rows)) if shape[1] * times[2] == heads else None


def _heads(scores: Scores) -> Heads:
    """Return batch and heads from four-dimensional scores; otherwise each batch entry is one head."""
    for shape in scores.shapes:
        if len(shape) == 4:
            return shape[0], shape[1]
    return math.prod(scores.shapes[0][:-2]), 1


def _fold(batch: tuple[int, ...], whole: tuple[int, ...], heads: Heads) -> Heads | None:
    """Return batch and heads of an operand of scores with `whole`; None if they are not two dimensions."""
    batch = (1,) * (len(whole) - len(batch)) + batch
    if set(batch) <= {1}:
        return 1, 1
    if batch == whole:
        return heads
    for cut in range(len(whole) + 1):
        if math.prod(whole[:cut]) == heads[0]:
            parts = (batch[:cut], whole[:cut]), (batch[cut:], whole[cut:])
            if all(part == all_of_it or set(part) <= {1} for part, all_of_it in parts):
                return math.prod(batch[:cut]), math.prod(batch[cut:])
    return None
