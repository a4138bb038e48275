"""Columns of a value that are concatenated, gathered by constant indices, and moved from other values."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import accumulate, dropwhile
from typing import Any

import numpy as np

from ttstack.device.kernel_class import is_view
from ttstack.diagnostics import TTStackError
from ttstack.dialects.base import definition_of
from ttstack.dialects.ttir.destination import pure_producer
from ttstack.dialects.types import read_type
from ttstack.mlir import ir
from ttstack.ops.matmul import Matmul
from ttstack.ops.movement import Permutation
from ttstack.ops.types import TILE
from ttstack.passes.dataflow import Facts
from ttstack.passes.ttir.queries.aliases import VIEWS
from ttstack.passes.ttir.queries.compile_time import is_known
from ttstack.passes.ttir.queries.movement_chain import MOVES, PERMUTATIONS
from ttstack.passes.ttir.queries.producers import MATMULS

Array = np.ndarray[Any, Any]

PICKS = tuple(f"ttir.{name}" for name in ("slice_static", "index", "index_select", "reverse", "gather", "embedding"))
"""Ops that gather elements of a value."""
_JOIN = "ttir.concat"
MOVED = (*PICKS, *MOVES, _JOIN)
"""Ops whose result elements each are an element of an operand."""
_MOST_ELEMENTS = 1 << 22
"""Larger sources are not analyzed, as the origin of each element is computed."""


@dataclass(frozen=True, eq=False)
class GatheredColumns:
    """The columns of a value that come from one source with the same rows."""

    source: ir.Value
    rows: tuple[int, int]
    """The source axes, from the first to before the last, that index rows."""
    columns: Array
    """The column numbers."""
    positions: Array
    """The position of each column in a row of the source, along its other axes."""

    @cached_property
    def row(self) -> tuple[int, ...]:
        """The shape of a row of the source."""
        shape, (begin, end) = read_type(self.source.type).shape, self.rows
        return (*shape[:begin], *shape[end:])

    @cached_property
    def mask(self) -> Array:
        """For each element of a row of the source, whether a column gathers it."""
        mask = np.zeros(math.prod(self.row), np.bool_)
        mask[self.positions] = True
        return mask.reshape(self.row)


def gathered_columns(value: ir.Value, constants: Facts[Array | None]) -> list[GatheredColumns]:
    """Return the columns of a value by their gathered sources; none if nothing is gathered.

    None are returned either if a source that is not a matmul has more elements than the value.
    """
    trace = _Trace(constants)
    if not trace.picks(value):
        return []
    trace.follow(value)
    sizes = [read_type(source.type).size for source in trace.sources if pure_producer(source, *MATMULS) is None]
    return trace.columns(value) if max(sizes, default=0) <= read_type(value.type).size else []


@dataclass(eq=False)
class _Trace:
    """A trace back to the sources of gathered columns."""

    constants: Facts[Array | None]
    memo: dict[ir.Value, bool] = field(default_factory=dict[ir.Value, bool])
    """For each value, whether it is computed from gathered elements."""
    followed: set[ir.Value] = field(default_factory=set[ir.Value])
    sources: dict[ir.Value, None] = field(default_factory=dict[ir.Value, None])

    def picks(self, value: ir.Value) -> bool:
        """Return True if the value is computed from gathered elements, not only moved."""
        if value not in self.memo:
            self.memo[value] = False
            op = pure_producer(value, *MOVED)
            if op is not None:
                moved = op.name not in PICKS and any(map(self.picks, op.operands))
                self.memo[value] = moved or self._is_pick(op) or _lays_out(op)
        return self.memo[value]

    def follow(self, value: ir.Value, *, gathered: bool = False) -> None:
        """Trace back to the operands of the first gathers, and through moves before these."""
        op = pure_producer(value, *MOVED)
        if op is not None and (self.picks(value) or (gathered and op.name in MOVES)):
            self.followed.add(value)
            for operand in _moved(op):
                self.follow(operand, gathered=gathered or op.name in PICKS)
        else:
            self.sources[value] = None

    def columns(self, value: ir.Value) -> list[GatheredColumns]:
        """Return the columns of the value by source; none if rows differ from those of a source."""
        sizes = [read_type(v.type).size for v in (value, *self.sources)]
        begins = [0, *accumulate(sizes[1:])]
        if sum(sizes) > _MOST_ELEMENTS or 0 in sizes:
            return []
        numbers = self._numbers(dict(zip(self.sources, begins, strict=False))).about(value)
        if numbers is None:
            return []
        rows = numbers.reshape(-1, numbers.shape[-1])
        source_indices = np.searchsorted(begins, rows, side="right") - 1
        columns = [np.flatnonzero(source_indices[0] == i) for i in range(len(self.sources))]
        parts = zip(self.sources, begins, columns, strict=False)
        gathered = [_of_source(source, rows - begin, positions) for source, begin, positions in parts if positions.size]
        one = (source_indices == source_indices[0]).all()
        return [part for part in gathered if part] if one and None not in gathered else []

    def _is_pick(self, op: ir.Operation) -> bool:
        others = [v for v in op.operands if v not in _moved(op)]
        return op.name in PICKS and all(self.constants.about(v) is not None for v in others)

    def _numbers(self, begins: dict[ir.Value, int]) -> Facts[Array | None]:
        """Return facts that number each element by its position in the concatenation of all sources."""

        def transfer(value: ir.Value, op: ir.Operation | None, operands: Sequence[Array | None]) -> Array | None:
            t = read_type(value.type)
            if value in begins:
                return np.arange(t.size, dtype=np.int64).reshape(t.shape) + begins[value]
            return self.constants.about(value) if op is None else _evaluate(op, operands)

        return Facts(lambda op: op.results[0] in self.followed, transfer)


def _lays_out(op: ir.Operation) -> bool:
    """Return True if the op concatenates rows of each matrix of a matmul, and these rows do not fill tiles."""
    if op.name not in VIEWS or pure_producer(op.operands[0], *MATMULS) is None:
        return False
    width, columns = (read_type(v.type).shape[-1:] for v in (op.operands[0], op.results[0]))
    return width != columns and any(extent % TILE for extent in width) and not is_view(definition_of(op))


def _moved(op: ir.Operation) -> Sequence[ir.Value]:
    """Return the operands that contain the result's elements."""
    if op.name in PICKS:
        return [op.operands[1 if op.name == "ttir.embedding" else 0]]
    return list(op.operands)


def _evaluate(op: ir.Operation, operands: Sequence[Array | None]) -> Array | None:
    from ttstack_runtime import kernels  # takes 4 MiB: few models pick columns
    from ttstack_runtime.evaluate import KERNEL_FAULTS

    definition = definition_of(op)
    kernel = kernels.find(definition.mnemonic)
    if kernel is None or definition.results[0].size > _MOST_ELEMENTS or any(operand is None for operand in operands):
        return None
    try:
        return np.asarray(kernel(*operands, **definition.attributes()))
    except (TTStackError, *KERNEL_FAULTS):
        return None  # the run says why, at the op's place


def _of_source(source: ir.Value, numbers: Array, columns: Array) -> GatheredColumns | None:
    """Return the columns of a source, by element numbers in it; None if rows differ."""
    shape, count = read_type(source.type).shape, len(numbers)
    first, counted = numbers[0, columns], np.arange(count)[:, None]
    for begin, end in _axes(shape, count):
        inner = math.prod(shape[end:])
        in_order = (numbers[:, columns] == first + counted * inner).all()
        if in_order and (first // inner % count == 0).all():
            positions = first // (inner * count) * inner + first % inner
            return GatheredColumns(source, (begin, end), columns, positions)
    return None


def _axes(shape: Sequence[int], count: int) -> list[tuple[int, int]]:
    """Return ranges of adjacent axes with `count` elements, with leading unit axes but without trailing ones."""
    if count == 1:
        return [(0, len(shape) - len([*dropwhile((1).__eq__, shape)]))]
    pairs = [(begin, end) for begin in range(len(shape)) for end in range(begin + 1, len(shape) + 1)]
    axes = [(b, e) for b, e in pairs if math.prod(shape[b:e]) == count and 1 not in (shape[b], shape[e - 1])]
    return [(0 if math.prod(shape[:b]) == 1 else b, e) for b, e in axes]


def has_same_rows(product: ir.Operation) -> bool:
    """Return True for a matmul of rows with the same rows, transposed."""
    matmul, (a, b) = definition_of(product), list(product.operands)[:2]
    assert isinstance(matmul, Matmul)
    if matmul.transpose_a:
        return False
    if matmul.transpose_b:
        return a == b
    turn = pure_producer(b, *PERMUTATIONS)
    if turn is None or turn.operands[0] != a:
        return False
    permutation = definition_of(turn)
    assert isinstance(permutation, Permutation)
    rank = len(permutation.order)
    return permutation.order == transposition(rank)


def transposition(rank: int) -> tuple[int, ...]:
    """Return the permutation that exchanges the last two dimensions."""
    return (*range(rank - 2), rank - 1, rank - 2)


def is_finite_with(gathered: GatheredColumns) -> bool:
    """Return True if elements that are not gathered are finite if all gathered ones are, except for overflow in sums.

    That is so if everything is gathered, and for a matmul if each row and each column is part of some gathered element.
    Otherwise zeros could be multiplied by infinity.
    """
    if gathered.mask.all():
        return True
    product = pure_producer(gathered.source, *MATMULS)
    if product is None or not gathered.mask.any():
        return False
    matmul = definition_of(product)
    assert isinstance(matmul, Matmul)
    _, matrix, *bias = product.operands
    if matmul.activation or not matmul.adds_row or not all(map(is_known, bias)):
        return False
    if _is_row_of(gathered, 1):
        return is_known(matrix)
    return _is_row_of(gathered, 2) and _shows_all(product, gathered.mask.reshape(matmul.results[0].shape[-2:]))


def _is_row_of(gathered: GatheredColumns, rank: int) -> bool:
    """Return True if a row of the source consists of its last `rank` axes."""
    shape, (begin, end) = read_type(gathered.source.type).shape, gathered.rows
    return begin == 0 and math.prod(shape[end:]) == math.prod(shape[-rank:]) and len(shape) >= rank


def _shows_all(product: ir.Operation, mask: np.ndarray[Any, Any]) -> bool:
    """Return True if the gathered elements of a matmul involve each non-constant row and column."""
    rows, columns = mask.any(1), mask.any(0)
    if has_same_rows(product):
        return bool((rows | columns).all())
    return bool(rows.all()) and (is_known(product.operands[1]) or bool(columns.all()))
