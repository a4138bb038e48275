"""Interleaved rows: every second element, and rows interleaved from two tensors."""

from ttstack.dialects.base import definition_of
from ttstack.dialects.ttir.destination import pure_producer
from ttstack.dialects.types import read_type
from ttstack.mlir import ir
from ttstack.ops.indexing import SliceStatic
from ttstack.passes.ttir.queries.aliases import VIEWS
from ttstack.passes.ttir.queries.producers import concat_dim, find_producer

_PAIR = 2


def every_second(value: ir.Value) -> tuple[ir.Value, int] | None:
    """Return the tensor of whose rows a value is every second element, and the first index, 0 or 1.

    The elements are in the order of rows, in any shape.
    """
    shape, cut = read_type(value.type).shape, find_producer(value, "slice_static")
    if cut is not None:
        offset, whole = _begin(cut, _PAIR), read_type(cut.operands[0].type).shape[-1:] == (_PAIR * shape[-1],)
        return None if offset is None or not whole else (cut.operands[0], offset)
    view = pure_producer(value, *VIEWS)
    cut = find_producer(view and view.operands[0], "slice_static")
    if cut is None or read_type(cut.results[0].type).shape != (*shape, 1):
        return None
    pairs = pure_producer(cut.operands[0], *VIEWS)
    if pairs is None or read_type(pairs.results[0].type).shape != (*shape, _PAIR):
        return None
    offset = _begin(cut, 1)
    return None if offset is None else (pairs.operands[0], offset)


def _begin(op: ir.Operation, step: int) -> int | None:
    """Return the first index, 0 or 1, of a slice of the last dimension only, with that step; None for other slices."""
    cut = definition_of(op)
    assert isinstance(cut, SliceStatic)
    source, result = cut.input.shape, cut.results[0].shape
    others = source[:-1] == result[:-1] and set(cut.step[:-1]) <= {1}
    return cut.begins[-1] if others and cut.step[-1] == step and cut.begins[-1] < _PAIR else None


def in_turn(op: ir.Operation | None) -> tuple[ir.Value, ir.Value] | None:
    """Return two tensors whose elements alternate in the rows of a concat, [..., width, 2]."""
    if op is None or op.name != "ttir.concat" or len(op.operands) != _PAIR:
        return None
    t = read_type(op.results[0].type)
    if t.shape[-1] != _PAIR or concat_dim(op) != t.rank - 1:
        return None
    first, second = (pure_producer(v, *VIEWS) for v in op.operands)
    if first is None or second is None or any(_shape(v.operands[0]) != t.shape[:-1] for v in (first, second)):
        return None
    return first.operands[0], second.operands[0]


def _shape(value: ir.Value) -> tuple[int, ...]:
    return read_type(value.type).shape
