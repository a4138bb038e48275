"""The reshapes and permutations in a row that made a value."""

from collections.abc import Iterator, Sequence

from ttstack.dialects.base import describe
from ttstack.dialects.ttir.build import permute_dims, reshape_to
from ttstack.dialects.ttir.destination import producer
from ttstack.dialects.types import read_type
from ttstack.mlir import ir
from ttstack.ops.base import OPS, Op
from ttstack.ops.movement import Permutation
from ttstack.ops.types import TensorType
from ttstack.passes.ttir.rearrangement import Rearrangement
from ttstack.passes.ttir.views import VIEWS

PERMUTATIONS = ("ttir.permute", "ttir.transpose")
MOVES = (*VIEWS, *PERMUTATIONS)


def moves(value: ir.Value) -> list[ir.Operation]:
    """The reshapes and permutations that end with the value, first to last."""
    found: list[ir.Operation] = []
    while (op := producer(value)) is not None and op.name in MOVES:
        found.insert(0, op)
        value = op.operands[0]
    return found


def ways(value: ir.Value) -> Iterator[tuple[list[ir.Operation], Rearrangement]]:
    """The last of these moves and what they do together, as many as possible first."""
    steps = moves(value)
    for start in range(len(steps)):
        if (found := _compose(steps[start:])) is not None:
            yield steps[start:], found


def rearrange(value: ir.Value, by: Rearrangement, shape: Sequence[int]) -> ir.Value:
    """A value with its elements in another order, in that shape."""
    if not by.flat or by.keeps_order:
        return reshape_to(value, shape)
    cut, order = by.merge()
    return reshape_to(permute_dims(reshape_to(value, cut), order), shape)


def way(t: TensorType, by: Rearrangement, shape: Sequence[int]) -> list[Op]:
    """The ops with which `rearrange` does it to a tensor of that type."""
    cut, order = (shape, ()) if not by.flat or by.keeps_order else by.merge()
    steps = (("reshape", {"shape": cut}), ("permute", {"permutation": order}), ("reshape", {"shape": tuple(shape)}))
    ops: list[Op] = []
    for mnemonic, attributes in steps:
        if attributes.get("shape") != t.shape and attributes.get("permutation") != ():
            ops.append(OPS[mnemonic].on([t], attributes))
            (t,) = ops[-1].results
    return ops


def after(found: Rearrangement, step: ir.Operation) -> Rearrangement | None:
    """What a reshape or permutation makes of a rearrangement; None where it would cut a part of an axis."""
    if step.name in PERMUTATIONS:
        permutation = describe(step)
        assert isinstance(permutation, Permutation)
        return found.permute(permutation.order)
    return found.reshape(read_type(step.results[0].type).shape)


def _compose(steps: Sequence[ir.Operation]) -> Rearrangement | None:
    shape = read_type(steps[0].operands[0].type).shape
    found = None if 0 in shape else Rearrangement.of(shape)
    for step in steps:
        if found is None:
            return None
        found = after(found, step)
    return found
