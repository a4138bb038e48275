"""Moves of whole rows, several in a row, as one lookup of rows."""

from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np

from ttstack.dialects.base import definition, definition_of
from ttstack.dialects.ttir import views
from ttstack.dialects.ttir.build import constant, reshape_to
from ttstack.dialects.ttir.builders import ttir
from ttstack.dialects.ttir.destination import pure_producer
from ttstack.dialects.types import read_type
from ttstack.mlir import ir
from ttstack.ops.base import Op
from ttstack.ops.indexing import SliceStatic
from ttstack.ops.shape import Concat, Permutation, Reshape
from ttstack.ops.types import DType, TensorType
from ttstack.passes.rewriting.candidates import Candidate
from ttstack.passes.rewriting.rewrite import rewrite
from ttstack.passes.stages import Stage
from ttstack.passes.ttir.queries.compile_time import MOST_MASK_ELEMENTS, is_known

Rows = np.ndarray[Any, np.dtype[np.int64]]
"""For each row of a value, by its place, the row of the source that it is."""
_FEWEST_MOVES = 2


@rewrite("gather-rows", if_faster=True, placed=True, stage=Stage.KERNELS)
def gather_rows(op: views.Reshape | views.Permute | views.SliceStatic | views.Concat) -> Iterator[Candidate]:
    """`permute(reshape(concat(slice(x), slice(x))))` = `embedding(rows, x)`, where each step moves whole rows.

    Which row stands where is known at compile time. So are windows of images taken, shifted or not, and put together.
    """
    result = op.first_result
    if not op.result_type.dtype.is_float or op.result_type.rank == 0 or is_known(result):
        return
    if any(_moves_rows(use.owner.operation) for use in result.uses):
        return  # what moves them further is looked at
    source, moves = _source(result, {})
    if moves < _FEWEST_MOVES or max(read_type(source.type).size, op.result_type.size) > MOST_MASK_ELEMENTS:
        return
    rows = _rows(result, {source: np.arange(_count(read_type(source.type))).reshape(read_type(source.type).shape[:-1])})
    if rows.size and not np.array_equal(rows.ravel(), np.arange(_count(read_type(source.type)))):
        yield partial(_look_up, source, rows.ravel(), op.result_type.shape)


def _count(t: TensorType) -> int:
    return t.size // max(t.shape[-1], 1)


def _look_up(source: ir.Value, rows: Rows, shape: tuple[int, ...]) -> ir.Value:
    t = read_type(source.type)
    indices = constant(rows.astype(np.uint32), TensorType((rows.size,), DType.UI32))
    return reshape_to(ttir.embedding(indices, reshape_to(source, (_count(t), t.shape[-1]))), shape)


def _moves_rows(op: ir.Operation) -> bool:
    """Return True if each row of the op's result is a row of an operand."""
    spec = definition(op)
    if spec is None or not issubclass(spec, (Reshape, Permutation, SliceStatic, Concat)):
        return False
    described: Op = definition_of(op)
    last, t = described.results[0].rank - 1, described.operands[0]
    if last < 0 or not t.rank or t.shape[-1] != described.results[0].shape[-1]:
        return False
    match described:
        case Permutation():
            return described.order[last] == last
        case SliceStatic():
            return min(described.step + described.begins + described.ends) >= 0 and described.step[last] == 1
        case Concat():
            return described.dim % t.rank != last
        case _:
            return True


def _source(value: ir.Value, known: dict[ir.Value, tuple[ir.Value, int]]) -> tuple[ir.Value, int]:
    """What all rows of a value come from, and how many ops move them one after the other."""
    if value not in known:
        op = pure_producer(value)
        before = [] if op is None or not _moves_rows(op) else [_source(v, known) for v in op.operands]
        sources = {source for source, _ in before}
        one = len(sources) == 1
        known[value] = (sources.pop(), 1 + max(count for _, count in before)) if one else (value, 0)
    return known[value]


def _rows(value: ir.Value, known: dict[ir.Value, Rows]) -> Rows:
    """The rows of the source that those of a value are, [...] without the last dimension."""
    if value not in known:
        op = pure_producer(value)
        assert op is not None
        known[value] = _moved(definition_of(op), [_rows(v, known) for v in op.operands])
    return known[value]


def _moved(described: Op, before: list[Rows]) -> Rows:
    match described:
        case Permutation():
            return before[0].transpose(described.order[:-1])
        case SliceStatic():
            parts = zip(described.begins, described.ends, described.step, strict=True)
            return before[0][tuple(slice(*part) for part in parts)[:-1]]
        case Concat():
            return np.concatenate(before, axis=described.dim % described.operands[0].rank)
        case _:
            return before[0].reshape(described.results[0].shape[:-1])
