"""Writes of tokens into paged caches [blocks, heads, rows, depth] by the library's ops."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from ttstack.device.sequences.users import COLUMNS, user_grid
from ttstack.dialects.base import definition_of
from ttstack.dialects.built_ops import insert_before
from ttstack.dialects.ttir.build import constant, permute_dims, reshape_to, slice_along
from ttstack.dialects.ttir.builders import ttir
from ttstack.dialects.types import read_type
from ttstack.mlir import ir
from ttstack.ops.kv_cache import PagedFillCache, PagedUpdateCache
from ttstack.ops.types import TILE, DType, TensorType
from ttstack.passes.dataflow import Facts
from ttstack.passes.rewriting.prices import Prices
from ttstack.passes.ttir.facts.index_values import Fact
from ttstack.passes.ttir.facts.paged_reads import whole_numbers
from ttstack.passes.ttir.facts.prefill_writes import PrefillWrites
from ttstack.passes.ttir.facts.slot_mapping import block_and_row, replaces, slot_of_each


@dataclass(frozen=True)
class PageWrite:
    """A scatter of tokens, or of whole blocks: prompts in blocks of a table, or tokens at slots."""

    scatter: ir.Operation
    cache: TensorType
    """[blocks, heads, rows, depth]."""
    slots: ir.Value
    prompts: PrefillWrites | None
    by_head: bool
    """Whether whole blocks with heads before rows are written, rather than tokens or blocks of tokens."""

    @staticmethod
    def of(scatter: ir.Operation, cache: TensorType, facts: Facts[Fact], *, by_head: bool) -> "PageWrite | None":
        """Match a scatter whose rows are tokens, or blocks in the order of `by_head`.

        None if the library has no op for it.
        """
        base, index, rows = scatter.operands
        blocks, heads, length, _ = cache.shape
        if length % TILE or not replaces(scatter) or (slots := slot_of_each(index)) is None:
            return None
        lines, new_lines = read_type(base.type).shape[0], read_type(rows.type).shape[0]
        if lines == blocks:
            prompts = PrefillWrites.of(slots, length, facts, are_blocks=True)
            return None if prompts is None else PageWrite(scatter, cache, slots, prompts, by_head)
        if lines != blocks * length or (by_head and heads > 1):
            return None
        prompts = PrefillWrites.of(slots, length, facts) if new_lines >= TILE else None
        write = PageWrite(scatter, cache, slots, prompts, by_head=False)
        return write if heads <= TILE or not write.rest else None

    @property
    def is_of_blocks(self) -> bool:
        """True if its rows are full blocks."""
        return read_type(self.scatter.operands[0].type).shape[0] == self.cache.shape[0]

    @property
    def tokens(self) -> tuple[int, int]:
        """The number of prompts or users, and the tokens of each."""
        total = read_type(self.scatter.operands[2].type).shape[0] * (self.cache.shape[2] if self.is_of_blocks else 1)
        count = 1 if self.prompts is None else self.prompts.count
        return total // count, count

    @property
    def filled(self) -> int:
        """The number of tokens of a prompt that fill whole tiles, which the library writes."""
        return 0 if self.prompts is None else self.prompts.count // TILE * TILE

    @property
    def rest(self) -> int:
        """The number of tokens that are written row by row."""
        users, count = self.tokens
        return users * (count - self.filled)

    def pays(self, prices: Prices) -> bool:
        """Return True if writing the rows in several ops is predicted to be faster than copying the full cache."""
        if self.rest <= 0 or len(parts := list(_parts(self.rest))) == 1:
            return True
        updates = (self._update(end - begin) for begin, end in parts)
        return prices.sum_of(updates) < prices.latency_of(definition_of(self.scatter))

    def write(self, cache: ir.Value) -> ir.Value:
        """Write all tokens into the cache at the scatter, and return it."""
        with insert_before(self.scatter):
            if self.filled:
                cache = self._fill(cache)
            return self._put(cache) if self.rest else cache

    def _fill(self, cache: ir.Value) -> ir.Value:
        assert self.prompts is not None
        _, heads, length, depth = self.cache.shape
        (users, count), rows = self.tokens, self.scatter.operands[2]
        if self.by_head:
            pages = reshape_to(rows, (users, count // length, heads, length, depth))
            values = reshape_to(permute_dims(pages, (0, 2, 1, 3, 4)), (users, heads, count, depth))
        else:
            values = permute_dims(reshape_to(rows, (users, count, heads, depth)), (0, 2, 1, 3))
        table, lines = _lines(self.prompts, -(-self.filled // length))
        operands = (cache, slice_along(values, 2, 0, self.filled), whole_numbers(table))
        named = constant(np.array(lines), TensorType((users,), DType.I32)) if lines != (0,) else None
        return ttir.build(PagedFillCache.mnemonic, *operands, named, result=self.cache)

    def _put(self, cache: ir.Value) -> ir.Value:
        _, heads, length, depth = self.cache.shape
        users, count = self.tokens
        rows = reshape_to(self.scatter.operands[2], (users, count, heads, depth))
        slots = reshape_to(self.slots, (users, count)) if self.filled else self.slots
        if self.filled:
            rows, slots = (slice_along(v, 1, self.filled, count) for v in (rows, slots))
        rows, slots = reshape_to(rows, (1, self.rest, heads, depth)), reshape_to(slots, (self.rest,))
        blocks_of, rows_of = (reshape_to(whole_numbers(v), (self.rest,)) for v in block_and_row(slots, length))
        for begin, end in _parts(self.rest):
            table = reshape_to(slice_along(blocks_of, 0, begin, end), (end - begin, 1))
            operands = (cache, slice_along(rows, 1, begin, end), slice_along(rows_of, 0, begin, end), table)
            cache = ttir.build(PagedUpdateCache.mnemonic, *operands, result=self.cache)
        return cache

    def _update(self, rows: int) -> PagedUpdateCache:
        t = TensorType((rows,), DType.I32)
        input_type = self.cache.with_shape((1, rows, self.cache.shape[1], self.cache.shape[3]))
        return PagedUpdateCache(
            cache=self.cache,
            input=input_type,
            update_index=t,
            page_table=t.with_shape((rows, 1)),
            dtype=self.cache.dtype,
        )


def _lines(prompts: PrefillWrites, count: int) -> tuple[ir.Value, tuple[int, ...]]:
    """Return a page table with `count` blocks per row, and the rows of all prompts."""
    table, first = prompts.table.write(), prompts.lines[0]
    t = read_type(table.type)
    columns = t.shape[-1] if t.rank > 1 else t.size
    aligned = all(line % columns == first % columns for line in prompts.lines)
    if aligned and first % columns + count <= columns:
        begin = first % columns
        table = slice_along(reshape_to(table, (t.size // columns, columns)), 1, begin, begin + count)
        return table, tuple(line // columns for line in prompts.lines)
    parts = [slice_along(reshape_to(table, (1, t.size)), 1, line, line + count) for line in prompts.lines]
    return (ttir.concat(*parts, dim=0) if len(parts) > 1 else parts[0]), tuple(range(len(parts)))


def _parts(count: int) -> Iterator[tuple[int, int]]:
    """Yield the rows of each op, for a rectangle of cores."""
    begin = 0
    while begin < count:
        most = min(count - begin, COLUMNS * COLUMNS)
        size = next(n for n in range(most, 0, -1) if user_grid(n).rows <= COLUMNS)
        yield begin, begin + size
        begin += size
