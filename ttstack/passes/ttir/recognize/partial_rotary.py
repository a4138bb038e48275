"""Rotary embeddings of the first part of rows, as those of whole ones."""

from ttstack.dialects.base import definition_of
from ttstack.dialects.ttir.builders import ttir
from ttstack.dialects.types import read_type
from ttstack.mlir import ir
from ttstack.ops.indexing import SliceStatic
from ttstack.ops.rotary import RotaryEmbedding
from ttstack.ops.types import TILE
from ttstack.passes.ttir.queries.fill import fill
from ttstack.passes.ttir.queries.producers import concat_dim, find_producer


def first_part(op: ir.Operation) -> list[ir.Value] | None:
    """Rows of which the first part is turned: all of them, by angles of 0 for the rest."""
    t = read_type(op.results[0].type)
    rotated = find_producer(op.operands[0], "rotary_embedding")
    if rotated is None or len(op.operands) != 2 or concat_dim(op) != t.rank - 1:
        return None
    first, rest = (find_producer(v, "slice_static") for v in (rotated.operands[0], op.operands[1]))
    if first is None or rest is None or not _of_neighbours(rotated):
        return None
    x, width = first.operands[0], read_type(rotated.results[0].type).shape[-1]
    if rest.operands[0] != x or read_type(x.type) != t or t.shape[-1] % TILE:
        return None
    if (_columns(first), _columns(rest)) != ((0, width), (width, t.shape[-1])):
        return None
    _, cos, sin, *_ = rotated.operands
    tables = (fill(v, read_type(v.type).rank - 1, t.shape[-1], number) for v, number in ((cos, 1.0), (sin, 0.0)))
    return [ttir.rotary_embedding(x, *tables, interleaved=True)]


def _of_neighbours(rotary: ir.Operation) -> bool:
    op = definition_of(rotary)
    assert isinstance(op, RotaryEmbedding)
    return op.interleaved


def _columns(op: ir.Operation) -> tuple[int, int] | None:
    """From which column to which it cuts, in steps of one; None where it cuts other dimensions too."""
    cut = definition_of(op)
    assert isinstance(cut, SliceStatic)
    whole = cut.input.shape[:-1] == cut.results[0].shape[:-1] and set(cut.step) == {1}
    return (cut.begins[-1], cut.ends[-1]) if whole else None
