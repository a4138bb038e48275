"""Attention whose heads of keys serve groups of queries, spelled with the groups among the rows of a product.

`jax.nn.dot_product_attention` and einsums like `btkgd,bskd->bkgts` become that: the product of a head of keys has a row
for each token and group.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import chain

from ttstack.dialects.ttir.build import permute_dims, reshape_to
from ttstack.dialects.ttir.builders import ttir
from ttstack.dialects.ttir.destination import pure_producer
from ttstack.dialects.types import read_type
from ttstack.mlir import ir
from ttstack.ops.attention import ScaledDotProductAttention
from ttstack.passes.ttir.queries.movement_chain import MOVES, after
from ttstack.passes.ttir.queries.rearrangement import Atom, Rearrangement
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

_Atoms = tuple[Atom, ...]

_WIDTH: Atom = (-1,)
"""The axis of a head's elements, which scores do not have."""


def grouped_attention(op: ir.Operation) -> list[ir.Value] | None:
    """Attention in place of its second product, `weights @ v` or, as XLA orders it, `v^T @ weights^T`."""
    for place in (0, 1):
        norm, moves = _softmax(op.operands[place])
        scores = norm and scores_of(norm.operands[0])
        if scores and (attention := _attention(op, scores, moves, transposed=place == 1)) is not None:
            return [attention]
    return None


def _softmax(weights: ir.Value) -> tuple[ir.Operation | None, list[ir.Operation]]:
    """The softmax of rows that only these weights are made of, and what moved them since."""
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
    if not all(mask.is_of(result.dtype) and axes.are_of(mask.moved) for mask in added):
        return None
    query, key = (narrow(v, result.dtype) for v in (query, key))
    mask = joined_masks([axes.mask(mask) for mask in added], result)
    batch, heads = axes.extents(axes.batch, axes.heads)
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
    """Which parts of the axes of scores are what, and how long they are."""

    sizes: dict[Atom, int]
    batch: _Atoms
    heads: _Atoms
    groups: _Atoms
    tokens: _Atoms
    keys: _Atoms
    keys_first: bool
    """Whether the product is one of keys and queries: XLA has the larger operand last."""

    @staticmethod
    def of(scores: Scores) -> "_Axes | None":
        """As softmax has them, tokens and keys last; None where nothing is left for groups, or others come last."""
        rank, moved = read_type(scores.product.results[0].type).rank, scores.moved
        every, (*_, tokens, keys) = sorted(moved.flat), ((), *moved.dims)
        keys_first = keys == ((rank - 2,),)
        lead = [a for a in every if a[0] < rank - 2]
        rows = [a for a in every if a[0] == rank - (1 if keys_first else 2)]
        groups = tuple(a for a in rows if a not in tokens)
        if keys not in (((rank - 2,),), ((rank - 1,),)) or not groups or not set(tokens) <= set(rows):
            return None
        cut = len(lead[1:]) if rank == 3 else sum(a[0] < rank - 3 for a in lead)
        return _Axes(moved.sizes, (*lead[:cut],), (*lead[cut:],), groups, tokens, keys, keys_first)

    def in_turn(self, operands: Sequence[ir.Value]) -> tuple[ir.Value, ir.Value]:
        """Queries and keys."""
        first, second = operands
        return (second, first) if self.keys_first else (first, second)

    def extents(self, *parts: _Atoms) -> tuple[int, ...]:
        """Return the number of elements of each of these parts."""
        return tuple(math.prod(self.sizes[a] for a in part) for part in parts)

    def rows_of_weights(self, scores: Scores, moves: Sequence[ir.Operation], *, transposed: bool) -> _Atoms | None:
        """Groups and tokens as the weights' rows have them after these moves; None where other parts are in them."""
        placed: Rearrangement | None = scores.moved
        for move in moves:
            placed = placed and after(placed, move)
        if placed is None or not self.are_of(placed) or len(placed.dims) < 2:
            return None
        *lead, rows, keys = placed.dims
        if transposed:
            rows, keys = keys, rows
        fits = (*chain(*lead),) == (*self.batch, *self.heads) and keys == self.keys
        return rows if fits and set(rows) == {*self.groups, *self.tokens} else None

    def queries(self, value: ir.Value) -> ir.Value:
        """Queries as the product has them, as [batch, heads * groups, tokens, width]."""
        lead, rows = (*self.batch, *self.heads), sorted((*self.groups, *self.tokens))
        before = (*lead, _WIDTH, *rows) if self.keys_first else (*lead, *rows, _WIDTH)
        width = read_type(value.type).shape[-2 if self.keys_first else -1]
        then = (*lead, *self.groups, *self.tokens, _WIDTH)
        ordered = _in_order(value, before, then, {**self.sizes, _WIDTH: width})
        return reshape_to(ordered, (*self.extents(self.batch, (*self.heads, *self.groups), self.tokens), width))

    def product(self, value: ir.Value, rows: _Atoms, shape: tuple[int, ...], *, transposed: bool) -> ir.Value:
        """Rearrange the result of attention to that of the matmul of weights with such rows and values."""
        width, lead = read_type(value.type).shape[-1], (*self.batch, *self.heads)
        then = (*lead, _WIDTH, *rows) if transposed else (*lead, *rows, _WIDTH)
        before = (*lead, *self.groups, *self.tokens, _WIDTH)
        return reshape_to(_in_order(value, before, then, {**self.sizes, _WIDTH: width}), shape)

    def are_of(self, moved: Rearrangement) -> bool:
        """Return True if a rearrangement moves exactly these parts."""
        return moved.sizes == self.sizes

    def mask(self, mask: Mask) -> tuple[Mask, Heads]:
        """The mask as [batch, heads * groups, tokens, keys], each whole or 1, and its batch and heads."""
        dims, mask_shape = mask.moved.dims, read_type(mask.value.type).shape
        shape = (*(1,) * (len(dims) - len(mask_shape)), *mask_shape)
        has = {a for extent, dim in zip(shape, dims, strict=True) if extent > 1 for a in dim}
        parts = self.batch, (*self.heads, *self.groups), self.tokens, self.keys
        order = (*chain(*parts),)
        sizes = {a: self.sizes[a] if a in has else 1 for a in order}
        value = _in_order(mask.value, mask.moved.flat, order, sizes)
        whole = {a for part in parts if has & {*part} for a in part}
        factors = tuple(self.sizes[a] if a in whole - has else 1 for a in order)
        if max(factors) > 1:
            value = ttir.broadcast(value, broadcast_dimensions=factors)
        batch, heads, *matrix = (e if has & {*part} else 1 for e, part in zip(self.extents(*parts), parts, strict=True))
        return replace(mask, value=reshape_to(value, (batch, heads, *matrix))), (batch, heads)


def _in_order(value: ir.Value, before: Sequence[Atom], then: Sequence[Atom], sizes: dict[Atom, int]) -> ir.Value:
    """A value that has these parts of axes one after the other, each as an axis of its own, in another order."""
    apart = reshape_to(value, [sizes[a] for a in before])
    return permute_dims(apart, [before.index(a) for a in then])
