"""One recurrence in place of two, with interleaved columns."""

import math
from collections.abc import Hashable, Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field

from ttstack.dialects.base import definition_of
from ttstack.dialects.defining_op import defining_op
from ttstack.dialects.ttir.builders import ttir
from ttstack.dialects.types import read_type
from ttstack.mlir import func, ir
from ttstack.ops.base import Op
from ttstack.ops.indexing import SliceStatic
from ttstack.ops.matmul import Matmul
from ttstack.passes.functions import body
from ttstack.passes.rewriting.prices import Prices
from ttstack.passes.ttir.queries.compile_time import parameters
from ttstack.passes.ttir.queries.topological_order import in_order
from ttstack.passes.ttir.recurrence.interleaved_columns import InterleavedColumns, block_columns, on_diagonal
from ttstack.passes.ttir.recurrence.paired_ops import PairedOps
from ttstack.passes.ttir.recurrence.paired_time_steps import Sense

_BLOCKS = 8
"""Tensors with more blocks of columns need more slices than merging saves."""


@dataclass(frozen=True)
class MergedRecurrence:
    """Pairs of ops of a function, and their replacements."""

    function: func.FuncOp
    pairs: PairedOps
    lanes: InterleavedColumns
    merged: dict[Hashable, ir.Value] = field(default_factory=dict[Hashable, ir.Value])
    """Interleaved values: of pairs by their first ops, and of others by their sources."""

    @staticmethod
    def of(function: func.FuncOp, pairs: PairedOps) -> "MergedRecurrence":
        """Create one with the widest blocks that all columns consist of."""
        return MergedRecurrence(function, pairs, InterleavedColumns(math.gcd(*_columns(pairs))))

    def replace(self, prices: Prices) -> bool:
        """Replace each pair by one op if that takes less time; return True if it does."""
        columns = _columns(self.pairs)
        if not columns or max(columns) > _BLOCKS * self.lanes.block:
            return False
        *before, end = body(self.function)
        paired = {*self.pairs.first, *self.pairs.second}
        with ir.InsertionPoint(end):
            for op in filter(self.pairs.second.__contains__, before):
                with op.location:
                    self.merged[op] = self._make(op, self.pairs.second[op])
            apart = [*self._apart(paired)]
        new = body(self.function)[len(before) : -1]
        gone = _without_readers(before, paired)
        old = [op for op in before if op in gone]
        if _time(new, prices) >= _time(old, prices):
            _erase(new)
            return False
        position = before.index(old[0])
        order = [*before[:position], *new, *(op for op in before[position:] if op not in gone)]
        for value, lane in apart:
            for op, place in [(use.owner.operation, use.operand_number) for use in value.uses]:
                if op not in gone:
                    op.operands[place] = lane
        _erase(old)
        for op in in_order(order):
            op.move_before(end)
        return True

    def _make(self, a: ir.Operation, b: ir.Operation) -> ir.Value:
        if (tensors := self.pairs.tensors(a)) is not None:
            return self.lanes.make(a, [self._stepped(*tensors)])
        if isinstance(definition_of(a), Matmul):
            return self._product(a, b, self._both(a.operands[0], b.operands[0]), self.lanes.block)
        columns, others = read_type(a.results[0].type).shape[-1], list(b.operands)
        values = zip(a.operands, others[::-1] if a in self.pairs.reversed_dims else others, strict=True)
        return self.lanes.make(a, [v if _is_common(v, w, columns) else self._both(v, w) for v, w in values])

    def _both(self, a: ir.Value, b: ir.Value) -> ir.Value:
        """Return two values interleaved."""
        pair = self.pairs.of(a, b)
        key = (a, b) if pair is None else pair
        if key not in self.merged:
            self.merged[key] = self.lanes.join(a, b)
        return self.merged[key]

    def _product(self, a: ir.Operation, b: ir.Operation, rows: ir.Value, block: int) -> ir.Value:
        """Build two matmuls as one, of rows interleaved in such blocks."""
        product, (weight, *bias), (other, *its_bias) = definition_of(a), list(a.operands)[1:], list(b.operands)[1:]
        assert isinstance(product, Matmul)
        blocks = (self.lanes.block, block) if product.transpose_b else (block, self.lanes.block)
        if (key := (weight, other, blocks)) not in self.merged:
            self.merged[key] = on_diagonal(weight, other, blocks)
        biases = [self._both(*pair) for pair in zip(bias, its_bias, strict=True)]
        return ttir.build(product.mnemonic, rows, self.merged[key], *biases, **product.attributes())

    def _stepped(self, a: ir.Value, b: ir.Value) -> ir.Value:
        """Return two tensors of time steps interleaved, or the matmul of their interleaved operands."""
        sense = self.pairs.sense(a, b)
        if (key := (a, b, sense)) not in self.merged:
            self.merged[key] = self._aligned(a, b, sense)
        return self.merged[key]

    def _aligned(self, a: ir.Value, b: ir.Value, sense: Sense) -> ir.Value:
        one, other = defining_op(a), defining_op(b)
        if one is None or other is None or not self.pairs.multiply_alike(one, other):
            return self.lanes.join(a, _reversed(b, sense))
        columns = read_type(one.operands[0].type).shape[-1]
        rows = InterleavedColumns(columns).join(one.operands[0], _reversed(other.operands[0], sense))
        return self._product(one, other, rows, columns)

    def _apart(self, paired: AbstractSet[ir.Operation]) -> Iterator[tuple[ir.Value, ir.Value]]:
        """Yield each value with other uses, and its replacement."""
        for a, b in self.pairs.second.items():
            for index, op in enumerate((a, b)):
                if any(use.owner.operation not in paired for use in op.results[0].uses):
                    with op.location:
                        lane = self.lanes.lane(self.merged[a], index)
                        yield op.results[0], _reversed(lane, self.pairs.reversed_dims.get(a) if index else None)


def _is_common(a: ir.Value, b: ir.Value, columns: int) -> bool:
    """Return True if an elementwise op reads the same value for both, broadcast along columns."""
    return a == b and read_type(a.type).shape[-1:] != (columns,)


def _columns(pairs: PairedOps) -> set[int]:
    return {n for op in pairs.second for n in block_columns(definition_of(op))}


def _reversed(value: ir.Value, sense: Sense) -> ir.Value:
    return value if sense is None else ttir.reverse(value, dimensions=(sense,))


def _without_readers(ops: Sequence[ir.Operation], gone: set[ir.Operation]) -> set[ir.Operation]:
    """Return these ops, and ops that become unused."""
    for op in reversed(ops):
        readers = [use.owner.operation for result in op.results for use in result.uses]
        if readers and all(reader in gone for reader in readers):
            gone.add(op)
    return gone


def _time(ops: Iterable[ir.Operation], prices: Prices) -> float:
    """Return the nanoseconds of ops that run, without constants."""
    constants = parameters()
    done = (op for op in ops if op.name != "ttir.constant" and constants.about(op.results[0]) is None)
    return prices.sum_of(_first_step(definition_of(op)) for op in done)


def _first_step(op: Op) -> Op:
    """Return the slice of the first time step for any time step, as all have one price."""
    if not isinstance(op, SliceStatic) or not op.counts_up:
        return op
    lead = (0,) * max(0, op.input.rank - 2)
    begins = (*lead, *op.begins[len(lead) :])
    ends = tuple(b + n for b, n in zip(begins, op.results[0].shape, strict=True))
    return SliceStatic(input=op.input, begins=begins, ends=ends, step=op.step)


def _erase(ops: Sequence[ir.Operation]) -> None:
    for op in reversed(ops):
        op.erase()
