"""The ops that bring a tensor from one order to another, and their predicted time."""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache

from ttstack.dialects.base import create
from ttstack.dialects.ttir.build import permute_dims, reshape_to
from ttstack.dialects.types import read_type
from ttstack.mlir import ir
from ttstack.ops.base import OPS, Op
from ttstack.ops.index_map import IndexMap
from ttstack.ops.types import TILE, DType, TensorType
from ttstack.passes.rewriting.prices import Prices
from ttstack.passes.ttir.movement.gather_rows_and_columns import (
    MOST_SELECTION_ELEMENTS,
    Gathered,
    gather,
    separable,
)
from ttstack.passes.ttir.movement.split_permute import Order, rows_and_transpose
from ttstack.passes.ttir.queries.compile_time import MOST_MASK_ELEMENTS

_LEAST_GATHER_NS = 10_000.0
"""Faster moves are not compared with lookups and matmuls, which take as long."""
_Way = Sequence[tuple[str, Mapping[str, object]]]
"""Ops one after the other, each by mnemonic and attributes."""


def move_by(value: ir.Value, by: IndexMap, prices: Prices) -> ir.Value:
    """A value with its elements where a map brings them, by a reshape, a permutation and a reshape at most."""
    if by.keeps_order:
        return reshape_to(value, by.shape)
    t = read_type(value.type)
    cut, order = min(
        _cuts(by), key=lambda cut: prices.sum_of(_chain(t, _reshape_permute_reshape(cut[0], [cut[1]], by.shape)))
    )
    return reshape_to(permute_dims(reshape_to(value, cut), order), by.shape)


def move_fastest(value: ir.Value, by: IndexMap, prices: Prices) -> ir.Value:
    """A value moved by the cheapest ops, which later rewrites make of those that `move_by` builds."""
    t = read_type(value.type)
    way = min(_spellings(t, by), key=prices.sum_of)
    plain = prices.sum_of(way)
    if plain >= _LEAST_GATHER_NS and not by.keeps_order and _gather_ns(t, by, prices) < plain:
        return _gathered(value, by)
    for op in way:
        value = create("ttir", op.mnemonic, [value], op.attributes()).results[0]
    return value


def _cuts(by: IndexMap) -> list[tuple[tuple[int, ...], Order]]:
    """Shapes of the source and permutations of these: as few dimensions as do it, and those that the results have.

    Fewer dimensions take reshapes before and after, which are no views where they are of rows or columns.
    """
    parts = sorted(by.parts, key=lambda part: (part.axis, -part.stride))
    apart = tuple(part.extent for part in parts), tuple(parts.index(part) for part in by.parts)
    whole = apart if by.order is None else (by.source, by.order)
    return list(dict.fromkeys((by.as_permute, whole)))


def moving_ns(t: TensorType, by: IndexMap, prices: Prices) -> float:
    """Predicted nanoseconds of the cheapest ops that do it."""
    plain = min(prices.sum_of(ops) for ops in _spellings(t, by))
    return plain if plain < _LEAST_GATHER_NS or by.keeps_order else min(plain, _gather_ns(t, by, prices))


@lru_cache(1 << 12)
def _gather_ns(t: TensorType, by: IndexMap, prices: Prices) -> float:
    """Predicted nanoseconds of what `gather-rows-and-columns` makes of moves; infinite where that is nothing."""
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
def _spellings(t: TensorType, by: IndexMap) -> tuple[tuple[Op, ...], ...]:
    """The ops of `move_by`, and those that split heads off columns or join them where these are full tiles."""
    if by.keeps_order:
        ways: list[_Way] = [[("reshape", {"shape": by.shape})], *_heads_of_rows(t.shape, by.shape)]
    else:
        ways = list[_Way]()
        for cut, order in _cuts(by):
            permutations = [(order,), *rows_and_transpose(order)]
            ways += [_reshape_permute_reshape(cut, orders, by.shape) for orders in permutations]
        ways += _exchanged_heads(*by.as_permute, by.shape)
    return tuple(_chain(t, way) for way in ways)


def _reshape_permute_reshape(cut: tuple[int, ...], orders: Iterable[Order], shape: tuple[int, ...]) -> _Way:
    permutations = [("permute", {"permutation": order}) for order in orders]
    return [("reshape", {"shape": cut}), *permutations, ("reshape", {"shape": shape})]


def _exchanged_heads(cut: tuple[int, ...], order: tuple[int, ...], shape: tuple[int, ...]) -> Iterator[_Way]:
    """Columns that become heads, and heads that become columns, where rows and heads change places."""
    dims = {(1, 0, 2): (1, *cut), (0, 2, 1, 3): cut}.get(order)
    if dims is not None and dims[-1] % TILE == 0:
        batch, first, second, width = dims
        if second > 1:
            rows = ("reshape", {"shape": (batch, first, second * width)})
            yield [rows, ("split_heads", {"num_heads": second}), ("reshape", {"shape": shape})]
        if first > 1:
            yield [("reshape", {"shape": dims}), ("concatenate_heads", {}), ("reshape", {"shape": shape})]


def _heads_of_rows(before: tuple[int, ...], shape: tuple[int, ...]) -> Iterator[_Way]:
    """Columns that become heads of each row, and heads of each row that become columns."""
    exchange = ("permute", {"permutation": (0, 2, 1, 3)})
    for apart, together in ((shape, before), (before, shape)):
        *lead, height, count, width = (1, 1, *apart)
        if count == 1 or width % TILE or together[-1:] != (count * width,):
            continue
        batch = math.prod(lead)
        if apart is shape:
            rows = ("reshape", {"shape": (batch, height, count * width)})
            yield [rows, ("split_heads", {"num_heads": count}), exchange, ("reshape", {"shape": shape})]
        else:
            heads = ("reshape", {"shape": (batch, height, count, width)})
            yield [heads, exchange, ("concatenate_heads", {}), ("reshape", {"shape": shape})]


def _chain(t: TensorType, way: _Way) -> tuple[Op, ...]:
    ops: list[Op] = []
    for mnemonic, attributes in way:
        if attributes.get("shape") == t.shape:
            continue
        ops.append(OPS[mnemonic].on([t], attributes))
        (t,) = ops[-1].results
    return tuple(ops)
