"""Merging of lookups in several tables into one lookup in the concatenated table."""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from itertools import accumulate

import numpy as np

from ttstack.dialects.base import definition_of
from ttstack.dialects.built_ops import insert_before
from ttstack.dialects.defining_op import defining_op
from ttstack.dialects.functions import refresh_signature
from ttstack.dialects.op_groups import in_block_order
from ttstack.dialects.signature import erase_unused_parameters, insert_parameters, read_arguments, weight_of
from ttstack.dialects.ttir.build import reshape_to
from ttstack.dialects.ttir.builders import ttir
from ttstack.dialects.ttir.destination import pure_producer
from ttstack.dialects.types import read_type, tensor_type
from ttstack.mlir import func, ir
from ttstack.ops.base import MAX_VARIADIC
from ttstack.ops.embedding import Embedding
from ttstack.ops.shape import Concat
from ttstack.ops.types import TILE, TensorType
from ttstack.passes.base import ParameterPass
from ttstack.passes.functions import body, functions
from ttstack.passes.rewriting.candidates import saves_enough
from ttstack.passes.rewriting.prices import Prices
from ttstack.passes.stages import Stage
from ttstack.passes.ttir.embeddings.index_lists import add_to_lists, join_lists, look_up
from ttstack.passes.ttir.queries.compile_time import is_constant
from ttstack.passes.ttir.queries.producers import concat_dim
from ttstack.support.free_name import free_name

_MOST_ELEMENTS = 1 << 31
"""Tables with more elements together stay separate."""


class MergeEmbeddingTables(ParameterPass, name="merge-embedding-tables", optional=True, stage=Stage.TABLES):
    """Merge lookups in several tables into one lookup in the concatenated table.

    Indices are concatenated, and offset by the first row of their table. It is done if predicted to be faster; a module
    without a device is unchanged.
    """

    def run(self, module: ir.Module) -> None:
        """Look at every function."""
        if (prices := Prices.of(module)) is None:
            return
        for function in functions(module):
            for lookups in _alike(function):
                if lookups.stacked.size <= _MOST_ELEMENTS and _pays(lookups, prices):
                    self._stack(function, lookups)

    def _stack(self, function: func.FuncOp, lookups: "_Lookups") -> None:
        names = [argument.name for argument in read_arguments(function)]
        parts, arrays = [names[table.arg_number] for table in lookups.tables], self._weights.arrays
        weights = [weight_of(table) for table in lookups.tables]
        name = free_name(f"{parts[0]}.stacked", {*names, *arrays})
        has_values = all(weight in arrays for weight in weights)
        self._weights.derive(
            name, weights, np.concatenate([arrays[weight] for weight in weights]) if has_values else None
        )
        (table,) = insert_parameters(function, [name], [tensor_type(lookups.stacked)])
        for op in lookups.made_later:
            op.move_before(lookups.ops[0])
        with insert_before(lookups.ops[0]):
            results = lookups.rows_of(lookups.indices, table)
        replaced = lookups.read
        for op, rows in zip(replaced, results, strict=True):
            op.results[0].replace_all_uses_with(rows)
        for op in dict.fromkeys((*replaced, *lookups.ops)):
            op.erase()
        erase_unused_parameters(function, parts)
        refresh_signature(function)


@dataclass(frozen=True)
class _Lookups:
    """Lookups of equal numbers of rows, in tables of the same width."""

    ops: Sequence[ir.Operation]

    @property
    def indices(self) -> list[ir.Value]:
        """The ops after the first lookup that compute indices of others, in order."""
        return [op.operands[0] for op in self.ops]

    @property
    def made_later(self) -> list[ir.Operation]:
        """The distinct tables."""
        found, todo = set[ir.Operation](), self.indices
        while todo:
            op = defining_op(todo.pop())
            if op is not None and op not in found and self.ops[0].is_before_in_block(op):
                found.add(op)
                todo += op.operands
        return in_block_order(found)

    @property
    def tables(self) -> list[ir.BlockArgument]:
        """The type of the concatenated table."""
        return [ir.BlockArgument(table) for table in dict.fromkeys(op.operands[1] for op in self.ops)]

    @property
    def stacked(self) -> TensorType:
        """The ops whose results are used: the lookups, or the only op that concatenates them in order."""
        types = [read_type(table.type) for table in self.tables]
        return types[0].with_shape((sum(t.shape[0] for t in types), types[0].shape[1]))

    @property
    def read(self) -> list[ir.Operation]:
        """Return the results from one lookup of these indices in the concatenated table."""
        return [*self.ops] if (joined := self._joined()) is None else [joined]

    def rows_of(self, indices: Sequence[ir.Value], table: ir.Value) -> list[ir.Value]:
        """Return the first row of each table in the concatenated table."""
        each, width = read_type(indices[0].type).size, self.stacked.shape[1]
        rows = look_up(add_to_lists(join_lists(indices), self._first_rows()), table)
        shapes = [read_type(op.results[0].type).shape for op in self.read]
        if len(shapes) == 1 and shapes[0] == (each, len(indices) * width):
            heads = reshape_to(rows, (1, len(indices), each, width))
            return [reshape_to(ttir.concatenate_heads(heads), shapes[0])]
        if len(shapes) == 1:
            return [reshape_to(rows, shapes[0])]
        cut = (
            ttir.slice_static(rows, begins=(i, 0, 0), ends=(i + 1, each, width), step=(1, 1, 1))
            for i in range(len(indices))
        )
        return [reshape_to(part, shape) for part, shape in zip(cut, shapes, strict=True)]

    def _first_rows(self) -> list[int]:
        """Return the row of the table that has all rows at which the table of each begins."""
        begins = accumulate((read_type(table.type).shape[0] for table in self.tables), initial=0)
        first = dict(zip(self.tables, begins, strict=False))
        return [first[ir.BlockArgument(op.operands[1])] for op in self.ops]

    def _joined(self) -> ir.Operation | None:
        readers = {use.owner.operation for op in self.ops for use in op.results[0].uses}
        reader = readers.pop() if len(readers) == 1 else None
        if reader is None or reader.name != f"ttir.{Concat.mnemonic}":
            return None
        concat = definition_of(reader)
        assert isinstance(concat, Concat)
        t = concat.operands[0]
        below, beside = concat.dim % t.rank == 0, t.rank == len("rw") and concat.dim % t.rank == 1
        whole = list(reader.operands) == [op.results[0] for op in self.ops]
        return reader if whole and (below or (beside and t.shape[-1] % TILE == 0)) else None


def _alike(function: func.FuncOp) -> list[_Lookups]:
    """Return True if all indices can be computed before the first lookup: none depends on a lookup or on state."""
    by_key: dict[Hashable, list[ir.Operation]] = {}
    for op in body(function):
        if op.name == f"ttir.{Embedding.mnemonic}" and _is_in_parameter(op):
            index, table = map(read_type, (v.type for v in op.operands))
            by_key.setdefault((index, table.dtype, table.shape[1]), []).append(op)
    groups = [_Lookups(ops) for ops in by_key.values() if 1 < len(ops) <= MAX_VARIADIC]
    return [lookups for lookups in groups if _read_nothing_else(lookups) and _come_first(lookups)]


def _is_in_parameter(lookup: ir.Operation) -> bool:
    table, rank = lookup.operands[1], len(read_type(lookup.operands[1].type).shape)
    return rank == len("rw") and is_constant(table)


def _read_nothing_else(lookups: _Lookups) -> bool:
    ops = {*lookups.ops}
    return all(use.owner.operation in ops and use.operand_number == 1 for t in lookups.tables for use in t.uses)


def _come_first(lookups: _Lookups) -> bool:
    """Return True if one lookup, with ops for its indices and rows, is predicted to be faster."""
    later = lookups.made_later
    read = {*lookups.indices, *(value for op in later for value in op.operands)}
    looked_up = {op.results[0] for op in lookups.ops}
    return looked_up.isdisjoint(read) and all(pure_producer(op.results[0]) == op for op in later)


def _concat_dim(lookups: _Lookups) -> int:
    (reader,) = lookups.read
    return concat_dim(reader)


def _pays(lookups: _Lookups, prices: Prices) -> bool:
    """Return True if one lookup is predicted to take less time, with ops for its indices and its rows."""
    indices = [read_type(value.type) for value in lookups.indices]
    tables = [read_type(op.operands[1].type) for op in lookups.ops]
    shapes = [read_type(op.results[0].type).shape[:-1] for op in lookups.ops]
    many = len(indices)

    def apart(operands: Sequence[ir.Value]) -> list[ir.Value]:
        triples = zip(operands[:many], operands[many:], shapes, strict=True)
        rows = [ttir.embedding(index, table, shape=shape) for index, table, shape in triples]
        return rows if len(lookups.read) > 1 else [ttir.concat(*rows, dim=_concat_dim(lookups))]

    def together(operands: Sequence[ir.Value]) -> list[ir.Value]:
        return lookups.rows_of(operands[:-1], operands[-1])

    now = prices.of_region([*indices, *tables], apart, stored=range(many, 2 * many))
    then = prices.of_region([*indices, lookups.stacked], together, stored=[many])
    return saves_enough(now, then)
