"""Ops on a slice that is concatenated with the rest again, as ops on the full tensor."""

from collections.abc import Mapping

from ttstack.dialects.base import attribute_values, create, definition_of, operands_by_place
from ttstack.dialects.ttir.build import broadcast_to
from ttstack.dialects.ttir.builders import ttir
from ttstack.dialects.types import read_type
from ttstack.mlir import ir
from ttstack.ops.indexing import SliceStatic
from ttstack.ops.rotary import RotaryEmbedding, fills_tiles
from ttstack.passes.ttir.queries.compile_time import is_known
from ttstack.passes.ttir.queries.producers import concat_dim, find_producer, is_shared

_NEUTRAL: Mapping[str, Mapping[int, float]] = {
    "ttir.rotary_embedding": {1: 1.0, 2: 0.0},
    "ttir.add": {1: 0.0},
    "ttir.subtract": {1: 0.0},
    "ttir.multiply": {1: 1.0},
    "ttir.div": {1: 1.0},
}
"""For each op, the operands and numbers for which it returns its first operand."""


def on_all(op: ir.Operation) -> list[ir.Value] | None:
    """`concat(x[:a], f(x[a:b], w), x[b:])` = `f(x, pad(w))`, with angles of 0, added zeros or factors of 1 around `w`.

    Networks that do not rotate class tokens, text, or all columns of heads have this form. The other operand of an
    addition or multiplication must be a compile-time constant, and is padded then; angles are shared by all layers.
    """
    t, dim = read_type(op.results[0].type), concat_dim(op)
    computed = [(v, part) for v in op.operands if (part := _computed(v)) is not None]
    if dim is None or len(computed) != 1 or len(op.operands) < len("ab"):
        return None
    value, part = computed[0]
    slices = [find_producer(part.operands[0] if v == value else v, "slice_static") for v in op.operands]
    x = next((s.operands[0] for s in slices if s is not None), None)
    bounds = [None if s is None or s.operands[0] != x else _bounds(s, dim) for s in slices]
    if x is None or read_type(x.type) != t or not _in_a_row(bounds, t.shape[dim]):
        return None
    if dim == t.rank - 1 and not _has_kernel(part, t.shape[dim]):
        return None
    begin, end = bounds[list(op.operands).index(value)] or (0, 0)
    filled = [
        _fill(v, dim - t.rank, begin, end, t.shape[dim], number) if number is not None and v is not None else v
        for v, number in ((v, _NEUTRAL[part.name].get(i)) for i, v in enumerate(_operands(part)))
    ]
    definition = definition_of(part)
    return [create("ttir", definition.mnemonic, [x, *filled[1:]], attribute_values(type(definition), part)).results[0]]


def _operands(part: ir.Operation) -> list[ir.Value | None]:
    return [*operands_by_place(type(definition_of(part)), part)]


def _computed(value: ir.Value) -> ir.Operation | None:
    """Return the producer of a value without other uses, if the op has a neutral number."""
    part = find_producer(value, *(name.removeprefix("ttir.") for name in _NEUTRAL))
    if part is None or is_shared(value) or read_type(part.operands[0].type) != read_type(value.type):
        return None
    known = part.name == "ttir.rotary_embedding" or all(map(is_known, list(part.operands)[1:]))
    return part if known else None


def _bounds(op: ir.Operation, dim: int) -> tuple[int, int] | None:
    """Return the range of a slice with step 1 in one dimension only; None for other slices."""
    cut = definition_of(op)
    assert isinstance(cut, SliceStatic)
    others = [i for i in range(cut.input.rank) if i != dim]
    whole = all(cut.input.shape[i] == cut.results[0].shape[i] for i in others) and set(cut.step) == {1}
    return (cut.begins[dim], cut.ends[dim]) if whole else None


def _in_a_row(bounds: list[tuple[int, int] | None], extent: int) -> bool:
    """Return True if the slices cover a dimension in order."""
    place = 0
    for bound in bounds:
        if bound is None or bound[0] != place:
            return False
        place = bound[1]
    return place == extent


def _has_kernel(part: ir.Operation, columns: int) -> bool:
    """Return False for rotary embeddings of columns, unless they are pairs of neighbours that can fill tiles."""
    rotary = definition_of(part)
    return not isinstance(rotary, RotaryEmbedding) or (rotary.interleaved and fills_tiles(rotary, columns))


def _fill(value: ir.Value, axis: int, begin: int, end: int, extent: int, number: float) -> ir.Value:
    """Pad elements `begin` to `end` of a dimension, counted from the last, to its full extent."""
    shape = list(read_type(value.type).shape)
    shape = [1] * (-axis - len(shape)) + shape
    shape[axis] = end - begin
    padding = [0] * (2 * len(shape))
    padding[2 * (len(shape) + axis)], padding[2 * (len(shape) + axis) + 1] = begin, extent - end
    return ttir.pad(broadcast_to(value, tuple(shape)), padding=tuple(padding), value=number)
