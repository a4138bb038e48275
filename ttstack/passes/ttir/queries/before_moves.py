"""What values are before they are reshaped and permuted."""

from collections.abc import Sequence

from ttstack.dialects.base import definition_of
from ttstack.dialects.ttir.build import permute_dims, reshape_to
from ttstack.dialects.ttir.destination import pure_producer
from ttstack.mlir import ir
from ttstack.ops.movement import Permutation
from ttstack.passes.ttir.queries.aliases import VIEWS
from ttstack.passes.ttir.queries.ones import PERMUTATIONS


def before_moves(value: ir.Value) -> tuple[ir.Value, list[ir.Operation]]:
    """The value before all that moves it, and the reshapes and permutations in their order."""
    moves = list[ir.Operation]()
    while (op := pure_producer(value)) is not None and (op.name in PERMUTATIONS or op.name in VIEWS):
        moves.append(op)
        value = op.operands[0]
    return value, moves[::-1]


def move_alike(value: ir.Value, moves: Sequence[ir.Operation]) -> ir.Value:
    """The value after the same moves."""
    for move in moves:
        said = definition_of(move)
        turned = isinstance(said, Permutation)
        value = permute_dims(value, said.order) if turned else reshape_to(value, said.results[0].shape)
    return value
