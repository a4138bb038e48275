"""Rows that slots say a place for go into a cache in pages where it is, rather than into a copy that becomes it."""

from ttstack.device.sequences.users import COLUMNS, user_grid
from ttstack.dialects.base import attribute_values
from ttstack.dialects.defining_op import defining_op
from ttstack.dialects.ttir.build import reshape_to
from ttstack.dialects.ttir.builders import ttir
from ttstack.dialects.types import read_type
from ttstack.frontends.conversion.values import elementwise
from ttstack.mlir import ir
from ttstack.ops.base import OPS
from ttstack.ops.kv_cache import PagedUpdateCache
from ttstack.ops.types import TILE
from ttstack.passes.base import Pass
from ttstack.passes.functions import body, functions
from ttstack.passes.ttir.ones import PERMUTATIONS
from ttstack.passes.ttir.pages import swaps_heads, whole_numbers
from ttstack.passes.ttir.producers import find_producer, with_scalar
from ttstack.passes.ttir.views import VIEWS

_CACHE = len(("blocks", "heads", "rows", "depth"))


class PagedCaches(Pass, name="paged-caches"):
    """A cache [blocks, heads, rows, depth] that gets a row for each user becomes one `paged_update_cache`.

    A slot says which row of which block that is, as vLLM has it. It takes buffers whose contents are values.
    """

    def run(self, module: ir.Module) -> None:
        """Look at every assignment of every function."""
        for function in functions(module):
            for op in body(function):
                if op.name == "ttir.assign" and len(op.results) and read_type(op.operands[0].type).rank == _CACHE:
                    _write_in_place(op)


def _write_in_place(assign: ir.Operation) -> None:
    cache, value = assign.operands
    blocks, heads, length, depth = read_type(cache.type).shape
    tokens = _tokens(value, read_type(cache.type).shape)
    scatter = None if tokens is None else defining_op(tokens, "ttir.scatter")
    if scatter is None or length % TILE or heads > TILE or not _replaces(scatter):
        return
    base, index, rows = scatter.operands
    users, slots = read_type(rows.type).shape[0], _slot_of_each(index)
    if _cache_of(base) != cache or read_type(base.type).shape[0] != blocks * length or slots is None:
        return
    if user_grid(users).rows > COLUMNS:
        return
    with ir.InsertionPoint(scatter), scatter.location:
        blocks_of, rows_of = map(whole_numbers, _places(slots, length))
        places = (cache, reshape_to(rows, (1, users, heads, depth)))
        places = (*places, reshape_to(rows_of, (users,)), reshape_to(blocks_of, (users, 1)))
        made = ttir.build(PagedUpdateCache.mnemonic, *places, result=read_type(cache.type))
    value.replace_all_uses_with(made)
    assign.results[0].replace_all_uses_with(made)
    assign.erase()


def _tokens(value: ir.Value, cache: tuple[int, ...]) -> ir.Value | None:
    """Tokens one after the other, of which the value is the cache; None where it is not made of such."""
    blocks, heads, length, depth = cache
    if (swap := defining_op(_before_views(value), *PERMUTATIONS)) is None:
        return _before_views(value) if heads == 1 else None
    tokens = read_type(swap.operands[0].type).shape == (blocks, length, heads, depth)
    return _before_views(swap.operands[0]) if tokens and swaps_heads(swap) else None


def _cache_of(tokens: ir.Value) -> ir.Value | None:
    """The cache [blocks, heads, rows, depth] whose tokens these are, one after the other."""
    value = _before_views(tokens)
    swap = defining_op(value, *PERMUTATIONS)
    cache = value if swap is None else _before_views(swap.operands[0])
    shape = read_type(cache.type).shape
    if len(shape) != _CACHE or (swap is None and shape[1] != 1):
        return None
    return cache if swap is None or (swaps_heads(swap) and swap.operands[0] == cache) else None


def _before_views(value: ir.Value) -> ir.Value:
    """The value under the shape in which it was computed; of a buffer too, which is a value here."""
    while (op := defining_op(value, *VIEWS)) is not None:
        value = op.operands[0]
    return value


def _replaces(scatter: ir.Operation) -> bool:
    """Whether it puts whole tokens in the place of others."""
    attributes, (base, _, rows) = attribute_values(OPS["scatter"], scatter), scatter.operands
    alike = read_type(base.type).shape[1:] == read_type(rows.type).shape[1:]
    return alike and not attributes["dim"] and attributes.get("scatter_reduce_type", "invalid") == "invalid"


def _slot_of_each(index: ir.Value) -> ir.Value | None:
    """A slot for each row, from an index that repeats it for all elements of the row."""
    wide = defining_op(index, "ttir.broadcast")
    lines = read_type(wide.operands[0].type).shape if wide is not None else ()
    if wide is None or any(n != 1 for n in lines[1:]) or lines[:1] != read_type(index.type).shape[:1]:
        return None
    return _before_views(wide.operands[0])


def _places(slots: ir.Value, length: int) -> tuple[ir.Value, ir.Value]:
    """The block of each slot, and the row in it: what slots are computed from, or what divides them."""
    total = find_producer(slots, "add")
    for block, offset in (total.operands, reversed(total.operands)) if total is not None else ():
        scaled = find_producer(block, "multiply")
        found = scaled and with_scalar(scaled)
        if found is not None and found[1] == length and read_type(found[0].type).shape == read_type(slots.type).shape:
            return found[0], _within(offset)
    t = read_type(slots.type)
    block = elementwise("div", slots, length, result=t)
    return block, elementwise("subtract", slots, elementwise("multiply", block, length, result=t), result=t)


def _within(offset: ir.Value) -> ir.Value:
    """An offset without the choice of another where it is out of bounds, where the source's own program stops."""
    chosen = find_producer(offset, "where")
    both = find_producer(chosen and chosen.operands[0], "logical_and")
    if chosen is None or both is None:
        return offset
    bounds = [find_producer(v, "ge", "lt") for v in both.operands]
    same = all(bound is not None and bound.operands[0] == chosen.operands[1] for bound in bounds)
    return chosen.operands[1] if same else offset
