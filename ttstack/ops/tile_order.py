"""Nests that only move tiles, recognized by their maps."""

from ttstack.ops.loop_nest import LoopNest, TileOp
from ttstack.ops.loop_nests import elementwise, identity_map
from ttstack.ops.types import TensorType

_COPY, _TRANSPOSE = TileOp("copy", (0,)), TileOp("transpose", (0,))


def moves_tiles(nest: LoopNest) -> bool:
    """Return True if a nest only repeats, reorders or transposes the tiles of one operand."""
    plain = len(nest.inputs) == 1 and not nest.inputs[0].terms and nest.index_bound is None
    everywhere = nest.outputs == (identity_map(len(nest.domain)),)
    return plain and everywhere and (nest.body == (_COPY,) or transposes_each(nest))


def transposes_each(nest: LoopNest) -> bool:
    """Return True if the nest only transposes each tile."""
    return nest.body == (_TRANSPOSE,)


def tile_order(nest: LoopNest) -> tuple[int, ...] | None:
    """Return the operand dimension of each result dimension; None if the nest does anything else."""
    loops, rank = nest.inputs[0].loops if nest.inputs else (), len(nest.domain)
    if not moves_tiles(nest) or sorted(i for i in loops if i is not None) != list(range(rank)) or len(loops) > rank:
        return None
    order = tuple(loops.index(i) for i in range(rank))
    matrix = tuple(range(rank))[-2:]
    return order if order[-2:] == (matrix[::-1] if transposes_each(nest) else matrix) else None


def is_broadcast(nest: LoopNest, operand: TensorType, result: TensorType) -> bool:
    """Return True if a nest repeats its operand along unit dimensions."""
    return operand.rank == result.rank and nest == elementwise([operand], result, [_COPY])
