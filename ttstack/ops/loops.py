"""Dispatches that several families share."""

import math
from collections.abc import Sequence

from ttstack.ops.dispatch import Access, Dispatch, Iterator, Map, TileOp
from ttstack.ops.types import TensorType, tile_shape


def broadcast_map(operand: TensorType, out: TensorType, access: Access = Access.LOCAL) -> Map:
    """The loops over `out` that an operand broadcast to it follows."""
    shift = out.rank - operand.rank
    return Map(tuple(None if d == 1 else i + shift for i, d in enumerate(operand.shape)), access)


def identity_map(rank: int, access: Access = Access.LOCAL) -> Map:
    """One loop for each dimension, in order."""
    return Map(tuple(range(rank)), access)


def elementwise(operands: Sequence[TensorType], out: TensorType, body: Sequence[TileOp]) -> Dispatch:
    """One iteration for each tile of the result, operands broadcast to it."""
    return Dispatch(
        domain=tile_shape(out.shape),
        iterators=(Iterator.PARALLEL,) * out.rank,
        inputs=tuple(broadcast_map(t, out) for t in operands),
        outputs=(identity_map(out.rank),),
        body=tuple(body),
    )


def movement(operands: Sequence[TensorType], outs: Sequence[TensorType], tile_op: str = "copy") -> Dispatch:
    """Data that moves across tile boundaries: the tiles of the larger side, no arithmetic."""
    everything = Map((0,), Access.GATHER)
    return Dispatch(
        domain=(max(math.prod(tile_shape(t.shape)) for t in (*operands, *outs)),),
        iterators=(Iterator.PARALLEL,),
        inputs=(everything,) * len(operands),
        outputs=(everything,) * len(outs),
        body=(TileOp(tile_op, (0,) if operands else ()),),
        exact=False,
    )


def rowwise(
    operands: Sequence[TensorType], out: TensorType, dims: Sequence[int], work: Sequence[tuple[str, float]]
) -> Dispatch:
    """Loops over `out` that stay in a core along `dims`, with `work` (tile op, times per tile): softmax, norms."""
    return Dispatch(
        domain=tile_shape(out.shape),
        iterators=tuple(Iterator.REDUCTION if i in dims else Iterator.PARALLEL for i in range(out.rank)),
        inputs=tuple(broadcast_map(t, out) for t in operands),
        outputs=(identity_map(out.rank),),
        body=tuple(TileOp(name, (0,), count) for name, count in work),
        exact=False,
    )
