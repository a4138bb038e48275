"""Slices of a matmul's columns as matmuls with sliced weights."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from ttstack.dialects.base import attribute_values, definition_of
from ttstack.dialects.built_ops import insert_before
from ttstack.dialects.ttir.build import reshape_to
from ttstack.dialects.ttir.builders import ttir
from ttstack.dialects.types import read_type
from ttstack.mlir import func, ir
from ttstack.ops.index_map import IndexMap, Part
from ttstack.ops.indexing import Index, SliceStatic, steps
from ttstack.ops.matmul import Matmul
from ttstack.passes.functions import body
from ttstack.passes.rewriting.candidates import Canonical, GroupCandidate, Replacement
from ttstack.passes.rewriting.rewrite import rewrite
from ttstack.passes.stages import Stage
from ttstack.passes.ttir.queries.compile_time import MOST_FOLDED_BYTES, is_known
from ttstack.passes.ttir.queries.movement_chain import MOVES, after, rearrange
from ttstack.passes.ttir.queries.producers import MATMULS

_SLICES = ("ttir.slice_static", "ttir.index")


@dataclass(frozen=True)
class _Slice:
    """A slice of a rearranged matmul: `count` columns of one part, from `begin` on."""

    slice: ir.Operation
    before: IndexMap
    part: Part
    begin: int
    count: int

    @property
    def columns(self) -> tuple[int, int, int]:
        """Extents that the columns have outside of the part, along it, and inside of it."""
        axis, inner, extent = self.part
        return self.before.source[axis] // (inner * extent), extent, inner

    @property
    def is_moved(self) -> bool:
        """Return True if its elements move before or after they are sliced."""
        readers = [use.owner.operation.name for use in self.slice.results[0].uses]
        return not self.before.keeps_order or all(name in MOVES for name in readers)


@rewrite(
    "split-sliced-matmul",
    if_faster=True,
    stage=Stage.WEIGHTS,
    before={"fold-padding-into-weights": "each slice then has separate weights to pad"},
)
def split_sliced_matmul(function: func.FuncOp) -> Iterator[Sequence[GroupCandidate]]:
    """`(x @ [a b])[:, :n]` = `x @ a`, if only such slices use the matmul.

    This recovers queries, keys and values of one projection, in any order of dimensions. Slices that are not
    rearranged, such as gates, become separate matmuls if predicted to be faster.
    """
    for op in [op for op in body(function) if op.name in MATMULS]:
        if parts := _parts(op):
            build = partial(_split, op, parts)
            yield [Canonical(build) if all(part.is_moved for part in parts) else build]


def _parts(op: ir.Operation) -> list[_Slice]:
    """List the slices of a matmul with constant weights if it has no other uses."""
    product = definition_of(op)
    assert isinstance(product, Matmul)
    if product.b.nbytes > MOST_FOLDED_BYTES or product.b.rank != 2 or product.a.rank < 2 or not product.adds_row:
        return []
    parts = list[_Slice]()
    columns = product.results[0].rank - 1
    is_sliced = _follow(op.results[0], IndexMap.identity(product.results[0].shape), columns, parts)
    return parts if is_sliced and len(parts) > 1 and all(is_known(v) for v in list(op.operands)[1:]) else []


def _split(op: ir.Operation, parts: Sequence[_Slice]) -> Replacement:
    replacement = dict[ir.Value, ir.Value]()
    with insert_before(op):
        for part in parts:
            arrangement = part.before.resize(part.part, part.count)
            replacement[part.slice.results[0]] = rearrange(_product(op, part), arrangement)
    return replacement


def _follow(value: ir.Value, arrangement: IndexMap, axis: int, parts: list[_Slice]) -> bool:
    """Return True if only slices of `axis` use a value, through reshapes and permutations; list them."""
    return all(_read(use.owner.operation, arrangement, axis, parts) for use in value.uses)


def _read(reader: ir.Operation, arrangement: IndexMap, axis: int, parts: list[_Slice]) -> bool:
    if reader.name in _SLICES:
        part = _part(reader, arrangement)
        parts += [] if part is None else [part]
        return part is not None and part.part.axis == axis
    moved = after(arrangement, reader) if reader.name in MOVES else None
    return moved is not None and _follow(reader.results[0], moved, axis, parts)


def _part(op: ir.Operation, arrangement: IndexMap) -> _Slice | None:
    cuts = [(d, begin, count) for d, (extent, begin, count) in enumerate(_bounds(op)) if count != extent]
    if len(cuts) != 1 or len(arrangement.dims[cuts[0][0]]) != 1 or not cuts[0][2]:
        return None
    ((dim, begin, count),) = cuts
    return _Slice(op, arrangement, arrangement.dims[dim][0], begin, count)


def _bounds(op: ir.Operation) -> Iterator[tuple[int, int, int]]:
    """Yield for each dimension its extent, the start of the slice, and its length; nothing for strided slices."""
    cut = definition_of(op)
    if isinstance(cut, Index):
        dim = cut.dim % cut.input.rank
        cut = SliceStatic.on([cut.input], _as_slice(cut, dim))
    assert isinstance(cut, SliceStatic)
    if set(cut.step) == {1}:
        for d, (extent, begin, end) in enumerate(zip(cut.input.shape, cut.begins, cut.ends, strict=True)):
            yield extent, *steps(extent, begin, end, 1, d)


def _as_slice(cut: Index, dim: int) -> dict[str, Any]:
    def each(whole: Sequence[int], one: int) -> tuple[int, ...]:
        return tuple(one if d == dim else extent for d, extent in enumerate(whole))

    nothing, ones = (0,) * cut.input.rank, (1,) * cut.input.rank
    return {"begins": each(nothing, cut.begin), "ends": each(cut.input.shape, cut.end), "step": each(ones, cut.step)}


def _product(op: ir.Operation, part: _Slice) -> ir.Value:
    """Build the matmul of the columns of a slice."""
    product = definition_of(op)
    assert isinstance(product, Matmul)
    a, weight, *bias = op.operands
    dim = 0 if product.transpose_b else 1
    rows = [_columns(b, 0, part) for b in (reshape_to(v, (product.mnk[1],)) for v in bias)]
    attributes = attribute_values(type(product), op)
    return ttir.build(product.mnemonic, a, _columns(weight, dim, part), *rows, **attributes)


def _columns(value: ir.Value, dim: int, part: _Slice) -> ir.Value:
    """Slice one axis of weights or a bias."""
    shape, (outer, extent, inner) = read_type(value.type).shape, part.columns
    split = reshape_to(value, (*shape[:dim], outer, extent, inner, *shape[dim + 1 :]))
    rank = len(shape) + 2
    begins = tuple(part.begin if d == dim + 1 else 0 for d in range(rank))
    ends = list(read_type(split.type).shape)
    ends[dim + 1] = part.begin + part.count
    columns = ttir.slice_static(split, begins=begins, ends=tuple(ends), step=(1,) * rank)
    return reshape_to(columns, (*shape[:dim], outer * part.count * inner, *shape[dim + 1 :]))
