"""The reshapes and permutations in a row that made a value."""

from collections.abc import Iterator, Sequence
from typing import Any

from ttstack.dialects.base import describe
from ttstack.dialects.types import read_type
from ttstack.mlir import ir
from ttstack.ops.movement import Permutation
from ttstack.passes.pattern import producer
from ttstack.passes.ttir.rearrangement import Rearrangement
from ttstack.passes.ttir.views import VIEWS

PERMUTATIONS = ("ttir.permute", "ttir.transpose")
MOVES = (*VIEWS, *PERMUTATIONS)


def moves(value: ir.Value) -> list[ir.Operation]:
    """The reshapes and permutations that end with the value, first to last."""
    found: list[ir.Operation] = []
    while getattr(op := producer(value), "name", "") in MOVES:
        found.insert(0, op)
        value = op.operands[0]
    return found


def ways(value: ir.Value) -> Iterator[tuple[list[Any], Rearrangement]]:
    """The last of these moves and what they do together, as many as possible first."""
    steps = moves(value)
    for start in range(len(steps)):
        if (found := _compose(steps[start:])) is not None:
            yield steps[start:], found


def _compose(steps: Sequence[Any]) -> Rearrangement | None:
    shape = read_type(steps[0].operands[0].type).shape
    found = None if 0 in shape else Rearrangement.of(shape)
    for step in steps:
        if found is None:
            return None
        if step.name in PERMUTATIONS:
            permutation = describe(step)
            assert isinstance(permutation, Permutation)
            found = found.permuted(permutation.order)
        else:
            found = found.reshaped(read_type(step.results[0].type).shape)
    return found
