"""Loop nests and estimates that several families share."""

import math
from collections.abc import Sequence

from ttstack.ops.loop_nest import LoopNest, TileOp
from ttstack.ops.loops import Access, IndexingMap, Iterator, TileWork
from ttstack.ops.types import TensorType, tile_shape
from ttstack.ops.work_estimate import WorkEstimate


def broadcast_map(operand: TensorType, out: TensorType, access: Access = Access.LOCAL) -> IndexingMap:
    """The loops over `out` that an operand broadcast to it follows."""
    shift = out.rank - operand.rank
    return IndexingMap(tuple(None if d == 1 else i + shift for i, d in enumerate(operand.shape)), access)


def identity_map(rank: int, access: Access = Access.LOCAL) -> IndexingMap:
    """One loop for each dimension, in order."""
    return IndexingMap(tuple(range(rank)), access)


def elementwise(operands: Sequence[TensorType], out: TensorType, body: Sequence[TileOp]) -> LoopNest:
    """One iteration for each tile of the result, operands broadcast to it."""
    return LoopNest(
        domain=tile_shape(out.shape),
        iterators=(Iterator.PARALLEL,) * out.rank,
        inputs=tuple(broadcast_map(t, out) for t in operands),
        outputs=(identity_map(out.rank),),
        body=tuple(body),
    )


def elementwise_estimate(
    operands: Sequence[TensorType], out: TensorType, work: Sequence[TileWork], results: int = 1
) -> WorkEstimate:
    """The same loops for work whose meaning no tile ops say, with a result or several alike."""
    nest = elementwise(operands, out, [])
    return WorkEstimate(nest.domain, nest.iterators, nest.inputs, nest.outputs * results, tuple(work))


def movement(operands: Sequence[TensorType], outs: Sequence[TensorType], tile_op: str = "copy") -> WorkEstimate:
    """Data that moves across tile boundaries: the tiles of the larger side, no arithmetic."""
    everything = IndexingMap((0,), Access.GATHER)
    return WorkEstimate(
        domain=(max(math.prod(tile_shape(t.shape)) for t in (*operands, *outs)),),
        iterators=(Iterator.PARALLEL,),
        inputs=(everything,) * len(operands),
        outputs=(everything,) * len(outs),
        body=(TileWork(tile_op, (0,) if operands else ()),),
    )


def rowwise(
    operands: Sequence[TensorType], out: TensorType, dims: Sequence[int], work: Sequence[tuple[str, float]]
) -> WorkEstimate:
    """Loops over `out` that stay in a core along `dims`, with `work` (tile op, times per tile): softmax, norms."""
    return WorkEstimate(
        domain=tile_shape(out.shape),
        iterators=tuple(Iterator.REDUCTION if i in dims else Iterator.PARALLEL for i in range(out.rank)),
        inputs=tuple(broadcast_map(t, out) for t in operands),
        outputs=(identity_map(out.rank),),
        body=tuple(TileWork(name, (0,), count) for name, count in work),
    )
