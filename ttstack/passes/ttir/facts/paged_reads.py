"""Paged caches: keys and values gathered by a page table."""

from collections.abc import Sequence

from ttstack.device.layout import storage
from ttstack.dialects.base import definition_of
from ttstack.dialects.ttir.build import cast
from ttstack.dialects.ttir.destination import pure_producer
from ttstack.dialects.types import read_type
from ttstack.mlir import ir
from ttstack.ops.movement import Permutation
from ttstack.ops.types import TILE, DType
from ttstack.passes.ttir.queries.aliases import pure_source
from ttstack.passes.ttir.queries.movement_chain import PERMUTATIONS
from ttstack.passes.ttir.queries.producers import find_producer


def find_both_pages(key: ir.Value, value: ir.Value) -> tuple[ir.Value, ir.Value, ir.Value] | None:
    """Return pages of keys and of values [blocks, heads, block length, depth], and their page table.

    The table has a row for each user, and may have another shape. None unless keys and values [users, heads, length,
    depth] are both gathered from such pages.
    """
    keys, values = _find_pages(key), _find_pages(value)
    if keys is None or values is None or keys[1] != values[1] or _shape(key) != _shape(value):
        return None
    return keys[0], values[0], keys[1]


def _find_pages(value: ir.Value) -> tuple[ir.Value, ir.Value] | None:
    """Return the cache and the page table."""
    users, heads, length, depth = _shape(value)
    value = pure_source(value)
    swaps = list[ir.Operation]()
    while (swap := pure_producer(value, *PERMUTATIONS)) is not None:
        swaps.append(swap)
        value = pure_source(swap.operands[0])
    if (lookup := find_producer(value, "embedding")) is None:
        return None
    cache, entries = pure_source(lookup.operands[1]), read_type(lookup.operands[0].type).size
    if len(_shape(cache)) != len(("blocks", "heads", "rows", "depth")) or not users or entries % users:
        return None
    shape, blocks = _shape(cache), entries // users
    if shape[1:] != (heads, length // blocks, depth) or shape[2] % TILE or _shape(lookup.operands[1])[0] != shape[0]:
        return None
    in_order = heads == 1 or _move_heads_first(swaps, (users, blocks, *shape[1:]))
    return (cache, lookup.operands[0]) if in_order else None


def _move_heads_first(swaps: Sequence[ir.Operation], pages: tuple[int, ...]) -> bool:
    """Return True if permutations, last to first, give [users, heads, length, depth] from pages stored by heads.

    They can do so directly, or from tokens that other permutations reorder within each page.
    """
    users, blocks, heads, length, depth = pages
    if not all(map(swaps_heads, swaps)):
        return False
    before = [_shape(swap.operands[0]) for swap in swaps]
    return before in ([pages], [(users, blocks * length, heads, depth), (users * blocks, heads, length, depth)])


def swaps_heads(op: ir.Operation) -> bool:
    """Return True if a permutation swaps only the second and the third dimension."""
    permutation = definition_of(op)
    assert isinstance(permutation, Permutation)
    return permutation.order == (0, 2, 1, *range(3, len(permutation.order)))


def _shape(value: ir.Value) -> tuple[int, ...]:
    return read_type(value.type).shape


def whole_numbers(value: ir.Value) -> ir.Value:
    """Return positions or block numbers in the device's integer type."""
    return value if storage(read_type(value.type).dtype) is DType.SI32 else cast(value, DType.I32)
