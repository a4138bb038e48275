"""Loop nests and estimates that several families share."""

import math
from collections.abc import Sequence

from ttstack.ops.loop_nest import LoopNest, TileOp
from ttstack.ops.loops import Access, IndexingMap, Iterator, TileWork
from ttstack.ops.types import TensorType, tile_shape
from ttstack.ops.work_estimate import WorkEstimate


def broadcast_map(operand: TensorType, out: TensorType, access: Access = Access.LOCAL) -> IndexingMap:
    """Return the map of an operand that is broadcast to `out`."""
    shift = out.rank - operand.rank
    return IndexingMap(tuple(None if d == 1 else i + shift for i, d in enumerate(operand.shape)), access)


def identity_map(rank: int, access: Access = Access.LOCAL) -> IndexingMap:
    """Return the map with one loop for each dimension, in order."""
    return IndexingMap(tuple(range(rank)), access)


def elementwise(operands: Sequence[TensorType], out: TensorType, body: Sequence[TileOp]) -> LoopNest:
    """Return a nest with one iteration for each result tile and broadcast operands."""
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
    """Return the estimate of elementwise work with one or several equal results."""
    nest = elementwise(operands, out, [])
    return WorkEstimate(nest.domain, nest.iterators, nest.inputs, nest.outputs * results, tuple(work))


def movement(operands: Sequence[TensorType], outs: Sequence[TensorType], tile_op: str = "copy") -> WorkEstimate:
    """Estimate data movement across tile boundaries: the tiles of the larger side, without arithmetic."""
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
    """Estimate row-wise work such as softmax and norms: rows stay in a core along `dims`.

    `work` is (tile op, times per tile).
    """
    return WorkEstimate(
        domain=tile_shape(out.shape),
        iterators=tuple(Iterator.REDUCTION if i in dims else Iterator.PARALLEL for i in range(out.rank)),
        inputs=tuple(broadcast_map(t, out) for t in operands),
        outputs=(identity_map(out.rank),),
        body=tuple(TileWork(name, (0,), count) for name, count in work),
    )
