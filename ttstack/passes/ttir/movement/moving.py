"""Ops that rearrange a tensor by a map, and their predicted time."""

import math
from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache

from ttstack.dialects.types import read_type
from ttstack.mlir import ir
from ttstack.ops.base import Op
from ttstack.ops.index_map import IndexMap
from ttstack.ops.types import TILE, DType, TensorType
from ttstack.passes.rewriting.prices import Prices
from ttstack.passes.ttir.movement.gather_rows_and_columns import (
    MOST_SELECTION_ELEMENTS,
    Gathered,
    gather,
    separable,
)
from ttstack.passes.ttir.movement.reshape_by_head_ops import has_decode_kernel
from ttstack.passes.ttir.movement.split_permute import rows_and_transpose
from ttstack.passes.ttir.queries.compile_time import MOST_MASK_ELEMENTS
from ttstack.passes.ttir.queries.movement_chain import (
    Chain,
    build_chain,
    chain_of,
    permutations,
    reshape_permute_reshape,
    spellings,
)

_LEAST_GATHER_NS = 10_000.0
"""Moves faster than this are not compared with lookups and matmuls."""


def move_by(value: ir.Value, by: IndexMap, prices: Prices) -> ir.Value:
    """Rearrange a value by a map, with at most a reshape, a permutation and a reshape."""
    return build_chain(value, min(spellings(read_type(value.type), by), key=prices.sum_of))


def move_fastest(value: ir.Value, by: IndexMap, prices: Prices) -> ir.Value:
    """Rearrange a value with the cheapest ops, as later rewrites would optimize the result of `move_by`."""
    t = read_type(value.type)
    ops = min(_all_spellings(t, by), key=prices.sum_of)
    plain = prices.sum_of(ops)
    if plain >= _LEAST_GATHER_NS and not by.keeps_order and _gather_ns(t, by, prices) < plain:
        return _gathered(value, by)
    return build_chain(value, ops)


def moving_ns(t: TensorType, by: IndexMap, prices: Prices) -> float:
    """Return the predicted nanoseconds of the cheapest ops that compute a map."""
    plain = min(prices.sum_of(ops) for ops in _all_spellings(t, by))
    return plain if plain < _LEAST_GATHER_NS or by.keeps_order else min(plain, _gather_ns(t, by, prices))


def reshape_ns(t: TensorType, shape: tuple[int, ...], prices: Prices) -> float:
    """Return the predicted nanoseconds of the cheapest reshape of a tensor."""
    by = None if 0 in t.shape else IndexMap.identity(t.shape).reshape(shape)
    return 0.0 if by is None else moving_ns(t, by, prices)


@lru_cache(1 << 12)
def _gather_ns(t: TensorType, by: IndexMap, prices: Prices) -> float:
    """Return the nanoseconds of `gather-rows-and-columns` for a move; infinity if it does not apply."""
    maps = separable(by)
    if maps is None or (held := prices.format_of(t)) is None or t.size > MOST_MASK_ELEMENTS:
        return math.inf
    _, columns = maps
    if not columns.is_identity and (held is not DType.BF16 or t.shape[-1] ** 2 > MOST_SELECTION_ELEMENTS):
        return math.inf
    return prices.of_region([t], lambda values: _gathered(values[0], by))


def _gathered(value: ir.Value, by: IndexMap) -> ir.Value:
    maps = separable(by)
    assert maps is not None
    rows, columns = maps
    whole = Gathered.whole(value)
    return gather(replace(whole, rows=rows.move(whole.rows), columns=columns.move(whole.columns)), by.shape)


@lru_cache(1 << 12)
def _all_spellings(t: TensorType, by: IndexMap) -> tuple[tuple[Op, ...], ...]:
    """List chains for a map: those of `move_by`, two permutations, and ops that split or concatenate heads."""
    if by.keeps_order:
        others = [*_heads_of_rows(t.shape, by.shape)]
    else:
        others = [
            reshape_permute_reshape(cut, orders, by.shape)
            for cut, order in permutations(by)
            for orders in rows_and_transpose(order)
        ]
        others += _exchanged_heads(*by.as_permute, by.shape)
    return (*spellings(t, by), *(chain_of(t, other) for other in others))


def _exchanged_heads(cut: tuple[int, ...], order: tuple[int, ...], shape: tuple[int, ...]) -> Iterator[Chain]:
    """Yield chains between columns and heads that also swap rows and heads."""
    dims = {(1, 0, 2): (1, *cut), (0, 2, 1, 3): cut}.get(order)
    if dims is not None and dims[-1] % TILE == 0:
        batch, first, second, width = dims
        if second > 1:
            rows = ("reshape", {"shape": (batch, first, second * width)})
            yield [rows, ("split_heads", {"num_heads": second}), ("reshape", {"shape": shape})]
        if first > 1:
            yield [("reshape", {"shape": dims}), ("concatenate_heads", {}), ("reshape", {"shape": shape})]


def _heads_of_rows(before: tuple[int, ...], shape: tuple[int, ...]) -> Iterator[Chain]:
    """Yield chains between columns and heads of each row."""
    exchange = ("permute", {"permutation": (0, 2, 1, 3)})
    for apart, together in ((shape, before), (before, shape)):
        *lead, height, count, width = (1, 1, 1, *apart)
        if count == 1 or width % TILE or together[-1:] != (count * width,):
            continue
        batch = math.prod(lead)
        if apart is shape:
            rows = ("reshape", {"shape": (batch, height, count * width)})
            yield [rows, ("split_heads", {"num_heads": count}), exchange, ("reshape", {"shape": shape})]
        else:
            heads = ("reshape", {"shape": (batch, height, count, width)})
            if has_decode_kernel((batch, height, count, width)):
                yield [heads, ("concatenate_heads_decode", {}), ("reshape", {"shape": shape})]
            yield [heads, exchange, ("concatenate_heads", {}), ("reshape", {"shape": shape})]
