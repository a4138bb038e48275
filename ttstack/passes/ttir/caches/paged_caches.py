"""In-place writes of tokens into paged caches, instead of copies."""

from ttstack.dialects.defining_op import defining_op
from ttstack.dialects.types import read_type
from ttstack.mlir import ir
from ttstack.ops.types import TILE, TensorType
from ttstack.passes.base import Pass
from ttstack.passes.dataflow import Facts
from ttstack.passes.functions import body, functions
from ttstack.passes.rewriting.prices import Prices
from ttstack.passes.stages import Stage
from ttstack.passes.ttir.caches.paged_cache_order import put_heads_first
from ttstack.passes.ttir.caches.paged_cache_writes import PageWrite
from ttstack.passes.ttir.facts.index_values import Fact, make_facts
from ttstack.passes.ttir.facts.paged_reads import swaps_heads
from ttstack.passes.ttir.facts.slot_mapping import before_views
from ttstack.passes.ttir.queries.movement_chain import PERMUTATIONS

_CACHE = len(("blocks", "heads", "rows", "depth"))


class PagedCaches(
    Pass,
    name="paged-caches",
    optional=True,
    stage=Stage.STATE,
    after={"split-state-buffers": "keys and values are separate buffers"},
):
    """Rewrite writes to paged caches to `paged_fill_cache` and `paged_update_cache`.

    The former writes prompts into the blocks of a table; the latter writes tokens at slots (block and row, as in vLLM),
    as many at a time as there are cores. A cache [blocks, rows, heads, depth], vLLM's order, is first converted to the
    library's order. It runs after `version-buffers`.
    """

    def run(self, module: ir.Module) -> None:
        """Rewrite every assignment of every function."""
        if (prices := Prices.of(module)) is None:
            return
        put_heads_first(module, lambda scatter, cache, facts: _of_tokens(_find(scatter, cache, facts, prices)), prices)
        for function in functions(module):
            facts = make_facts()
            for op in body(function):
                if op.name == "ttir.assign" and len(op.results) and read_type(op.operands[0].type).rank == _CACHE:
                    _write_in_place(op, facts, prices)


def _find(
    scatter: ir.Operation, cache: TensorType, facts: Facts[Fact], prices: Prices, *, by_head: bool = False
) -> PageWrite | None:
    write = PageWrite.of(scatter, cache, facts, by_head=by_head)
    return write if write is not None and write.pays(prices) else None


def _of_tokens(write: PageWrite | None) -> PageWrite | None:
    """Return a write of tokens; None if its rows are blocks, which may have the order by heads."""
    return None if write is None or (write.is_of_blocks and write.cache.shape[1] % TILE == 0) else write


def _write_in_place(assign: ir.Operation, facts: Facts[Fact], prices: Prices) -> None:
    cache, value = assign.operands
    t = read_type(cache.type)
    swap = defining_op(before_views(value), *PERMUTATIONS)
    if swap is not None and not _from_tokens(swap, t):
        return
    scatter = defining_op(before_views(value if swap is None else swap.operands[0]), "ttir.scatter")
    if scatter is None or _cache_of(scatter.operands[0], swapped=swap is not None) != cache:
        return
    if (write := _find(scatter, t, facts, prices, by_head=swap is None)) is not None:
        written = write.write(cache)
        value.replace_all_uses_with(written)
        assign.results[0].replace_all_uses_with(written)
        assign.erase()


def _from_tokens(swap: ir.Operation, cache: TensorType) -> bool:
    """Return True if a permutation gives the cache from blocks of tokens."""
    blocks, heads, length, depth = cache.shape
    return swaps_heads(swap) and read_type(swap.operands[0].type).shape == (blocks, length, heads, depth)


def _cache_of(lines: ir.Value, *, swapped: bool) -> ir.Value | None:
    """Return the cache of these tokens or blocks, through a permutation if `swapped`."""
    value = before_views(lines)
    swap = defining_op(value, *PERMUTATIONS)
    if not swapped or swap is None:
        return None if swapped else value
    return swap.operands[0] if swaps_heads(swap) else None
