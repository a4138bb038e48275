"""Ops that change nothing but where dimensions of extent 1 stand."""

from ttstack.dialects.base import definition_of
from ttstack.dialects.ttir.destination import pure_producer
from ttstack.dialects.types import read_type
from ttstack.mlir import ir
from ttstack.ops.movement import Permutation
from ttstack.passes.ttir.queries.aliases import VIEWS

PERMUTATIONS = ("ttir.permute", "ttir.transpose")


def moves_ones(op: ir.Operation) -> bool:
    """Whether all that changes is where dimensions of extent 1 stand."""
    if op.name in VIEWS:
        before, after = (read_type(v.type).shape for v in (op.operands[0], op.results[0]))
        return [n for n in before if n > 1] == [n for n in after if n > 1]
    return op.name in PERMUTATIONS and (moved := moved_dims(op)) == sorted(moved)


def moved_dims(op: ir.Operation) -> list[int]:
    """In which order a permutation puts dimensions that are longer than 1."""
    found = definition_of(op)
    assert isinstance(found, Permutation)
    return [d for d in found.order if found.input.shape[d] > 1]


def before_ones(value: ir.Value) -> ir.Value:
    """What the value is but for dimensions of extent 1."""
    while (op := pure_producer(value)) is not None and moves_ones(op):
        value = op.operands[0]
    return value
