"""Caches in pages of tokens, [blocks, rows, heads, depth] as vLLM has them, held in the order of the library's ops."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from ttstack.dialects.defining_op import defining_op
from ttstack.dialects.signature import GivenWeight, read_arguments, read_given_weights, write_given_weights
from ttstack.dialects.ttir.build import permute_dims, reshape_to
from ttstack.dialects.ttir.builders import ttir
from ttstack.dialects.types import read_type
from ttstack.mlir import ir
from ttstack.ops.types import TensorType
from ttstack.passes.dataflow import Facts
from ttstack.passes.functions import functions, refresh_signature
from ttstack.passes.ttir.block_tables import BlockTable, block_table
from ttstack.passes.ttir.picks import Fact, make_facts
from ttstack.passes.ttir.slots import before_views
from ttstack.passes.ttir.views import VIEWS
from ttstack.program.records import HeldWeight, TensorKind

_BY_HEAD = (0, 2, 1, 3)
"""From [blocks, rows, heads, depth] to [blocks, heads, rows, depth], and back."""

IsWrite = Callable[[ir.Operation, TensorType, Facts[Fact]], bool]
"""Whether a scatter of tokens into a cache [blocks, heads, rows, depth] has an op of the library."""


def hold_by_head(module: ir.Module, is_write: IsWrite) -> None:
    """Hold caches of tokens in pages by heads, where all that is done to them is one write and reads of blocks.

    Users give and get them in their own order.
    """
    for function in functions(module):
        arguments, facts = function.regions[0].blocks[0].arguments, make_facts()
        tables = dict[BlockTable, ir.Value]()
        given, turned = read_given_weights(function), dict[str, GivenWeight]()
        for argument, signature in zip(arguments, read_arguments(function), strict=True):
            weight = given.get(signature.name, GivenWeight(HeldWeight(signature.name), read_type(argument.type).shape))
            if signature.kind is not TensorKind.PARAMETER or weight.held.order:
                continue
            if (cache := _Cache.of(argument, is_write, facts)) is not None:
                cache.hold(tables)
                turned[signature.name] = replace(weight, held=replace(weight.held, order=_BY_HEAD))
        if turned:
            write_given_weights(function, turned)
            refresh_signature(function)


@dataclass(frozen=True)
class _BlockLookup:
    """A lookup of blocks in a cache, by a table that lists them."""

    op: ir.Operation
    table: BlockTable
    of_new: bool
    """Whether the tokens that are written are among them."""


@dataclass(frozen=True)
class _Cache:
    """An argument [blocks, rows, heads, depth] with all that is done to it."""

    argument: ir.Value
    assign: ir.Operation
    write: ir.Operation
    reads: tuple[_BlockLookup, ...]

    @staticmethod
    def of(argument: ir.Value, is_write: IsWrite, facts: Facts[Fact]) -> "_Cache | None":
        """None where something else is done to it, which would take a copy in the given order."""
        t, assigns = read_type(argument.type), [u.owner.operation for u in argument.uses if _is_target(u)]
        if t.rank != len(_BY_HEAD) or len(assigns) != 1:
            return None
        write = defining_op(before_views(assigns[0].operands[1]), "ttir.scatter")
        if write is None or before_views(write.operands[0]) != argument or not is_write(write, _by_head(t), facts):
            return None
        reads = list[_BlockLookup]()
        for root in (argument, write.results[0], *assigns[0].results):
            for use in _uses(root):
                op = use.owner.operation
                if op == assigns[0] or (op == write and use.operand_number == 0):
                    continue
                table = block_table(op, t.shape, facts) if op.name == "ttir.embedding" and use.operand_number else None
                if table is None:
                    return None
                reads.append(_BlockLookup(op, table, root != argument))
        return _Cache(argument, assigns[0], write, tuple(reads))

    def hold(self, tables: dict[BlockTable, ir.Value]) -> None:
        """Give the argument the order by heads; what is done to it is done through permutations.

        `tables` are those that were written already, which keys and values share.
        """
        t = read_type(self.argument.type)
        held, lines = _by_head(t), read_type(self.write.operands[0].type).shape
        self.argument.set_type(ir.RankedTensorType.get(held.shape, self.argument.type.element_type))
        with ir.InsertionPoint(self.write), self.write.location:
            tokens = permute_dims(self.argument, _BY_HEAD)
            self.write.operands[0] = reshape_to(tokens, lines)
        with ir.InsertionPoint.after(self.write), self.write.location:
            new = permute_dims(reshape_to(self.write.results[0], t.shape), _BY_HEAD)
        for read in self.reads:
            if read.table not in tables:
                tables[read.table] = read.table.write()
            with ir.InsertionPoint(read.op), read.op.location:
                found = _look_up(new if read.of_new else self.argument, tables[read.table], held)
                result = read.op.results[0]
                result.replace_all_uses_with(reshape_to(found, read_type(result.type).shape))
            read.op.erase()
        with ir.InsertionPoint(self.assign), self.assign.location:
            ttir.assign(self.argument, new, result=held)
        _erase(self.assign)


def _look_up(cache: ir.Value, table: ir.Value, held: TensorType) -> ir.Value:
    """Tokens [entries, rows, heads, depth] of the blocks that a table lists."""
    blocks, *page = held.shape
    lines = reshape_to(cache, (blocks, held.size // blocks))
    entries = read_type(table.type)
    found = ttir.embedding(table, lines)
    return permute_dims(reshape_to(found, (entries.size, *page)), _BY_HEAD)


def _uses(value: ir.Value) -> Iterator[ir.OpOperand]:
    """Uses of the value and of its views."""
    for use in list(value.uses):
        if use.owner.name in VIEWS:
            yield from _uses(use.owner.results[0])
        else:
            yield use


def _erase(assign: ir.Operation) -> None:
    """An assignment, and views of its result, which nothing reads any more."""
    for result in assign.results:
        for use in list(result.uses):
            _erase(use.owner.operation)
    assign.erase()


def _is_target(use: ir.OpOperand) -> bool:
    return use.owner.name == "ttir.assign" and use.operand_number == 0


def _by_head(t: TensorType) -> TensorType:
    return t.with_shape(tuple(t.shape[d] for d in _BY_HEAD))
