"""Recognition of grouped-query attention whose groups are among the rows of a matmul.

`jax.nn.dot_product_attention` and einsums such as `btkgd,bskd->bkgts` lower to this form: the matmul of a key head has
a row for each token and group.
"""

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from itertools import chain, pairwise

from ttstack.dialects.ttir.build import permute_dims, reshape_to
from ttstack.dialects.ttir.builders import ttir
from ttstack.dialects.ttir.destination import pure_producer
from ttstack.dialects.types import read_type
from ttstack.mlir import ir
from ttstack.ops.attention import ScaledDotProductAttention
from ttstack.ops.index_map import Dim, IndexMap, Part, in_source_order
from ttstack.passes.ttir.queries.movement_chain import MOVES, after
from ttstack.passes.ttir.recognize.attention_operands import (
    Heads,
    batch_of,
    four,
    joined_masks,
    matmul,
    of_rows,
    split_scale,
)
from ttstack.passes.ttir.recognize.attention_scores import Mask, Scores, level_masks, same_rows, scores_of
from ttstack.passes.ttir.recognize.fully_masked_rows import with_nan_rows
from ttstack.passes.ttir.recognize.upcast_operands import lies_in, narrow


def grouped_attention(op: ir.Operation) -> list[ir.Value] | None:
    """Rewrite the second matmul of attention, `weights @ v` or, as XLA orders it, `v^T @ weights^T`."""
    for place in (0, 1):
        norm, moves = _softmax(op.operands[place])
        scores = norm and scores_of(norm.operands[0])
        if scores and (attention := _attention(op, scores, moves, transposed=place == 1)) is not None:
            return [attention]
    return None


def _softmax(weights: ir.Value) -> tuple[ir.Operation | None, list[ir.Operation]]:
    """Return the softmax over rows that produces these weights, and the moves after it."""
    moves: list[ir.Operation] = []
    while (op := pure_producer(weights)) is not None and len(list(weights.uses)) == 1:
        if op.name == "ttir.softmax":
            return (op if of_rows(op) else None), moves
        if op.name in MOVES:
            moves.insert(0, op)
        elif not same_rows(op):
            break
        weights = op.operands[0]
    return None, moves


def _attention(op: ir.Operation, scores: Scores, moves: Sequence[ir.Operation], *, transposed: bool) -> ir.Value | None:
    axes, result = _Axes.of(scores), read_type(op.results[0].type)
    order = axes and axes.rows_of_weights(scores, moves, transposed=transposed)
    added = level_masks(scores.masks)
    if axes is None or order is None or added is None or not all(map(_is_plain, (op, scores.product))):
        return None
    (query, before), (key, times) = map(split_scale, axes.in_turn(scores.product.operands))
    weights, value = reversed(op.operands) if transposed else op.operands
    alike = read_type(value.type).dtype == result.dtype and all(lies_in(v, result.dtype) for v in (query, key))
    alike = alike and batch_of(query) == batch_of(key) and batch_of(weights) == batch_of(value)
    if not alike or result.rank != read_type(weights.type).rank:
        return None
    if not all(mask.is_of(result.dtype) and axes.cut(mask.moved) is not None for mask in added):
        return None
    query, key = (narrow(v, result.dtype) for v in (query, key))
    mask = joined_masks([axes.mask(mask) for mask in added], result)
    batch, heads = _extents(axes.batch, axes.heads)
    mask = mask and with_nan_rows(mask)
    key = four(key, (batch, heads), transpose=not axes.keys_first)
    operands = axes.queries(query), key, four(value, (batch, heads), transpose=transposed), mask
    scale = scores.scale * before * times
    attention = ttir.build(ScaledDotProductAttention.mnemonic, *operands, is_causal=False, scale=scale)
    return axes.product(attention, order, result.shape, transposed=transposed)


def _is_plain(op: ir.Operation) -> bool:
    """Return True for a matmul without transposed operands and without an activation."""
    product = matmul(op)
    return not (product.transpose_a or product.transpose_b or product.activation)


@dataclass(frozen=True)
class _Axes:
    """The meaning and length of the axis parts of scores."""

    batch: Dim
    heads: Dim
    groups: Dim
    tokens: Dim
    keys: Dim
    keys_first: bool
    """Whether the matmul is of keys and queries, as XLA puts the larger operand last."""

    @staticmethod
    def of(scores: Scores) -> "_Axes | None":
        """Read the axes at softmax, with tokens and keys last; None without groups, or if others come last."""
        rank, moved = read_type(scores.product.results[0].type).rank, scores.moved
        every = _common_parts([moved, *(mask.moved for mask in scores.masks)])
        if every is None or len(moved.dims) < 2:
            return None
        tokens, keys = (_cut(dim, every) for dim in moved.dims[-2:])
        keys_first = keys == (Part(rank - 2, 1, moved.source[-2]),)
        lead = [part for part in every if part.axis < rank - 2]
        rows = [part for part in every if part.axis == rank - (1 if keys_first else 2)]
        groups = tuple(part for part in rows if part not in tokens)
        whole = keys_first or keys == (Part(rank - 1, 1, moved.source[-1]),)
        if not whole or not groups or not set(tokens) <= set(rows):
            return None
        cut = len(lead[1:]) if rank == 3 else sum(part.axis < rank - 3 for part in lead)
        return _Axes((*lead[:cut],), (*lead[cut:],), groups, tokens, keys, keys_first)

    def in_turn(self, operands: Sequence[ir.Value]) -> tuple[ir.Value, ir.Value]:
        """Return queries and keys."""
        first, second = operands
        return (second, first) if self.keys_first else (first, second)

    def rows_of_weights(self, scores: Scores, moves: Sequence[ir.Operation], *, transposed: bool) -> Dim | None:
        """Return groups and tokens in the order of the weights' rows after these moves.

        None if other parts are among them.
        """
        placed: IndexMap | None = scores.moved
        for move in moves:
            placed = placed and after(placed, move)
        dims = placed and self.cut(placed)
        if dims is None or len(dims) < 2:
            return None
        *lead, rows, keys = dims
        if transposed:
            rows, keys = keys, rows
        fits = (*chain(*lead),) == (*self.batch, *self.heads) and keys == self.keys
        return rows if fits and set(rows) == {*self.groups, *self.tokens} else None

    def queries(self, value: ir.Value) -> ir.Value:
        """Return the queries of the matmul as [batch, heads * groups, tokens, width]."""
        lead = (*self.batch, *self.heads)
        rows = in_source_order((*self.groups, *self.tokens))
        width = _width(read_type(value.type).shape[-2 if self.keys_first else -1])
        before = (*lead, width, *rows) if self.keys_first else (*lead, *rows, width)
        ordered = _in_order(value, before, (*lead, *self.groups, *self.tokens, width))
        return reshape_to(ordered, _extents(self.batch, (*self.heads, *self.groups), self.tokens, (width,)))

    def product(self, value: ir.Value, rows: Dim, shape: tuple[int, ...], *, transposed: bool) -> ir.Value:
        """Rearrange the result of attention to that of the matmul of weights with such rows and values."""
        width, lead = _width(read_type(value.type).shape[-1]), (*self.batch, *self.heads)
        then = (*lead, width, *rows) if transposed else (*lead, *rows, width)
        return reshape_to(_in_order(value, (*lead, *self.groups, *self.tokens, width), then), shape)

    def cut(self, moved: IndexMap) -> list[Dim] | None:
        """Return the dimensions after a move in these parts; None if a dimension has another part."""
        parts = (*self.batch, *self.heads, *self.groups, *self.tokens, *self.keys)
        dims = [_cut(dim, parts) for dim in moved.dims]
        return dims if _extents(*dims) == moved.shape else None

    def mask(self, mask: Mask) -> tuple[Mask, Heads]:
        """Return the mask as [batch, heads * groups, tokens, keys], each full or 1, and its batch and heads."""
        dims, mask_shape = self.cut(mask.moved), read_type(mask.value.type).shape
        assert dims is not None
        shape = (*(1,) * (len(dims) - len(mask_shape)), *mask_shape)
        has = {a for extent, dim in zip(shape, dims, strict=True) if extent > 1 for a in dim}
        parts = self.batch, (*self.heads, *self.groups), self.tokens, self.keys
        order = (*chain(*parts),)
        value = _in_order(mask.value, (*chain(*dims),), order, has)
        whole = {a for part in parts if has & {*part} for a in part}
        factors = tuple(a.extent if a in whole - has else 1 for a in order)
        if max(factors) > 1:
            value = ttir.broadcast(value, broadcast_dimensions=factors)
        batch, heads, *matrix = (e if has & {*part} else 1 for e, part in zip(_extents(*parts), parts, strict=True))
        return replace(mask, value=reshape_to(value, (batch, heads, *matrix))), (batch, heads)


def _in_order(value: ir.Value, before: Dim, then: Dim, has: Collection[Part] | None = None) -> ir.Value:
    """Permute a value from one order of axis parts to another, with a dimension for each part.

    Parts that are not in `has` have extent 1.
    """
    apart = reshape_to(value, [part.extent if has is None or part in has else 1 for part in before])
    return permute_dims(apart, [before.index(part) for part in then])


def _width(extent: int) -> Part:
    """Return the part for a head's elements, which scores do not have."""
    return Part(-1, 1, extent)


def _extents(*dims: Dim) -> tuple[int, ...]:
    return tuple(math.prod(part.extent for part in dim) for dim in dims)


def _common_parts(maps: Sequence[IndexMap]) -> Dim | None:
    """Return the common refinement of the axis parts of several maps.

    None if their boundaries do not divide each other.
    """
    parts = list[Part]()
    for axis, extent in enumerate(maps[0].source):
        found = [part for moved in maps for part in moved.parts if part.axis == axis]
        strides = sorted({1, extent, *(part.stride for part in found)})
        if any(outer % inner for inner, outer in pairwise(strides)):
            return None
        parts += [Part(axis, inner, outer // inner) for inner, outer in pairwise(strides)][::-1]
    return tuple(parts)


def _cut(dim: Dim, parts: Dim) -> Dim:
    """Return a dimension in these axis parts."""
    return tuple(
        part
        for whole in dim
        for part in parts
        if part.axis == whole.axis
        and whole.stride <= part.stride
        and part.stride * part.extent <= whole.stride * whole.extent
    )
