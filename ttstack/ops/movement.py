"""The base of ops that move data and compute nothing."""

from ttstack.ops.base import Op
from ttstack.ops.loop_nest import LoopNest, TileOp
from ttstack.ops.loop_nests import identity_map, movement
from ttstack.ops.loops import IndexingMap, Iterator
from ttstack.ops.types import TensorType, tile_shape
from ttstack.ops.work_estimate import WorkEstimate


class Movement(Op):
    """An op whose result tiles can have parts of several operand tiles."""

    computes = ()

    def dispatch(self) -> LoopNest | WorkEstimate:
        """Return the loops if tiles move whole; otherwise estimate one read of operands and one write of results."""
        return self.moved_tiles() or movement(self.operands, self.results)

    def moved_tiles(self) -> LoopNest | None:
        """Return the loops that copy each tile; None if tiles are cut."""
        return None

    def flops(self) -> int:
        """Return 0: the op computes nothing."""
        return 0


class Permutation(Op):
    """A permutation of dimensions."""

    computes = ()
    input: TensorType

    @property
    def order(self) -> tuple[int, ...]:
        """For each result dimension, the operand dimension."""
        raise NotImplementedError

    def infer(self) -> TensorType:
        """Return the extents in the new order."""
        return self.input.with_shape(tuple(self.input.shape[d] for d in self.order))

    def flops(self) -> int:
        """Return 0: the op computes nothing."""
        return 0

    def dispatch(self) -> LoopNest | WorkEstimate:
        """Return loops if whole tiles move; otherwise estimate data movement across tiles."""
        order, rank = self.order, self.input.rank
        matrix = min(rank, 2)
        if sorted(order[rank - matrix :]) != list(range(rank - matrix, rank)):
            return movement([self.input], self.results)
        swapped = order[rank - matrix :] != tuple(range(rank - matrix, rank))
        return LoopNest(
            domain=tile_shape(self.results[0].shape),
            iterators=(Iterator.PARALLEL,) * rank,
            inputs=(IndexingMap(tuple(order.index(d) for d in range(rank))),),
            outputs=(identity_map(rank),),
            body=(TileOp("transpose" if swapped else "copy", (0,)),),
        )
