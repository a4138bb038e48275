"""Bags of embeddings that offsets say, as lookups of rows, and one product with ones where a bag has a row."""

from collections.abc import Hashable, Sequence

from ttstack.dialects.base import describe
from ttstack.dialects.ttir.build import reshape_to
from ttstack.dialects.ttir.builders import ttir
from ttstack.dialects.types import read_type
from ttstack.mlir import func, ir
from ttstack.ops.base import MAX_VARIADIC
from ttstack.ops.embedding import EmbeddingBag
from ttstack.ops.types import DType, TensorType
from ttstack.passes.base import Pass
from ttstack.passes.functions import body, functions
from ttstack.passes.ttir.price import Prices


class PoolBags(Pass, name="pool-bags"):
    """Sums of bags of several tables become lookups, whose rows one batched product adds up for all tables.

    Ones stand where a bag begins at a row or before, and ends after it. It is done where that is predicted to take
    less time; a module without a device stays as it is.
    """

    def run(self, module: ir.Module) -> None:
        """Look at every function."""
        if (prices := Prices.of(module)) is None:
            return
        for function in functions(module):
            for bags in _alike(function):
                _pool(function, bags, prices)


def _alike(function: func.FuncOp) -> list[list[ir.Operation]]:
    """Bags of as many rows in tables of the same width, none of which is read before the last is there."""
    found: dict[Hashable, list[ir.Operation]] = {}
    for op in body(function):
        if op.name == f"ttir.{EmbeddingBag.mnemonic}" and (key := _shared(op)) is not None:
            found.setdefault(key, []).append(op)
    groups = (group for group in found.values() if len(group) <= MAX_VARIADIC)
    return [group for group in groups if not any(_read_before(op, group[-1]) for op in group)]


def _shared(op: ir.Operation) -> tuple[Hashable, ...] | None:
    """What bags have in common that are pooled at once; None where rows are not simply added up as offsets say."""
    bag = describe(op)
    assert isinstance(bag, EmbeddingBag)
    if bag.offsets is None or bag.per_sample_weights is not None or bag.mode != "sum" or bag.padding_idx != -1:
        return None
    return bag.input, bag.offsets, bag.include_last_offset, bag.results[0]


def _read_before(op: ir.Operation, last: ir.Operation) -> bool:
    return any(use.owner.operation.is_before_in_block(last) for use in op.results[0].uses)


def _pool(function: func.FuncOp, bags: Sequence[ir.Operation], prices: Prices) -> None:
    last = bags[-1]
    before = {*body(function)}
    with ir.InsertionPoint(last), last.location:
        pooled = _pooled(bags)
        count, width = read_type(last.results[0].type).shape
        parts = [_part(pooled, i, (count, width)) for i in range(len(bags))]
    made = [op for op in body(function) if op not in before]
    if prices.total(map(describe, made)) < prices.total(map(describe, bags)):
        for bag, part in zip(bags, parts, strict=True):
            bag.results[0].replace_all_uses_with(part)
        made = list(bags)
    for op in reversed(made):
        op.erase()


def _pooled(bags: Sequence[ir.Operation]) -> ir.Value:
    """[tables, bags, width]: the rows of each table that a bag has, added up."""
    bag = describe(bags[0])
    assert isinstance(bag, EmbeddingBag)
    count, rows = bag.results[0].shape[0], bag.input.size
    found = [_row(bag_op, rows) for bag_op in bags]
    ones = ttir.typecast(_ones(bags, count, rows), result=bag.weight.with_shape((len(bags), count, rows)))
    return ttir.matmul(ones, _joined(found))


def _row(bag: ir.Operation, rows: int) -> ir.Value:
    """[1, rows, width]: what the indices of a bag pick."""
    indices, table, _ = bag.operands
    with bag.location:
        return ttir.embedding(indices, table, shape=(1, rows))


def _ones(bags: Sequence[ir.Operation], count: int, rows: int) -> ir.Value:
    """[tables, bags, rows]: whether a bag has a row."""
    offsets = [op.operands[2] for op in bags]
    t = read_type(offsets[0].type)
    starts = _joined([reshape_to(v, (1, 1, t.size)) for v in offsets])
    begins, ends = _slice(starts, 0, count), _slice(starts, 1, t.size)
    if t.size == count:
        rest = TensorType((len(bags), 1, 1), t.dtype)
        ends = ttir.concat(ends, ttir.full(result=rest, shape=rest.shape, fill_value=rows), dim=2)
    place = TensorType((1, 1, rows), t.dtype)
    places = ttir.arange(result=place, start=0, end=rows, step=1, arange_dimension=2)
    whole = TensorType((len(bags), count, rows), DType.I1)
    begun = ttir.ge(places, _column(begins), result=whole)
    return ttir.logical_and(begun, ttir.lt(places, _column(ends), result=whole), result=whole)


def _column(row: ir.Value) -> ir.Value:
    """[tables, bags, 1] of [tables, 1, bags]."""
    return ttir.permute(row, permutation=(0, 2, 1))


def _slice(rows: ir.Value, begin: int, end: int) -> ir.Value:
    """Columns of [tables, 1, columns]."""
    tables, one, columns = read_type(rows.type).shape
    if (begin, end) == (0, columns):
        return rows
    return ttir.slice_static(rows, begins=(0, 0, begin), ends=(tables, one, end), step=(1, 1, 1))


def _joined(parts: Sequence[ir.Value]) -> ir.Value:
    return parts[0] if len(parts) == 1 else ttir.concat(*parts, dim=0)


def _part(pooled: ir.Value, at: int, shape: tuple[int, int]) -> ir.Value:
    """The bags of one table."""
    tables, *each = read_type(pooled.type).shape
    if tables > 1:
        pooled = ttir.slice_static(pooled, begins=(at, 0, 0), ends=(at + 1, *each), step=(1, 1, 1))
    return reshape_to(pooled, shape)
