"""Rows that slots say a place for go into a cache in pages where it is, rather than into a copy that becomes it."""

from ttstack.device.sequences.users import COLUMNS, user_grid
from ttstack.dialects.defining_op import defining_op
from ttstack.dialects.ttir.build import reshape_to
from ttstack.dialects.ttir.builders import ttir
from ttstack.dialects.types import read_type
from ttstack.mlir import ir
from ttstack.ops.kv_cache import PagedUpdateCache
from ttstack.ops.types import TILE, TensorType
from ttstack.passes.base import Pass
from ttstack.passes.functions import body, functions
from ttstack.passes.ttir.ones import PERMUTATIONS
from ttstack.passes.ttir.page_orders import hold_by_head
from ttstack.passes.ttir.pages import swaps_heads, whole_numbers
from ttstack.passes.ttir.slots import before_views, places, replaces, slot_of_each

_CACHE = len(("blocks", "heads", "rows", "depth"))


class PagedCaches(Pass, name="paged-caches"):
    """A cache [blocks, heads, rows, depth] that gets a row for each user becomes one `paged_update_cache`.

    A slot says which row of which block that is, as vLLM has it. A cache [blocks, rows, heads, depth], which is
    vLLM's order, is held in that of the library first. It takes buffers whose contents are values.
    """

    def run(self, module: ir.Module) -> None:
        """Look at every assignment of every function."""
        hold_by_head(module, _has_op)
        for function in functions(module):
            for op in body(function):
                if op.name == "ttir.assign" and len(op.results) and read_type(op.operands[0].type).rank == _CACHE:
                    _write_in_place(op)


def _has_op(scatter: ir.Operation, cache: TensorType) -> bool:
    """Whether the scatter of tokens into a cache [blocks, heads, rows, depth] is a write of a row for each user."""
    blocks, heads, length, _ = cache.shape
    base, index, rows = scatter.operands
    if length % TILE or heads > TILE or not replaces(scatter) or slot_of_each(index) is None:
        return False
    users = read_type(rows.type).shape[0]
    return read_type(base.type).shape[0] == blocks * length and user_grid(users).rows <= COLUMNS


def _write_in_place(assign: ir.Operation) -> None:
    cache, value = assign.operands
    t = read_type(cache.type)
    _, heads, length, depth = t.shape
    tokens = _tokens(value, t.shape)
    scatter = None if tokens is None else defining_op(tokens, "ttir.scatter")
    if scatter is None or not _has_op(scatter, t) or _cache_of(scatter.operands[0]) != cache:
        return
    _, index, rows = scatter.operands
    users, slots = read_type(rows.type).shape[0], slot_of_each(index)
    assert slots is not None
    with ir.InsertionPoint(scatter), scatter.location:
        blocks_of, rows_of = map(whole_numbers, places(slots, length))
        operands = (cache, reshape_to(rows, (1, users, heads, depth)))
        operands = (*operands, reshape_to(rows_of, (users,)), reshape_to(blocks_of, (users, 1)))
        made = ttir.build(PagedUpdateCache.mnemonic, *operands, result=t)
    value.replace_all_uses_with(made)
    assign.results[0].replace_all_uses_with(made)
    assign.erase()


def _tokens(value: ir.Value, cache: tuple[int, ...]) -> ir.Value | None:
    """Tokens one after the other, of which the value is the cache; None where it is not made of such."""
    blocks, heads, length, depth = cache
    if (swap := defining_op(before_views(value), *PERMUTATIONS)) is None:
        return before_views(value) if heads == 1 else None
    tokens = read_type(swap.operands[0].type).shape == (blocks, length, heads, depth)
    return before_views(swap.operands[0]) if tokens and swaps_heads(swap) else None


def _cache_of(tokens: ir.Value) -> ir.Value | None:
    """The cache [blocks, heads, rows, depth] whose tokens these are, one after the other."""
    value = before_views(tokens)
    swap = defining_op(value, *PERMUTATIONS)
    cache = value if swap is None else before_views(swap.operands[0])
    shape = read_type(cache.type).shape
    if len(shape) != _CACHE or (swap is None and shape[1] != 1):
        return None
    return cache if swap is None or (swaps_heads(swap) and swap.operands[0] == cache) else None
