"""Narrow products of one operand as one, whose columns are cut out of its result."""

import math
from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate

from ttstack.dialects.base import definition_of
from ttstack.dialects.ttir.build import slice_as
from ttstack.dialects.ttir.builders import ttir
from ttstack.dialects.types import read_type
from ttstack.mlir import func, ir
from ttstack.ops.base import OPS, Op
from ttstack.ops.indexing import SliceStatic
from ttstack.ops.matmul import Matmul
from ttstack.ops.types import TensorType
from ttstack.passes.base import Pass
from ttstack.passes.functions import body, functions
from ttstack.passes.rewriting.prices import Prices
from ttstack.passes.ttir.matmuls.merged_matmul import (
    columns_of,
    earliest,
    has_bias,
    has_known_columns,
    side_by_side,
    widen,
)
from ttstack.passes.ttir.queries.compile_time import MOST_FOLDED_BYTES
from ttstack.passes.ttir.queries.producers import MATMULS, find_producer

_LEAST_SHARE_SAVED = 0.1
"""The least share of the time of the products that is saved; what becomes of their formats has no price here."""


@dataclass(frozen=True)
class _Addition:
    """A sum of all that a product gives and of columns of something wider, as a gate of a recurrent cell is."""

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
        """Where its columns are but for their numbers."""
        return self.cut.operands[0], self.part.begins[:-1], self.part.ends[:-1]

    @property
    def begin(self) -> int:
        """The first of them."""
        return self.part.begins[-1]


@dataclass(frozen=True)
class _Sibling:
    """A product of rows with a matrix that is known."""

    product: ir.Operation
    matmul: Matmul
    addition: _Addition | None

    @property
    def columns(self) -> int:
        """Columns of its result."""
        return self.matmul.mnk[1]

    @property
    def kind(self) -> tuple[Hashable, ...]:
        """Return the properties that matmuls must share to become one."""
        return self.product.operands[0], self.matmul.transpose_b, self.matmul.b.dtype


class MergeParallelMatmuls(Pass, name="merge-parallel-matmuls", optional=True):
    """Products of one operand become one where that and cuts of its columns are predicted to take clearly less time.

    So keys and values of one head are columns of the queries' product, which few cores would compute by themselves; and
    gates of a recurrent cell are columns of one sum, where parts of one tensor are added to products of a state.
    """

    def run(self, module: ir.Module) -> None:
        """Look at every function."""
        if (prices := Prices.of(module)) is not None:
            for function in functions(module):
                for find in (_gates, _siblings):
                    for siblings in find(function):
                        if best := self._best(siblings, prices):
                            _join(best)

    def _best(self, siblings: Sequence[_Sibling], prices: Prices) -> Sequence[_Sibling]:
        """Those of the narrowest that save most together; none where nothing saves enough."""
        best: Sequence[_Sibling] = ()
        most = 0.0
        for count in range(2, len(siblings) + 1):
            joined = siblings[:count]
            if sum(read_type(s.product.operands[1].type).nbytes for s in joined) > MOST_FOLDED_BYTES:
                break
            additions = _additions(joined)
            now = prices.sum_of([*(s.matmul for s in joined), *_summed(additions)])
            saved = now - prices.sum_of(_replacement_ops(joined, additions))
            if saved > max(most, _LEAST_SHARE_SAVED * now):
                best, most = joined, saved
        return best


def _products(function: func.FuncOp) -> Iterator[_Sibling]:
    for op in body(function):
        matmul = definition_of(op) if op.name in MATMULS else None
        if isinstance(matmul, Matmul) and not matmul.transpose_a and has_known_columns(op, matmul):
            yield _Sibling(op, matmul, _Addition.of(op))


def _gates(function: func.FuncOp) -> list[list[_Sibling]]:
    """Products of one operand to each of which columns of the same rows are added."""
    return _alike(((s.kind, s.addition.rows), s) for s in _products(function) if s.addition)


def _siblings(function: func.FuncOp) -> list[list[_Sibling]]:
    """Products of one operand."""
    return _alike((s.kind, s) for s in _products(function))


def _alike(keyed: Iterable[tuple[Hashable, _Sibling]]) -> list[list[_Sibling]]:
    """Several with the same key each, the narrowest first."""
    groups: dict[Hashable, list[_Sibling]] = {}
    for key, sibling in keyed:
        groups.setdefault(key, []).append(sibling)
    return [sorted(group, key=_order) for group in groups.values() if len(group) > 1]


def _order(sibling: _Sibling) -> tuple[int, float]:
    """By width, and as what is added to them lies."""
    return sibling.columns, sibling.addition.begin if sibling.addition else math.inf


def _additions(joined: Sequence[_Sibling]) -> list[_Addition]:
    """Return what is added to all of them if it is concatenated in their order; otherwise an empty list."""
    additions = [s.addition for s in joined if s.addition]
    begins = accumulate((s.columns for s in joined), initial=additions[0].begin if additions else 0)
    alike = len({a.rows for a in additions}) == 1 and all(a.begin == b for a, b in zip(additions, begins, strict=False))
    return additions if alike and len(additions) == len(joined) else []


def _summed(additions: Sequence[_Addition]) -> Iterator[Op]:
    for addition in additions:
        yield definition_of(addition.op)
        if len(list(addition.cut.results[0].uses)) == 1:
            yield addition.part


def _replacement_ops(joined: Sequence[_Sibling], additions: Sequence[_Addition]) -> Iterator[Op]:
    """One product, one sum where there is one, and what cuts the result of each out of it."""
    first, biased = joined[0].matmul, any(has_bias(s.product) for s in joined)
    product = widen(first, first.a, sum(s.columns for s in joined), biased=biased)
    whole = product.results[0]
    yield product
    if additions:
        added = _beside(additions)
        yield from [added] if added.results[0] != added.input else []
        yield OPS["add"].on([whole, added.results[0]], {})
    yield from _cuts(whole, joined)


def _beside(additions: Sequence[_Addition]) -> SliceStatic:
    """All columns that are added."""
    first, last = additions[0].part, additions[-1].part
    return SliceStatic(input=first.input, begins=first.begins, ends=last.ends, step=first.step)


def _cuts(whole: TensorType, joined: Sequence[_Sibling]) -> Iterator[SliceStatic]:
    ends = accumulate(s.columns for s in joined)
    return (columns_of(whole, end - s.columns, end) for s, end in zip(joined, ends, strict=True))


def _join(joined: Sequence[_Sibling]) -> None:
    products, additions = [sibling.product for sibling in joined], _additions(joined)
    first = earliest(products)
    with ir.InsertionPoint(first), first.location:
        whole = side_by_side(first.operands[0], products)
    parts = products
    if additions:
        parts = [addition.op for addition in additions]
        last = earliest(parts)
        with ir.InsertionPoint(last), last.location:
            whole = ttir.add(whole, slice_as(additions[0].cut.operands[0], _beside(additions)))
    for part, cut in zip(parts, _cuts(read_type(whole.type), joined), strict=True):
        with ir.InsertionPoint(part), part.location:
            part.results[0].replace_all_uses_with(slice_as(whole, cut))
        part.erase()
    for product in products if additions else ():
        product.erase()
