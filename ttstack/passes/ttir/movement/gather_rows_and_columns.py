"""Chains of moves of whole rows and columns as one row lookup and a matmul with a 0/1 matrix."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from ttstack.dialects.base import definition_of
from ttstack.dialects.ttir import views
from ttstack.dialects.ttir.build import constant, reshape_to
from ttstack.dialects.ttir.builders import ttir
from ttstack.dialects.ttir.destination import pure_producer
from ttstack.dialects.types import read_type
from ttstack.mlir import ir
from ttstack.ops.index_map import IndexMap
from ttstack.ops.indexing import SliceStatic
from ttstack.ops.shape import Concat
from ttstack.ops.types import DType, TensorType
from ttstack.passes.rewriting.candidates import Candidate
from ttstack.passes.rewriting.rewrite import Context, rewrite
from ttstack.passes.stages import Stage
from ttstack.passes.ttir.queries.compile_time import MOST_MASK_ELEMENTS, is_known
from ttstack.passes.ttir.queries.movement_chain import MOVES, ways

Lines = np.ndarray[Any, np.dtype[np.int64]]
"""For each row or column of a value, the number of the source's row or column."""
MOST_SELECTION_ELEMENTS = 1 << 20
"""Maximum number of elements of a 0/1 matrix: 2 MiB in bf16."""
_FEWEST_MOVES = 2
_CUTS = ("ttir.slice_static", "ttir.concat")
_MOVING = (*MOVES, *_CUTS)


@dataclass(frozen=True)
class Gathered:
    """A value whose element at a row and a column is the source's at `rows[row]` and `columns[column]`."""

    source: ir.Value
    rows: Lines
    """Row numbers in the shape of the value without its last dimension."""
    columns: Lines
    moves: int
    """Number of moves in a chain."""

    @staticmethod
    def whole(value: ir.Value) -> "Gathered":
        """Return the identity."""
        *lead, width = read_type(value.type).shape
        return Gathered(value, np.arange(math.prod(lead)).reshape(lead), np.arange(width), 0)

    @property
    def moves_rows(self) -> bool:
        """True if rows are reordered, repeated or dropped."""
        return not np.array_equal(self.rows.ravel(), np.arange(_row_count(self.source)))

    @property
    def moves_columns(self) -> bool:
        """True if columns are reordered, repeated or dropped."""
        return not np.array_equal(self.columns, np.arange(read_type(self.source.type).shape[-1]))


@rewrite("gather-rows-and-columns", if_faster=True, placed=True, stage=Stage.KERNELS)
def gather_rows_and_columns(
    op: views.Reshape | views.Permute | views.Transpose | views.SliceStatic | views.Concat, context: Context
) -> Iterator[Candidate]:
    """`move(x)` = `embedding(rows, x) @ selection`, if several moves rearrange whole rows and columns.

    The order of rows and columns is a compile-time constant. Windows of images, shifted or not, are lookups of rows;
    shuffled channels and rearranged parts of heads are matmuls with a 0/1 matrix. The matmul is exact for bf16 values;
    a non-finite element makes its whole row NaN.
    """
    assert context.prices is not None
    t = op.result_type
    if not t.dtype.is_float or not t.rank or not t.size or is_known(op.first_result):
        return
    known: dict[ir.Value, Gathered] = {}
    found = _gathered(op.first_result, known)
    if found.moves < _FEWEST_MOVES or _moves_on(op.first_result, found.source, known):
        return
    if max(read_type(found.source.type).size, t.size) > MOST_MASK_ELEMENTS:
        return
    held = context.prices.format_of(t)
    if found.moves_columns and (held is not DType.BF16 or _selection_size(found) > MOST_SELECTION_ELEMENTS):
        return
    if found.moves_rows or found.moves_columns:
        yield partial(gather, found, t.shape)


def _moves_on(value: ir.Value, source: ir.Value, known: dict[ir.Value, Gathered]) -> bool:
    """Return True if the only user of a value moves its rows and columns further, and is rewritten instead."""
    readers = [use.owner.operation for use in value.uses]
    is_one = len(readers) == 1 and readers[0].name in _MOVING
    return is_one and _gathered(readers[0].results[0], known).source == source


def gather(found: Gathered, shape: Sequence[int]) -> ir.Value:
    """Build a value from its rows and columns, in a shape with as many elements."""
    t = read_type(found.source.type)
    x = reshape_to(found.source, (_row_count(found.source), t.shape[-1]))
    if found.moves_rows:
        x = ttir.embedding(
            constant(found.rows.ravel().astype(np.uint32), TensorType((found.rows.size,), DType.UI32)), x
        )
    if found.moves_columns:
        selection = TensorType((t.shape[-1], found.columns.size), t.dtype)
        ones = np.arange(t.shape[-1])[:, None] == found.columns
        x = ttir.matmul(x, constant(ones.astype(t.dtype.numpy), selection))
    return reshape_to(x, shape)


def separable(by: IndexMap) -> tuple[IndexMap, IndexMap] | None:
    """Split a map into one of the leading dimensions and one of the last; None if elements move between them."""
    last = len(by.source) - 1
    if last < 0 or not by.dims:
        return None
    rows, columns = [p for dim in by.dims[:-1] for p in dim], by.dims[-1]
    if any(p.axis == last for p in rows) or any(p.axis != last for p in columns):
        return None
    inside = tuple(p._replace(axis=0) for p in columns)
    return IndexMap(by.source[:-1], by.dims[:-1]), IndexMap(by.source[-1:], (inside,))


def _row_count(value: ir.Value) -> int:
    return math.prod(read_type(value.type).shape[:-1])


def _selection_size(found: Gathered) -> int:
    return found.columns.size * read_type(found.source.type).shape[-1]


def _gathered(value: ir.Value, known: dict[ir.Value, Gathered]) -> Gathered:
    """Return the source rows and columns of a value; the value itself if it is not moved."""
    if value not in known:
        op = pure_producer(value, *_MOVING)
        moved = None if op is None else _moved(value, known) if op.name in MOVES else _cut(op, known)
        known[value] = moved or Gathered.whole(value)
    return known[value]


def _moved(value: ir.Value, known: dict[ir.Value, Gathered]) -> Gathered | None:
    """Return the source through the longest chain of moves that keeps whole rows and columns."""
    for steps, by in ways(value):
        if (maps := separable(by)) is not None:
            before, (rows, columns) = _gathered(steps[0].operands[0], known), maps
            return replace(
                before,
                rows=rows.move(before.rows),
                columns=columns.move(before.columns),
                moves=before.moves + len(steps),
            )
    return None


def _cut(op: ir.Operation, known: dict[ir.Value, Gathered]) -> Gathered | None:
    """Return the source of a slice, or of concatenated slices of one source."""
    described = definition_of(op)
    if not described.results[0].rank:
        return None
    parts = [_gathered(v, known) for v in op.operands]
    moves = 1 + max(part.moves for part in parts)
    if isinstance(described, SliceStatic):
        if min(described.step + described.begins + described.ends) < 0:
            return None
        *lead, last = (slice(*bounds) for bounds in zip(described.begins, described.ends, described.step, strict=True))
        (part,) = parts
        return Gathered(part.source, part.rows[tuple(lead)], part.columns[last], moves)
    assert isinstance(described, Concat)
    first, dim, last = parts[0], described.dim % described.results[0].rank, described.results[0].rank - 1
    alike = [part.rows if dim == last else part.columns for part in parts]
    if any(part.source != first.source for part in parts) or any(not np.array_equal(a, alike[0]) for a in alike):
        return None
    if dim == last:
        return replace(first, columns=np.concatenate([part.columns for part in parts]), moves=moves)
    return replace(first, rows=np.concatenate([part.rows for part in parts], axis=dim), moves=moves)
