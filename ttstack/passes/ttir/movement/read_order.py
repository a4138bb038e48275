"""Functions of several values in the order of elements in which their result is read."""

from ttstack.dialects.base import definition_of
from ttstack.dialects.ttir.build import reshape_to
from ttstack.dialects.ttir.destination import pure_producer
from ttstack.dialects.types import read_type
from ttstack.mlir import ir
from ttstack.ops.eltwise import Eltwise, EltwiseUnary
from ttstack.ops.shape import Permute, Reshape
from ttstack.passes.rewriting.prices import Prices
from ttstack.passes.ttir.movement.permuted_cone import PermutedCone
from ttstack.passes.ttir.queries.compile_time import is_known
from ttstack.passes.ttir.queries.movement_chain import compose, moves
from ttstack.passes.ttir.queries.producers import is_shared


def in_read_order(op: ir.Operation, prices: Prices) -> list[ir.Value] | None:
    """An elementwise op before the moves that end with `op`, where its operands can be had so in less time."""
    if not (chain := moves(op.results[0])) or is_known(op.results[0]):
        return None  # it reads what is overwritten afterwards, or is moved before a run
    value, rearrangement = chain[0].operands[0], compose(chain)
    maker = pure_producer(value)
    if rearrangement is None or rearrangement.keeps_order or maker is None or not maker.name.startswith("ttir."):
        return None
    function = definition_of(maker)
    if (
        not isinstance(function, Eltwise)
        or isinstance(function, EltwiseUnary)
        or any(is_shared(move.operands[0]) for move in chain)
    ):
        return None
    order = rearrangement.in_place(read_type(value.type).rank)
    if order is None:
        return None
    turn, permute = PermutedCone(order, prices), Permute(input=read_type(value.type), permutation=order)
    shaped = Reshape(input=permute.results[0], shape=read_type(op.results[0].type).shape)
    if turn.cost(value, chain[:1]) + prices.sum_of([shaped]) >= prices.sum_of(map(definition_of, chain)):
        return None
    return [reshape_to(turn.make(value, chain[:1]), shaped.shape)]
