"""Writes into caches of keys and values; skipped users rewrite their present values."""

import numpy as np

from ttstack.mlir import arith, ir
from ttstack.ops.kv_cache import FillCache, PagedFillCache, PagedUpdateCache, UpdateCache
from ttstack.ops.types import DType
from ttstack.passes.ttir_to_linalg.checks import inside
from ttstack.passes.ttir_to_linalg.formulas import divide, remainder
from ttstack.passes.ttir_to_linalg.in_order import State, in_order, write
from ttstack.passes.ttir_to_linalg.indexing import take
from ttstack.passes.ttir_to_linalg.movement import index_of, scale_and_add
from ttstack.passes.ttir_to_linalg.scalars import maximum, select
from ttstack.passes.ttir_to_linalg.table import LoweringTable
from ttstack.passes.ttir_to_linalg.tensors import Dense, elementwise, full, literal

LOWERINGS = LoweringTable()


@LOWERINGS("fill_cache")
def _fill(op: FillCache, cache: Dense, rows: Dense) -> Dense:
    return cache.put(rows.cast(cache.dtype), [op.batch_offset, 0, 0, 0])


@LOWERINGS("update_cache")
def _update(op: UpdateCache, cache: Dense, rows: Dense, update_index: Dense) -> Dense:
    rows = rows if op.users == rows.shape[0] else rows.transpose([2, 1, 0, 3])
    starts = update_index.reshape(-1).cast(DType.I64).broadcast((op.users,)).reshape(op.users, 1)
    line = literal(np.arange(rows.shape[2]), DType.I64)
    places = inside(elementwise(lambda s, i: s + i, [starts, line], DType.I64), cache.shape[2])

    def place(at: list[ir.Value]) -> list[ir.Value]:
        user, head, row, column = at
        return [scale_and_add(user, 1, op.batch_offset), head, index_of(places.at([user, row])), column]

    return write(cache, rows.cast(cache.dtype), place)


@LOWERINGS("paged_update_cache")
def _paged_update(op: PagedUpdateCache, cache: Dense, rows: Dense, update_index: Dense, table: Dense | None) -> Dense:
    _, users, _, depth = rows.shape
    blocks, heads, length, _ = cache.shape
    values = rows.slice([0, 0, 0, 0], [1, users, heads, depth]).reshape(users, heads, depth).cast(cache.dtype)
    asked = update_index.cast(DType.I64)
    wanted = elementwise(lambda i: maximum(i, 0), [asked], DType.I64)
    if table is None:
        places = inside(wanted, length)
        owners = full((users,), 0, DType.I64) if op.share_cache else literal(np.arange(users), DType.I64)
    else:
        pages = table.shape[1]
        wanted = inside(wanted, pages * length)
        places = elementwise(lambda i: remainder(i, i.like(length)), [wanted], DType.I64)
        first = literal(np.arange(users) * pages, DType.I64)
        entries = elementwise(lambda i, u: u + divide(i, i.like(length)), [wanted, first], DType.I64)
        named = take(table.reshape(-1).cast(DType.I64), entries, 0)
        owners = inside(elementwise(lambda b, i: select(i < 0, b.like(0), b), [named, asked], DType.I64), blocks)

    def step(at: list[ir.Value], states: list[State]) -> list[State]:
        (so_far,) = states
        assert isinstance(so_far, Dense)
        user, head, column = at
        there = [index_of(owners.at([user])), head, index_of(places.at([user])), column]
        value = select(asked.at([user]) < 0, so_far.at(there), values.at(at))
        return [so_far.replace_element(value, there)]

    (found,) = in_order(step, values.shape, [cache])
    assert isinstance(found, Dense)
    return found


@LOWERINGS("paged_fill_cache")
def _paged_fill(_op: PagedFillCache, cache: Dense, rows: Dense, table: Dense, named: Dense | None) -> Dense:
    given, count, depth = rows.shape[0], *rows.shape[2:]
    blocks, heads, length = cache.shape[:3]
    users = full((1,), 0, DType.I64) if named is None else inside(named, table.shape[0])
    pages = literal(np.arange(-(-count // length)), DType.I64)
    mine = take(take(table.cast(DType.I64), users, 0), pages, 1)
    owners = inside(mine, blocks)
    values = rows.slice([0, 0, 0, 0], [given, heads, count, depth]).cast(cache.dtype)
    size = arith.constant(ir.IndexType.get(), length)

    def place(at: list[ir.Value]) -> list[ir.Value]:
        user, head, row, column = at
        owner = owners.at([user, arith.divui(row, size)])
        return [index_of(owner), head, arith.remui(row, size), column]

    return write(cache, values, place)
