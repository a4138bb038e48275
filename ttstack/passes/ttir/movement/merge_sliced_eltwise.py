"""Elementwise ops on parts of the same tensors as one op on all of these parts, which is cut afterwards."""

from collections.abc import Sequence
from dataclasses import dataclass

from ttstack.dialects.base import create, definition_of
from ttstack.dialects.ttir.build import reshape_to, slice_as
from ttstack.dialects.ttir.builders import ttir
from ttstack.dialects.types import read_type
from ttstack.mlir import func, ir
from ttstack.ops.base import Op
from ttstack.ops.eltwise import Eltwise
from ttstack.ops.indexing import SliceStatic
from ttstack.passes.base import Pass
from ttstack.passes.functions import body, functions
from ttstack.passes.rewriting.pattern import apply_patterns
from ttstack.passes.rewriting.prices import Prices
from ttstack.passes.ttir.queries.producers import find_producer


@dataclass(frozen=True)
class _JoinedSlice:
    """An elementwise op on columns of tensors, the same number of each."""

    op: ir.Operation
    described: Eltwise
    cuts: tuple[SliceStatic, ...]

    @property
    def sources(self) -> tuple[ir.Value, ...]:
        """The tensors, as they are now: another group that was joined may have replaced one."""
        return tuple(ir.OpResult(value).owner.operands[0] for value in self.op.operands)

    @property
    def begin(self) -> int:
        """The first column of the first operand."""
        return self.cuts[0].begins[-1]

    @property
    def end(self) -> int:
        """The column behind the last one of the first operand."""
        return self.cuts[0].ends[-1]

    @property
    def kind(self) -> tuple[object, ...]:
        """Return what parts must share to become one: the op, the tensors, and their position except for columns."""
        apart = tuple(cut.begins[-1] - self.begin for cut in self.cuts)
        rows = tuple((cut.begins[:-1], cut.ends[:-1]) for cut in self.cuts)
        attributes = tuple(sorted((name, str(value)) for name, value in self.described.attributes().items()))
        return self.sources, self.op.name, attributes, self.described.results[0].dtype, apart, rows


class MergeSlicedEltwise(Pass, name="merge-sliced-eltwise", optional=True):
    """Gates of a recurrent cell, as parts of one product, share elementwise ops where that is predicted to pay.

    A slice of what was sliced, as a gate of a step of a sequence, is taken of the sequence.
    """

    def run(self, module: ir.Module) -> None:
        """Join until nothing is left to join: what was joined is cut, and what reads the cuts may be joined then."""
        if (prices := Prices.of(module)) is not None:
            for function in functions(module):
                while sum(_join(parts, prices) for parts in _siblings(function)):
                    continue
        apply_patterns(module, [("ttir.slice_static", _merge)])


def _siblings(function: func.FuncOp) -> list[list[_JoinedSlice]]:
    """Groups of two parts or more, each in the order of the program."""
    groups: dict[tuple[object, ...], list[_JoinedSlice]] = {}
    for op in body(function):
        if (part := _part(op)) is not None:
            groups.setdefault(part.kind, []).append(part)
    return [parts for parts in groups.values() if len(parts) > 1]


def _part(op: ir.Operation) -> _JoinedSlice | None:
    operands = list(op.operands) if op.name.startswith("ttir.") else []
    makers = [maker for v in operands if (maker := find_producer(v, "slice_static")) is not None]
    described = definition_of(op) if makers and len(makers) == len(operands) else None
    if not isinstance(described, Eltwise) or described.result_fields():
        return None
    cuts = tuple(cut for cut in map(definition_of, makers) if isinstance(cut, SliceStatic))
    shapes = {cut.results[0].shape for cut in cuts}
    if len(shapes) > 1 or () in shapes or not all(cut.counts_up for cut in cuts):
        return None
    return _JoinedSlice(op, described, cuts)


def _join(parts: Sequence[_JoinedSlice], prices: Prices) -> bool:
    """Make one op of all parts, from the first column to the last, where that pays; says whether it does."""
    first = parts[0]
    begin, end = min(part.begin for part in parts), max(part.end for part in parts)
    wide = [_columns(cut, cut.begins[-1] - first.begin + begin, end - begin) for cut in first.cuts]
    joined = type(first.described).on([cut.results[0] for cut in wide], first.described.attributes())
    out = joined.results[0]
    whole = SliceStatic(input=out, begins=(0,) * out.rank, ends=out.shape, step=(1,) * out.rank)
    cuts = [_columns(whole, part.begin - begin, part.end - part.begin) for part in parts]
    before = [*(part.described for part in parts), *_idle(parts)]
    after = [joined, *(cut for cut in (*wide, *cuts) if cut.results[0] != cut.input)]
    if prices.sum_of(after) >= prices.sum_of(before):
        return False
    with ir.InsertionPoint(first.op), first.op.location:
        operands = [slice_as(source, cut) for source, cut in zip(first.sources, wide, strict=True)]
        result = create("ttir", joined.mnemonic, operands, joined.attributes()).results[0]
    for part, cut in zip(parts, cuts, strict=True):
        with ir.InsertionPoint(part.op), part.op.location:
            part.op.results[0].replace_all_uses_with(slice_as(result, cut))
        part.op.erase()
    return True


def _idle(parts: Sequence[_JoinedSlice]) -> list[Op]:
    """The slices that nothing reads but these parts."""
    joined = {part.op for part in parts}
    makers = {ir.OpResult(value).owner.operation for part in parts for value in part.op.operands}
    return [definition_of(op) for op in makers if all(use.owner.operation in joined for use in op.results[0].uses)]


def _columns(cut: SliceStatic, begin: int, count: int) -> SliceStatic:
    """The same rows in other columns."""
    begins, ends = (*cut.begins[:-1], begin), (*cut.ends[:-1], begin + count)
    return SliceStatic(input=cut.input, begins=begins, ends=ends, step=cut.step)


def _merge(op: ir.Operation) -> list[ir.Value] | None:
    """One slice for two in a row, also where dimensions of extent 1 in front were dropped in between."""
    cut, source, dropped = definition_of(op), op.operands[0], 0
    assert isinstance(cut, SliceStatic)
    if (view := find_producer(source, "reshape")) is not None:
        source = view.operands[0]
        dropped = read_type(source.type).rank - cut.input.rank
    inner = find_producer(source, "slice_static")
    if inner is None or dropped < 0 or read_type(source.type).shape != (1,) * dropped + cut.input.shape:
        return None
    before = definition_of(inner)
    assert isinstance(before, SliceStatic)
    if not (before.counts_up and cut.counts_up):
        return None
    begins = [b + c for b, c in zip(before.begins, (0,) * dropped + cut.begins, strict=True)]
    ends = [b + extent for b, extent in zip(begins, (1,) * dropped + cut.results[0].shape, strict=True)]
    merged = ttir.slice_static(inner.operands[0], begins=tuple(begins), ends=tuple(ends), step=before.step)
    return [reshape_to(merged, cut.results[0].shape)]
