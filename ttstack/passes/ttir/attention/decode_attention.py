"""Attention of one token a user to what a cache holds, and the write of that token into the cache."""

from collections.abc import Hashable
from dataclasses import dataclass, field

import numpy as np

from ttstack.dialects.base import definition_of, operands_by_place
from ttstack.dialects.ttir.build import broadcast_to, constant, elementwise, reshape_to, slice_along
from ttstack.dialects.ttir.builders import ttir
from ttstack.dialects.types import read_type
from ttstack.mlir import ir
from ttstack.ops.attention import ScaledDotProductAttention
from ttstack.ops.decode import PagedScaledDotProductAttentionDecode, ScaledDotProductAttentionDecode
from ttstack.ops.kv_cache import PagedUpdateCache, UpdateCache
from ttstack.ops.shape import Pad
from ttstack.ops.types import TILE, DType, TensorType, tiles
from ttstack.passes.base import Pass
from ttstack.passes.functions import body, functions
from ttstack.passes.rewriting.prices import Prices
from ttstack.passes.ttir.facts.cache_positions import is_within
from ttstack.passes.ttir.facts.paged_reads import find_both_pages, whole_numbers
from ttstack.passes.ttir.facts.visible_keys import Seen, VisibleKeys


class DecodeAttention(Pass, name="decode-attention"):
    """Attention of one token a user becomes the library's op for it, where that is predicted to be faster.

    A mask that positions decide is no operand then, but those positions; where nothing is hidden, as in full caches of
    a window, they are the last ones. Keys and values in pages are read where they lie, in the blocks that a table
    lists. One row a user that goes into a cache becomes
    a write of all users at once.
    """

    def run(self, module: ir.Module) -> None:
        """Look at every attention and every write of rows into a cache."""
        if (prices := Prices.of(module)) is None:
            return
        for function in functions(module):
            rewrite = _Rewrite(prices)
            for op in body(function):
                if op.name == f"ttir.{ScaledDotProductAttention.mnemonic}":
                    rewrite.attention(op)
                elif op.name == f"ttir.{UpdateCache.mnemonic}":
                    rewrite.update(op)


@dataclass(frozen=True)
class _Rewrite:
    prices: Prices
    seen: VisibleKeys = field(default_factory=VisibleKeys)
    positions: dict[Hashable, ir.Value] = field(default_factory=dict[Hashable, ir.Value])
    """Positions of users that were made already, by what they were made of."""

    def attention(self, op: ir.Operation) -> None:
        """The op for one token a user, over keys and values as they lie."""
        found, (query, key, value, mask, _) = definition_of(op), operands_by_place(ScaledDotProductAttention, op)
        assert isinstance(found, ScaledDotProductAttention)
        if query is None or key is None or value is None or not _of_one_token(found):
            return
        seen, users = None if mask is None else self.seen.about(mask), found.query.shape[0]
        if mask is not None and (seen is None or not _fits(mask, _sizes(seen), found)):
            return
        given = found.query.with_shape((1, users, found.query.shape[1], found.query.shape[3]))
        one = given.with_shape((1, users, _whole_heads(found), given.shape[3]))
        places = TensorType((users,), DType.I32)
        options = {"scale": found.scale, "sliding_window_size": seen and seen.window}
        decode = ScaledDotProductAttentionDecode(
            query=one, key=found.key, value=found.value, cur_pos_tensor=places, **options
        )
        pad = Pad(input=given, padding=(0, 0, 0, 0, 0, one.shape[2] - given.shape[2], 0, 0), value=0.0)
        moves = self.prices.sum_of((pad, pad)) if one != given else 0.0  # there, and a slice as large back
        pages = find_both_pages(key, value)
        if pages is None and self.prices.latency_of(decode) + moves >= self.prices.latency_of(found):
            return
        with ir.InsertionPoint(op), op.location:
            rows = reshape_to(query, given.shape)
            rows = rows if one == given else ttir.pad(rows, **pad.attributes())
            last = found.key.shape[2] - 1
            positions = (
                constant(np.full(users, last), places) if seen is None else self.last_position(seen, users, last)
            )
            if pages is not None:
                keys, values, table = pages
                blocks = reshape_to(whole_numbers(table), (users, read_type(table.type).size // users))
                operands = (rows, keys, values, blocks, rows, None, positions)
                made = ttir.build(PagedScaledDotProductAttentionDecode.mnemonic, *operands, **options)
            else:
                made = ttir.build(decode.mnemonic, rows, key, value, None, positions, **decode.attributes())
            made = slice_along(made, 2, 0, given.shape[2])
            op.results[0].replace_all_uses_with(reshape_to(made, found.results[0].shape))
        op.erase()

    def update(self, op: ir.Operation) -> None:
        """A row a user, all heads together."""
        found = definition_of(op)
        assert isinstance(found, UpdateCache)
        users, heads, rows, depth = found.input.shape
        if found.users != users or rows != 1 or heads > TILE or found.batch_offset:
            return
        cache, values, index = op.operands
        with ir.InsertionPoint(op), op.location:
            places = (cache, reshape_to(values, (1, users, heads, depth)), self.at(index, 0, users))
            made = ttir.build(PagedUpdateCache.mnemonic, *places, result=found.cache)
            op.results[0].replace_all_uses_with(made)
        op.erase()

    def last_position(self, seen: Seen, users: int, last: int) -> ir.Value:
        """The position of the last key that each user sees: one of the cache, as the kernel reads keys up to it."""
        found, full = self.at(seen.base, seen.offset, users), seen.full
        if full is not None and (found, full) not in self.positions:
            every = broadcast_to(reshape_to(full.value, (read_type(full.value.type).size,)), (users,))
            end = constant(np.full(users, last), read_type(found.type))
            ways = (end, found) if full.is_true else (found, end)
            self.positions[found, full] = ttir.where(every, *ways)
        found = found if full is None else self.positions[found, full]
        if seen.window is not None or is_within(seen.base, last + 1 - seen.offset):
            return found
        if (found, last) not in self.positions:
            self.positions[found, last] = ttir.minimum(found, constant(np.full(users, last), read_type(found.type)))
        return self.positions[found, last]

    def at(self, base: ir.Value, offset: int, users: int) -> ir.Value:
        """A position for each user, as the device holds them: integers, or one for all, and an offset."""
        key = base, offset, users
        if key not in self.positions:
            t = read_type(base.type)
            line = reshape_to(base, (t.size,))
            line = whole_numbers(line)
            moved = elementwise("add", line, offset, result=read_type(line.type)) if offset else line
            self.positions[key] = broadcast_to(moved, (users,))
        return self.positions[key]


def _of_one_token(found: ScaledDotProductAttention) -> bool:
    """Whether there is one query a user, and nothing that decides but a mask, or nothing at all.

    Heads are as wide as whole tiles, and those of a user 1, 2, 4, ... of them, as the kernel asks, or can be filled up
    to that.
    """
    if found.is_causal or found.sliding_window_size or found.attention_sink is not None:
        return False
    whole = (found.key.shape[3], found.value.shape[3])
    blocks = tiles(_whole_heads(found))
    return found.query.shape[2] == 1 and all(extent % TILE == 0 for extent in whole) and blocks & (blocks - 1) == 0


def _whole_heads(found: ScaledDotProductAttention) -> int:
    """The heads of a user, with those that make 1, 2, 4, ... tiles of them where one head of keys is all heads'."""
    heads = found.query.shape[1]
    blocks = 1 << (tiles(heads) - 1).bit_length()
    return TILE * blocks if blocks != tiles(heads) and found.key.shape[1] == 1 else heads


def _sizes(seen: Seen) -> set[int]:
    """Positions, and choices of rows beside them."""
    values = (seen.base,) if seen.full is None else (seen.base, seen.full.value)
    return {read_type(value.type).size for value in values}


def _fits(mask: ir.Value, sizes: set[int], found: ScaledDotProductAttention) -> bool:
    """Whether a mask by so many positions has one for all before the keys, or a row for each user."""
    users, heads, _, _ = found.query.shape
    shape = read_type(mask.type).shape[:3]
    if sizes == {1}:
        return shape[0] in (1, users) and shape[1] in (1, heads) and shape[2] == 1
    return sizes <= {1, users} and shape == (users, 1, 1)
