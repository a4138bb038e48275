"""Merging of narrow matmuls of one operand into one matmul, whose result is sliced."""

import math
from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import accumulate

from ttstack.dialects.base import definition_of
from ttstack.dialects.built_ops import insert_before
from ttstack.dialects.ttir.build import slice_along, slice_as
from ttstack.dialects.ttir.builders import ttir
from ttstack.dialects.types import read_type
from ttstack.mlir import func, ir
from ttstack.ops.indexing import SliceStatic
from ttstack.ops.matmul import Matmul
from ttstack.passes.functions import body
from ttstack.passes.rewriting.candidates import GroupCandidate, Replacement
from ttstack.passes.rewriting.rewrite import rewrite
from ttstack.passes.stages import Stage
from ttstack.passes.ttir.matmuls.merged_matmul import (
    earliest,
    has_known_columns,
    side_by_side,
)
from ttstack.passes.ttir.queries.compile_time import MOST_FOLDED_BYTES
from ttstack.passes.ttir.queries.producers import MATMULS, find_producer


@dataclass(frozen=True)
class _Addition:
    """The addition of a matmul's result and a slice of columns, as in a gate of a recurrent cell."""

    op: ir.Operation
    cut: ir.Operation
    part: SliceStatic

    @staticmethod
    def of(product: ir.Operation) -> "_Addition | None":
        """Return the addition that is the only use of a matmul; otherwise None."""
        uses = list(product.results[0].uses)
        if len(uses) != 1:
            return None
        op = uses[0].owner.operation
        if op.name != "ttir.add" or op.results[0].type != product.results[0].type:
            return None
        cut = find_producer(op.operands[1 - uses[0].operand_number], "slice_static")
        part = None if cut is None else definition_of(cut)
        if cut is None or not isinstance(part, SliceStatic) or not part.counts_up:
            return None
        return _Addition(op, cut, part) if part.results[0] == read_type(op.results[0].type) else None

    @property
    def rows(self) -> Hashable:
        """The source and position of its columns, except for their numbers."""
        return self.cut.operands[0], self.part.begins[:-1], self.part.ends[:-1]

    @property
    def begin(self) -> int:
        """The first of its columns."""
        return self.part.begins[-1]


@dataclass(frozen=True)
class _Sibling:
    """A matmul of rows with a constant matrix."""

    product: ir.Operation
    matmul: Matmul
    addition: _Addition | None

    @property
    def columns(self) -> int:
        """The number of result columns."""
        return self.matmul.mnk[1]

    @property
    def kind(self) -> tuple[Hashable, ...]:
        """Return the properties that matmuls must share to become one."""
        return self.product.operands[0], self.matmul.transpose_b, self.matmul.b.dtype


@rewrite("merge-parallel-matmuls", if_faster=True, stage=Stage.PARALLEL)
def merge_parallel_matmuls(function: func.FuncOp) -> Iterator[Iterator[GroupCandidate]]:
    """`x @ a` and `x @ b` are columns of `x @ [a b]`; `x @ a + c`, `x @ b + d` are columns of `x @ [a b] + [c d]`.

    Keys and values of one head become columns of the queries' matmul, as few cores would compute them separately. Gates
    of a recurrent cell, with slices of one tensor added to matmuls of a state, become columns of one sum.
    """
    for find in (_gates, _siblings):
        yield from map(_candidates, find(function))


def _candidates(siblings: Sequence[_Sibling]) -> Iterator[GroupCandidate]:
    """Yield a merged matmul of the two narrowest, of the three narrowest, and so on."""
    for count in range(2, len(siblings) + 1):
        merged = siblings[:count]
        if sum(s.matmul.b.nbytes for s in merged) > MOST_FOLDED_BYTES:
            return
        yield partial(_merge, merged)


def _products(function: func.FuncOp) -> Iterator[_Sibling]:
    for op in body(function):
        matmul = definition_of(op) if op.name in MATMULS else None
        if isinstance(matmul, Matmul) and not matmul.transpose_a and has_known_columns(op, matmul):
            yield _Sibling(op, matmul, _Addition.of(op))


def _gates(function: func.FuncOp) -> list[list[_Sibling]]:
    """Return groups of matmuls of one operand, to each of which columns of the same rows are added."""
    return _alike(((s.kind, s.addition.rows), s) for s in _products(function) if s.addition)


def _siblings(function: func.FuncOp) -> list[list[_Sibling]]:
    """Return groups of matmuls of one operand."""
    return _alike((s.kind, s) for s in _products(function))


def _alike(keyed: Iterable[tuple[Hashable, _Sibling]]) -> list[list[_Sibling]]:
    """Return groups of several matmuls with equal keys, narrowest first."""
    groups: dict[Hashable, list[_Sibling]] = {}
    for key, sibling in keyed:
        groups.setdefault(key, []).append(sibling)
    return [sorted(group, key=_order) for group in groups.values() if len(group) > 1]


def _order(sibling: _Sibling) -> tuple[int, float]:
    """Return the sort key: width, then position of the added columns."""
    return sibling.columns, sibling.addition.begin if sibling.addition else math.inf


def _additions(merged: Sequence[_Sibling]) -> list[_Addition]:
    """Return the additions if their columns are contiguous in this order; otherwise an empty list."""
    additions = [s.addition for s in merged if s.addition]
    begins = accumulate((s.columns for s in merged), initial=additions[0].begin if additions else 0)
    alike = len({a.rows for a in additions}) == 1 and all(a.begin == b for a, b in zip(additions, begins, strict=False))
    return additions if alike and len(additions) == len(merged) else []


def _beside(additions: Sequence[_Addition]) -> SliceStatic:
    """Return the slice of all added columns."""
    first, last = additions[0].part, additions[-1].part
    return SliceStatic(input=first.input, begins=first.begins, ends=last.ends, step=first.step)


def _merge(merged: Sequence[_Sibling]) -> Replacement:
    parts, additions = [sibling.product for sibling in merged], _additions(merged)
    with insert_before(earliest(parts)):
        whole = side_by_side(parts[0].operands[0], parts)
    if additions:
        parts = [addition.op for addition in additions]
        with insert_before(earliest(parts)):
            whole = ttir.add(whole, slice_as(additions[0].cut.operands[0], _beside(additions)))
    replacement, end = dict[ir.Value, ir.Value](), 0
    for part, sibling in zip(parts, merged, strict=True):
        begin, end = end, end + sibling.columns
        with insert_before(part):
            replacement[part.results[0]] = slice_along(whole, -1, begin, end)
    return replacement
