"""Moves that are undone after a part was cut out between them."""

from ttstack.dialects.base import definition_of
from ttstack.dialects.ttir import views
from ttstack.dialects.ttir.builders import ttir
from ttstack.dialects.ttir.destination import pure_producer
from ttstack.dialects.types import read_type
from ttstack.mlir import ir
from ttstack.ops.indexing import SliceStatic
from ttstack.ops.shape import Permutation
from ttstack.passes.rewriting.rewrite import rewrite
from ttstack.passes.stages import Stage
from ttstack.passes.ttir.queries.movement_chain import PERMUTATIONS
from ttstack.passes.ttir.queries.producers import find_producer


@rewrite("cancel-moves-around-slices", stage=Stage.MOVEMENT)
def cancel_moves_around_slices(op: views.Permute | views.Transpose | views.Reshape) -> ir.Value | None:
    """`move(slice(move(x)))` = `slice(x)`, where the second move undoes the first one.

    What else reads the moved value moves it still. So are some channels of an image taken and put together again.
    """
    part = find_producer(op.input, "slice_static")
    move = None if part is None else pure_producer(part.operands[0], *PERMUTATIONS, "reshape")
    if part is None or move is None:
        return None
    cut, first, second = definition_of(part), definition_of(move), op.described
    assert isinstance(cut, SliceStatic)
    if isinstance(first, Permutation) and isinstance(second, Permutation):
        dims = second.order if [first.order[d] for d in second.order] == [*range(len(first.order))] else None
    elif isinstance(first, Permutation) or isinstance(second, Permutation):
        return None
    else:
        dims = _kept(cut, read_type(move.operands[0].type).shape, op.result_type.shape)
    return None if dims is None else _cut(move.operands[0], cut, dims)


def _kept(cut: SliceStatic, source: tuple[int, ...], result: tuple[int, ...]) -> tuple[int | None, ...] | None:
    """For each dimension of the source the one that is cut, or None; None where reshapes join or part one that is."""
    sizes, parts = cut.input.shape, cut.results[0].shape
    changed = [i for i, (size, part) in enumerate(zip(sizes, parts, strict=True)) if size != part]
    trailing = len(sizes) - min(changed, default=len(sizes))
    if not 0 < trailing <= len(source) or len(source) != len(result):
        return None
    lead = len(source) - trailing
    if source[lead:] != sizes[len(sizes) - trailing :] or result != (*source[:lead], *parts[len(parts) - trailing :]):
        return None
    return (*[None] * lead, *range(len(sizes) - trailing, len(sizes)))


def _cut(source: ir.Value, cut: SliceStatic, dims: tuple[int | None, ...]) -> ir.Value:
    """Cut the source's dimensions as those of another shape were."""
    whole = [(0, extent, 1) for extent in read_type(source.type).shape]
    bounds = [whole[i] if d is None else (cut.begins[d], cut.ends[d], cut.step[d]) for i, d in enumerate(dims)]
    begins, ends, step = zip(*bounds, strict=True)
    return ttir.slice_static(source, begins=begins, ends=ends, step=step)
