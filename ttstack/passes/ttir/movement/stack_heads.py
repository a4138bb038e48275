"""Heads of concatenated columns: concatenated as heads instead of columns."""

import math

from ttstack.dialects.base import definition_of
from ttstack.dialects.ttir.build import reshape_to
from ttstack.dialects.ttir.builders import ttir
from ttstack.dialects.types import read_type
from ttstack.mlir import ir
from ttstack.ops.attention import SplitHeads
from ttstack.ops.shape import Concat
from ttstack.passes.rewriting.prices import Prices
from ttstack.passes.ttir.queries.aliases import unshared_source
from ttstack.passes.ttir.queries.producers import concat_dim, find_producer, is_shared

_Found = tuple[ir.Value, tuple[ir.Operation, ...]]
"""The value with the heads, and the op that concatenates them, if there is one without other uses."""


def stack_heads(op: ir.Operation, prices: Prices) -> list[ir.Value] | None:
    """Build the heads of concatenated columns as a concat of heads, if predicted to be faster.

    Parts as wide as a head are one head; other parts must be concatenated heads. None if a part is neither.
    """
    split, concat = definition_of(op), _before_views(op.operands[0], "concat")
    assert isinstance(split, SplitHeads)
    if not split.input.size or concat is None or concat_dim(concat) != read_type(concat.results[0].type).rank - 1:
        return None
    batch, rows, width = split.input.shape
    head_shape = batch, 1, rows, split.results[0].shape[-1]
    parts = [_heads(part, head_shape) for part in concat.operands]
    heads = [part for part in parts if part is not None]
    if read_type(concat.results[0].type).shape[-1] != width or len(heads) < len(parts):
        return None
    shapes = [(batch, read_type(v.type).size // math.prod(head_shape), *head_shape[2:]) for v, _ in heads]
    stacked = Concat(inputs=tuple(split.input.with_shape(shape) for shape in shapes), dim=1)
    dropped = [op, concat, *(join for _, joins in heads for join in joins)]
    if prices.sum_of([stacked]) >= prices.sum_of(map(definition_of, dropped)):
        return None
    return [ttir.concat(*(reshape_to(v, shape) for (v, _), shape in zip(heads, shapes, strict=True)), dim=1)]


def _heads(part: ir.Value, shape: tuple[int, int, int, int]) -> _Found | None:
    """Return the heads of a part, in this shape if it is one head; None if it does not consist of heads."""
    width = read_type(part.type).shape[-1]
    if width == shape[-1]:
        return part, ()
    join = _before_views(part, "concatenate_heads")
    heads = None if join is None else read_type(join.operands[0].type).shape
    if join is None or heads is None or read_type(join.results[0].type).shape[-1] != width:
        return None
    return (join.operands[0], (join,)) if (heads[0], 1, *heads[2:]) == shape else None


def _before_views(value: ir.Value, mnemonic: str) -> ir.Operation | None:
    """Return the op of that mnemonic that computes a value through views without other uses; otherwise None."""
    source = unshared_source(value)
    return None if is_shared(source) else find_producer(source, mnemonic)
