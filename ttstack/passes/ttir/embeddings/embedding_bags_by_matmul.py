"""Embedding bags with offsets as lookups of rows, and one matmul with a 0/1 matrix."""

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from functools import cached_property, partial

from ttstack.dialects.base import definition_of
from ttstack.dialects.built_ops import insert_before
from ttstack.dialects.functions import refresh_signature
from ttstack.dialects.signature import insert_parameters, read_arguments, weight_of
from ttstack.dialects.ttir.build import reshape_to
from ttstack.dialects.ttir.builders import ttir
from ttstack.dialects.types import read_type, tensor_type
from ttstack.mlir import func, ir
from ttstack.ops.attention import SplitHeads
from ttstack.ops.base import MAX_VARIADIC
from ttstack.ops.embedding import EmbeddingBag
from ttstack.ops.shape import Concat
from ttstack.ops.types import TILE, TensorType
from ttstack.passes.base import ParameterPass
from ttstack.passes.functions import body, functions
from ttstack.passes.rewriting.candidates import saves_enough
from ttstack.passes.rewriting.pattern import apply_patterns
from ttstack.passes.rewriting.prices import Prices
from ttstack.passes.stages import Stage
from ttstack.passes.ttir.embeddings.bag_rows import BagRows
from ttstack.passes.ttir.movement.stack_heads import stack_heads
from ttstack.passes.ttir.queries.compile_time import is_constant
from ttstack.support.free_name import free_name


class EmbeddingBagsByMatmul(
    ParameterPass,
    name="embedding-bags-by-matmul",
    optional=True,
    stage=Stage.TABLES,
    before={"merge-embedding-tables": "it merges the tables of bags itself"},
):
    """Compute sums of embedding bags as lookups and one batched matmul for all tables.

    The matmul's matrix is 1 if a row belongs to a bag. It is computed by comparisons, or by a lookup of offsets in a
    matrix. It is done if predicted to be faster; a module without a device is unchanged. Zeros are multiplied by rows
    of other bags, so tables must be read-only parameters, and are recorded as finite.
    """

    max_bytes: int = 1 << 26
    """Maximum size of the matrix for lookups."""

    def run(self, module: ir.Module) -> None:
        """Look at every function."""
        if (prices := Prices.of(module)) is None:
            return
        alike = [(function, _Bags(ops)) for function in functions(module) for ops in _alike(function)]
        pooled = [self._pool(function, bags, prices) for function, bags in alike]
        if any(pooled):
            heads = partial(stack_heads, prices=prices)  # sums of all tables lie as heads do
            apply_patterns(module, [(f"ttir.{SplitHeads.mnemonic}", heads)])

    def _pool(self, function: func.FuncOp, bags: "_Bags", prices: Prices) -> bool:
        tables = [ir.BlockArgument(table) for table in bags.tables if is_constant(table)]
        if len(tables) < len(bags.tables):
            return False
        matrices, many, end = bags.rows.matrices, len(tables), len(bags.types)
        stored = range(many, 2 * many)
        compared, now = (prices.of_region(bags.types, build, stored=stored) for build in (bags.pool, bags.apart))
        looked_up = math.inf
        if max(t.nbytes for t in matrices) <= self.max_bytes:
            stored = [*stored, *range(end, end + len(matrices))]
            looked_up = prices.of_region([*bags.types, *matrices], bags.pool, stored=stored)
        if not saves_enough(now, min(compared, looked_up)):
            return False
        if not self._weights.assume_finite([weight_of(table) for table in tables]):
            return False
        parameters = self._insert_matrices(function, bags.rows) if looked_up < compared else []
        with insert_before(bags.ops[-1]):
            bags.replace(bags.pool([*bags.operands, *parameters]))
        return True

    def _insert_matrices(self, function: func.FuncOp, rows: BagRows) -> list[ir.Value]:
        """Add parameters with the matrices for lookups of bag membership."""
        names, arrays = [argument.name for argument in read_arguments(function)], self._weights.arrays
        new_names: list[str] = []
        for elements in rows.elements():
            new_names.append(free_name("rows_of_bags", {*names, *arrays}))
            arrays[new_names[-1]] = elements
        values = insert_parameters(function, new_names, [tensor_type(t) for t in rows.matrices])
        refresh_signature(function)
        return values


@dataclass(frozen=True)
class _Bags:
    """Bags with equal numbers of rows in tables of the same width."""

    ops: Sequence[ir.Operation]

    @cached_property
    def rows(self) -> BagRows:
        """The membership of rows in bags."""
        bag = definition_of(self.ops[0])
        assert isinstance(bag, EmbeddingBag)
        assert bag.offsets is not None
        return BagRows(len(self.ops), bag.input.size, self.each[0], bag.offsets)

    @property
    def each(self) -> tuple[int, int]:
        """The shape of each result: bags, and row width."""
        count, width = read_type(self.ops[0].results[0].type).shape
        return count, width

    @property
    def operands(self) -> list[ir.Value]:
        """The operands of all bags: indices, then tables, then offsets."""
        return [op.operands[place] for place in range(_OPERANDS) for op in self.ops]

    @property
    def tables(self) -> Sequence[ir.Value]:
        """The table of each bag."""
        return self._by_place(self.operands)[1]

    def _by_place(self, operands: Sequence[ir.Value]) -> list[Sequence[ir.Value]]:
        """Split operands into indices, tables, offsets, and the rest."""
        many, end = len(self.ops), _OPERANDS * len(self.ops)
        return [*(operands[begin : begin + many] for begin in range(0, end, many)), operands[end:]]

    @property
    def types(self) -> list[TensorType]:
        """The types of the operands."""
        return [read_type(value.type) for value in self.operands]

    def apart(self, operands: Sequence[ir.Value]) -> list[ir.Value]:
        """Build separate bags from such operands."""
        indices, tables, offsets, _ = self._by_place(operands)
        ends = self.rows.has_end
        triples = zip(indices, tables, offsets, strict=True)
        pooled = [ttir.embedding_bag(*triple, mode="sum", include_last_offset=ends) for triple in triples]
        return [ttir.concat(*pooled, dim=1)] if self._beside else pooled

    def pool(self, operands: Sequence[ir.Value]) -> list[ir.Value]:
        """Compute all bags by one matmul, from such operands and the matrices for lookups."""
        many, (count, width) = len(self.ops), self.each
        indices, tables, offsets, matrices = self._by_place(operands)
        looked_up = [ttir.embedding(*pair, shape=(1, self.rows.rows)) for pair in zip(indices, tables, strict=True)]
        rows = looked_up[0] if many == 1 else ttir.concat(*looked_up, dim=0)
        ones = self.rows.look_up(offsets, *matrices) if matrices else self.rows.compare(offsets)
        real = read_type(rows.type).with_shape(read_type(ones.type).shape)
        sums = ttir.matmul(ttir.typecast(ones, result=real), rows)
        if self._beside:
            beside = ttir.concatenate_heads(reshape_to(sums, (1, many, count, width)))
            return [reshape_to(beside, (count, many * width))]
        if many == 1:
            return [reshape_to(sums, (count, width))]
        cut = (
            ttir.slice_static(sums, begins=(i, 0, 0), ends=(i + 1, count, width), step=(1, 1, 1)) for i in range(many)
        )
        return [reshape_to(part, (count, width)) for part in cut]

    def replace(self, results: Sequence[ir.Value]) -> None:
        """Replace the bags by these results."""
        if (reader := self._beside) is None:
            for op, value in zip(self.ops, results, strict=True):
                op.results[0].replace_all_uses_with(value)
        else:
            operands = list(reader.operands)
            position = operands.index(self.ops[0].results[0])
            operands[position : position + len(self.ops)] = results
            with insert_before(reader):
                joined = operands[0] if len(operands) == 1 else ttir.concat(*operands, dim=1)
            reader.results[0].replace_all_uses_with(joined)
            reader.erase()
        for op in self.ops:
            op.erase()

    @cached_property
    def _beside(self) -> ir.Operation | None:
        """The only user of the bags, if it concatenates them in order, in whole tiles."""
        readers = {use.owner.operation for op in self.ops for use in op.results[0].uses}
        reader = readers.pop() if len(readers) == 1 and len(self.ops) > 1 and self.each[1] % TILE == 0 else None
        if reader is None or reader.name != f"ttir.{Concat.mnemonic}":
            return None
        concat, operands, results = definition_of(reader), list(reader.operands), [op.results[0] for op in self.ops]
        assert isinstance(concat, Concat)
        position = operands.index(results[0])
        in_order = operands[position : position + len(results)] == results and operands.count(results[0]) == 1
        return reader if concat.dim in (1, -1) and in_order else None


_OPERANDS = 3
"""The number of operands: indices, a table, and offsets."""


def _alike(function: func.FuncOp) -> list[list[ir.Operation]]:
    """Group bags of equal size and table width that are not used before the last one is computed."""
    by_key: dict[Hashable, list[ir.Operation]] = {}
    for op in body(function):
        if op.name == f"ttir.{EmbeddingBag.mnemonic}" and (key := _shared(op)) is not None:
            by_key.setdefault(key, []).append(op)
    groups = (group for group in by_key.values() if len(group) <= MAX_VARIADIC)
    return [group for group in groups if not any(_read_before(op, group[-1]) for op in group)]


def _shared(op: ir.Operation) -> tuple[Hashable, ...] | None:
    """Return the properties that bags must share to be merged; None unless the mode is a plain sum with offsets."""
    bag = definition_of(op)
    assert isinstance(bag, EmbeddingBag)
    if bag.offsets is None or bag.per_sample_weights is not None or bag.mode != "sum" or bag.padding_idx != -1:
        return None
    return bag.input, bag.offsets, bag.include_last_offset, bag.results[0]


def _read_before(op: ir.Operation, last: ir.Operation) -> bool:
    return any(use.owner.is_before_in_block(last) for use in op.results[0].uses)
