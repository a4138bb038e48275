"""Elementwise ops on parts of the same tensors as one op on all of these parts, which is cut afterwards."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial

from ttstack.dialects.base import create, definition_of
from ttstack.dialects.built_ops import insert_before
from ttstack.dialects.ttir.build import slice_along, slice_as
from ttstack.mlir import func, ir
from ttstack.ops.eltwise import Eltwise
from ttstack.ops.indexing import SliceStatic
from ttstack.passes.functions import body
from ttstack.passes.rewriting.candidates import GroupCandidate, Replacement
from ttstack.passes.rewriting.rewrite import rewrite
from ttstack.passes.stages import Stage
from ttstack.passes.ttir.queries.producers import find_producer


@dataclass(frozen=True)
class _SlicedEltwise:
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


@rewrite(
    "merge-sliced-eltwise",
    if_faster=True,
    stage=Stage.KERNELS,
    after={"fuse-activations": "gates are merged together with their activations"},
)
def merge_sliced_eltwise(function: func.FuncOp) -> Iterator[Sequence[GroupCandidate]]:
    """`f(x[0:n])` and `f(x[n:2n])` are `f(x)[0:n]` and `f(x)[n:2n]`, as gates of a recurrent cell are computed."""
    for parts in _siblings(function):
        yield [partial(_merge, parts)]


def _siblings(function: func.FuncOp) -> list[list[_SlicedEltwise]]:
    """Groups of two parts or more, each in the order of the program."""
    groups: dict[tuple[object, ...], list[_SlicedEltwise]] = {}
    for op in body(function):
        if (part := _part(op)) is not None:
            groups.setdefault(part.kind, []).append(part)
    return [parts for parts in groups.values() if len(parts) > 1]


def _part(op: ir.Operation) -> _SlicedEltwise | None:
    operands = list(op.operands) if op.name.startswith("ttir.") else []
    makers = [maker for v in operands if (maker := find_producer(v, "slice_static")) is not None]
    described = definition_of(op) if makers and len(makers) == len(operands) else None
    if not isinstance(described, Eltwise) or described.result_fields():
        return None
    cuts = tuple(cut for cut in map(definition_of, makers) if isinstance(cut, SliceStatic))
    shapes = {cut.results[0].shape for cut in cuts}
    if len(shapes) > 1 or () in shapes or not all(cut.counts_up for cut in cuts):
        return None
    return _SlicedEltwise(op, described, cuts)


def _merge(parts: Sequence[_SlicedEltwise]) -> Replacement:
    """Build one op on all parts, from the first column to the last, and the columns of each where that stands."""
    first, replacement = parts[0], dict[ir.Value, ir.Value]()
    begin, end = min(part.begin for part in parts), max(part.end for part in parts)
    with insert_before(first.op):
        operands = [
            slice_as(source, _columns(cut, cut.begins[-1] - first.begin + begin, end - begin))
            for source, cut in zip(first.sources, first.cuts, strict=True)
        ]
        whole = create("ttir", first.described.mnemonic, operands, first.described.attributes()).results[0]
    for part in parts:
        with insert_before(part.op):
            replacement[part.op.results[0]] = slice_along(whole, -1, part.begin - begin, part.end - begin)
    return replacement


def _columns(cut: SliceStatic, begin: int, count: int) -> SliceStatic:
    """The same rows in other columns."""
    begins, ends = (*cut.begins[:-1], begin), (*cut.ends[:-1], begin + count)
    return SliceStatic(input=cut.input, begins=begins, ends=ends, step=cut.step)
