"""Decode attention: attention of one token per user over a cache, and the write of that token into the cache."""

from collections.abc import Hashable
from dataclasses import dataclass, field

import numpy as np

from ttstack.dialects.base import definition_of, operands_by_place
from ttstack.dialects.built_ops import insert_before
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
from ttstack.passes.stages import Stage
from ttstack.passes.ttir.facts.cache_positions import is_within
from ttstack.passes.ttir.facts.paged_reads import find_both_pages, whole_numbers
from ttstack.passes.ttir.facts.visible_keys import Seen, VisibleKeys


class DecodeAttention(
    Pass,
    name="decode-attention",
    optional=True,
    stage=Stage.ATTENTION,
    after={"fold-masks": "a constant mask needs no positions"},
):
    """Use ttnn's decode op for attention with one token per user, if predicted to be faster.

    If the mask follows from positions, the op has the positions as an operand instead. A full sliding-window cache uses
    the last positions. Paged keys and values are read by a page table. Writes of one row per user to a cache become one
    write for all users.
    """

    def run(self, module: ir.Module) -> None:
        """Rewrite every attention and every write of rows into a cache."""
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
    """Cached positions of users, by their origin."""

    def attention(self, op: ir.Operation) -> None:
        """Replace attention of one token per user, with keys and values in their current layout."""
        sdpa, (query, key, value, mask, _) = definition_of(op), operands_by_place(ScaledDotProductAttention, op)
        assert isinstance(sdpa, ScaledDotProductAttention)
        if query is None or key is None or value is None or not _of_one_token(sdpa):
            return
        seen, users = None if mask is None else self.seen.about(mask), sdpa.query.shape[0]
        if mask is not None and (seen is None or not _fits(mask, _sizes(seen), sdpa)):
            return
        query_type = sdpa.query.with_shape((1, users, sdpa.query.shape[1], sdpa.query.shape[3]))
        filled = query_type.with_shape((1, users, _whole_heads(sdpa), query_type.shape[3]))
        position_type = TensorType((users,), DType.I32)
        options = {"scale": sdpa.scale, "sliding_window_size": seen and seen.window}
        decode = ScaledDotProductAttentionDecode(
            query=filled, key=sdpa.key, value=sdpa.value, cur_pos_tensor=position_type, **options
        )
        pad = Pad(input=query_type, padding=(0, 0, 0, 0, 0, filled.shape[2] - query_type.shape[2], 0, 0), value=0.0)
        moves = self.prices.sum_of((pad, pad)) if filled != query_type else 0.0  # there, and a slice as large back
        pages = find_both_pages(key, value)
        if pages is None and self.prices.latency_of(decode) + moves >= self.prices.latency_of(sdpa):
            return
        with insert_before(op):
            rows = reshape_to(query, query_type.shape)
            rows = rows if filled == query_type else ttir.pad(rows, **pad.attributes())
            last = sdpa.key.shape[2] - 1
            positions = (
                constant(np.full(users, last), position_type) if seen is None else self.last_position(seen, users, last)
            )
            if pages is not None:
                keys, values, table = pages
                blocks = reshape_to(whole_numbers(table), (users, read_type(table.type).size // users))
                operands = (rows, keys, values, blocks, rows, None, positions)
                result = ttir.build(PagedScaledDotProductAttentionDecode.mnemonic, *operands, **options)
            else:
                result = ttir.build(decode.mnemonic, rows, key, value, None, positions, **decode.attributes())
            result = slice_along(result, 2, 0, query_type.shape[2])
            op.results[0].replace_all_uses_with(reshape_to(result, sdpa.results[0].shape))
        op.erase()

    def update(self, op: ir.Operation) -> None:
        """Write one row per user, for all heads together."""
        cache_update = definition_of(op)
        assert isinstance(cache_update, UpdateCache)
        users, heads, rows, depth = cache_update.input.shape
        if cache_update.users != users or rows != 1 or heads > TILE or cache_update.batch_offset:
            return
        cache, values, index = op.operands
        with insert_before(op):
            arguments = (cache, reshape_to(values, (1, users, heads, depth)), self.user_positions(index, 0, users))
            updated = ttir.build(PagedUpdateCache.mnemonic, *arguments, result=cache_update.cache)
            op.results[0].replace_all_uses_with(updated)
        op.erase()

    def last_position(self, seen: Seen, users: int, last: int) -> ir.Value:
        """Return the position of the last key that each user sees; the kernel reads keys up to it."""
        position, full = self.user_positions(seen.base, seen.offset, users), seen.full
        if full is not None and (position, full) not in self.positions:
            every = broadcast_to(reshape_to(full.value, (read_type(full.value.type).size,)), (users,))
            end = constant(np.full(users, last), read_type(position.type))
            choices = (end, position) if full.is_true else (position, end)
            self.positions[position, full] = ttir.where(every, *choices)
        position = position if full is None else self.positions[position, full]
        if seen.window is not None or is_within(seen.base, last + 1 - seen.offset):
            return position
        if (position, last) not in self.positions:
            self.positions[position, last] = ttir.minimum(
                position, constant(np.full(users, last), read_type(position.type))
            )
        return self.positions[position, last]

    def user_positions(self, base: ir.Value, offset: int, users: int) -> ir.Value:
        """Return a position for each user, as integers on the device, from one or all positions and an offset."""
        key = base, offset, users
        if key not in self.positions:
            t = read_type(base.type)
            line = reshape_to(base, (t.size,))
            line = whole_numbers(line)
            moved = elementwise("add", line, offset, result=read_type(line.type)) if offset else line
            self.positions[key] = broadcast_to(moved, (users,))
        return self.positions[key]


def _of_one_token(sdpa: ScaledDotProductAttention) -> bool:
    """Return True for one query per user, from which at most a mask hides keys.

    Heads must have a width of whole tiles, and the number of heads of a user must be 1, 2, 4, ... tiles, or be padded
    to that.
    """
    if sdpa.is_causal or sdpa.sliding_window_size or sdpa.attention_sink is not None:
        return False
    whole = (sdpa.key.shape[3], sdpa.value.shape[3])
    blocks = tiles(_whole_heads(sdpa))
    return sdpa.query.shape[2] == 1 and all(extent % TILE == 0 for extent in whole) and blocks & (blocks - 1) == 0


def _whole_heads(sdpa: ScaledDotProductAttention) -> int:
    """Return the heads of a user, padded to 1, 2, 4, ... tiles if all heads share one key head."""
    heads = sdpa.query.shape[1]
    blocks = 1 << (tiles(heads) - 1).bit_length()
    return TILE * blocks if blocks != tiles(heads) and sdpa.key.shape[1] == 1 else heads


def _sizes(seen: Seen) -> set[int]:
    """Return the sizes of positions and of row selections."""
    values = (seen.base,) if seen.full is None else (seen.base, seen.full.value)
    return {read_type(value.type).size for value in values}


def _fits(mask: ir.Value, sizes: set[int], sdpa: ScaledDotProductAttention) -> bool:
    """Return True if a mask from `sizes` positions has one row for all users, or one row for each user."""
    users, heads, _, _ = sdpa.query.shape
    shape = read_type(mask.type).shape[:3]
    if sizes == {1}:
        return shape[0] in (1, users) and shape[1] in (1, heads) and shape[2] == 1
    return sizes <= {1, users} and shape == (users, 1, 1)
