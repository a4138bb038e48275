"""Reorder paged caches [blocks, rows, heads, depth], as in vLLM, to the order of the library's ops."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from ttstack.dialects.base import definition_of
from ttstack.dialects.built_ops import insert_before
from ttstack.dialects.defining_op import defining_op
from ttstack.dialects.functions import refresh_signature
from ttstack.dialects.signature import GivenWeight, read_arguments, read_given_weights, write_given_weights
from ttstack.dialects.ttir.build import permute_dims, reshape_to
from ttstack.dialects.ttir.builders import ttir
from ttstack.dialects.ttir.destination import assigns
from ttstack.dialects.types import read_type
from ttstack.mlir import ir
from ttstack.ops.shape import Permute, Reshape
from ttstack.ops.types import TensorType
from ttstack.passes.dataflow import Facts
from ttstack.passes.functions import functions
from ttstack.passes.rewriting.prices import Prices
from ttstack.passes.ttir.caches.paged_cache_writes import PageWrite
from ttstack.passes.ttir.facts.block_tables import BlockTable, block_table
from ttstack.passes.ttir.facts.index_values import Fact, make_facts
from ttstack.passes.ttir.facts.slot_mapping import before_views
from ttstack.passes.ttir.queries.aliases import VIEWS
from ttstack.program.records import HeldWeight, TensorKind

_BY_HEAD = (0, 2, 1, 3)
"""From [blocks, rows, heads, depth] to [blocks, heads, rows, depth], and back."""

FindWrite = Callable[[ir.Operation, TensorType, Facts[Fact]], PageWrite | None]
"""Returns the library's ops for a scatter of tokens into a cache [blocks, heads, rows, depth]; None if unsupported."""


def put_heads_first(module: ir.Module, find: FindWrite, prices: Prices) -> None:
    """Store paged caches by heads if all their uses are one write and reads of blocks.

    Parameters are stored in this order, and users see their own order. Inputs are permuted and back, if that is
    predicted to be faster than the write in their order.
    """
    for function in functions(module):
        arguments, facts = function.regions[0].blocks[0].arguments, make_facts()
        tables = dict[BlockTable, ir.Value]()
        weights, permuted = read_given_weights(function), dict[str, GivenWeight]()
        for argument, signature in zip(arguments, read_arguments(function), strict=True):
            weight = weights.get(
                signature.name, GivenWeight(HeldWeight(signature.name), read_type(argument.type).shape)
            )
            cache = None if weight.held.order else _Cache.of(argument, find, facts)
            if cache is None:
                continue
            if signature.kind is TensorKind.PARAMETER:
                cache.hold(tables)
                permuted[signature.name] = replace(weight, held=replace(weight.held, order=_BY_HEAD))
            elif cache.permuting_pays(prices):
                cache.permute(tables)
        if permuted:
            write_given_weights(function, permuted)
            refresh_signature(function)


@dataclass(frozen=True)
class _BlockLookup:
    """A lookup of cache blocks by a page table."""

    op: ir.Operation
    table: BlockTable
    of_new: bool
    """Whether the newly written tokens are included."""


@dataclass(frozen=True)
class _Cache:
    """An argument [blocks, rows, heads, depth] with all its uses."""

    argument: ir.Value
    assign: ir.Operation
    write: PageWrite
    reads: tuple[_BlockLookup, ...]

    @staticmethod
    def of(argument: ir.Value, find: FindWrite, facts: Facts[Fact]) -> "_Cache | None":
        """Return the cache of an argument; None if other uses need a copy in the original order."""
        t, written = read_type(argument.type), [u.owner.operation for u in argument.uses if assigns(u)]
        if t.rank != len(_BY_HEAD) or len(written) != 1:
            return None
        scatter = defining_op(before_views(written[0].operands[1]), "ttir.scatter")
        if scatter is None or before_views(scatter.operands[0]) != argument:
            return None
        if (write := find(scatter, _by_head(t), facts)) is None:
            return None
        reads = list[_BlockLookup]()
        for root in (argument, scatter.results[0], *written[0].results):
            for use in _uses(root):
                op = use.owner.operation
                if op == written[0] or (op == scatter and use.operand_number == 0):
                    continue
                table = block_table(op, t.shape, facts) if op.name == "ttir.embedding" and use.operand_number else None
                if table is None:
                    return None
                reads.append(_BlockLookup(op, table, root != argument))
        return _Cache(argument, written[0], write, tuple(reads))

    def hold(self, tables: dict[BlockTable, ir.Value]) -> None:
        """Change the argument to the order by heads.

        `tables` are the page tables already built, shared by keys and values.
        """
        element, old = ir.RankedTensorType(self.argument.type).element_type, self._views()
        self.argument.set_type(ir.RankedTensorType.get(self.write.cache.shape, element))
        self._rewrite(self.argument, tables)
        self._erase_old(old)

    def permute(self, tables: dict[BlockTable, ir.Value]) -> None:
        """Permute the argument's values before the write, and the assigned value back."""
        scatter, assign, old = self.write.scatter, self.assign, self._views()
        with insert_before(scatter):
            cache = permute_dims(self.argument, _BY_HEAD)
        written = self._rewrite(cache, tables)
        with insert_before(assign):
            ttir.assign(self.argument, permute_dims(written, _BY_HEAD), result=read_type(self.argument.type))
        self._erase_old(old)

    def permuting_pays(self, prices: Prices) -> bool:
        """Return True if permuting the cache and back is predicted to be faster than scattering into a copy of it."""
        t, scatter = read_type(self.argument.type), definition_of(self.write.scatter)
        permute = Permute(input=t, permutation=_BY_HEAD)
        inverse = Permute(input=permute.results[0], permutation=_BY_HEAD)
        lines = scatter.operands[0]
        kept = (Reshape(input=t, shape=lines.shape), scatter, Reshape(input=lines, shape=t.shape))
        return prices.sum_of((permute, inverse)) < prices.sum_of(kept)

    def _rewrite(self, cache: ir.Value, tables: dict[BlockTable, ir.Value]) -> ir.Value:
        """Write into a cache by heads, read from it, and return the updated cache."""
        written = self.write.write(cache)
        for read in self.reads:
            if read.table not in tables:
                tables[read.table] = read.table.write()
            with insert_before(read.op):
                tokens = _look_up(written if read.of_new else cache, tables[read.table], self.write.cache)
                result = read.op.results[0]
                result.replace_all_uses_with(reshape_to(tokens, read_type(result.type).shape))
            read.op.erase()
        return written

    def _views(self) -> list[ir.Operation]:
        return [use.owner.operation for use in self.argument.uses if use.owner.name in VIEWS]

    def _erase_old(self, views: list[ir.Operation]) -> None:
        """Erase the unused ops of the original order."""
        for op in (self.assign, self.write.scatter, *views):
            _erase(op)


def _look_up(cache: ir.Value, table: ir.Value, cache_type: TensorType) -> ir.Value:
    """Gather tokens [entries, rows, heads, depth] of the blocks in a table."""
    blocks, *page = cache_type.shape
    lines = reshape_to(cache, (blocks, cache_type.size // blocks))
    entries = read_type(table.type)
    tokens = ttir.embedding(table, lines)
    return permute_dims(reshape_to(tokens, (entries.size, *page)), _BY_HEAD)


def _uses(value: ir.Value) -> Iterator[ir.OpOperand]:
    """Yield the uses of the value and of its views."""
    for use in list(value.uses):
        if use.owner.name in VIEWS:
            yield from _uses(use.owner.results[0])
        else:
            yield use


def _erase(op: ir.Operation) -> None:
    """Erase an unused op and the views of its results."""
    for result in op.results:
        while uses := list(result.uses):
            _erase(uses[0].owner.operation)
    op.erase()


def _by_head(t: TensorType) -> TensorType:
    return t.with_shape(tuple(t.shape[d] for d in _BY_HEAD))
