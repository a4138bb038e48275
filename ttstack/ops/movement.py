"""What ops that move data and compute nothing have in common."""

from ttstack.ops.base import Op
from ttstack.ops.loop_nest import LoopNest, TileOp
from ttstack.ops.loop_nests import identity_map, movement
from ttstack.ops.loops import IndexingMap, Iterator
from ttstack.ops.types import TensorType, tile_shape
from ttstack.ops.work_estimate import WorkEstimate


class Movement(Op):
    """An op whose tiles of the result hold parts of several tiles of the operands."""

    computes = ()

    def dispatch(self) -> LoopNest | WorkEstimate:
        """The tiles that move, where they move whole; else all operands are read and all results written once."""
        return self.moved_tiles() or movement(self.operands, self.results)

    def moved_tiles(self) -> LoopNest | None:
        """Where each tile comes from; None where tiles are cut."""
        return None

    def flops(self) -> int:
        """None."""
        return 0


class Permutation(Op):
    """Dimensions in another order."""

    computes = ()
    input: TensorType

    @property
    def order(self) -> tuple[int, ...]:
        """For each dimension of the result, the dimension of the operand that it was."""
        raise NotImplementedError

    def infer(self) -> TensorType:
        """The extents in the new order."""
        return self.input.with_shape(tuple(self.input.shape[d] for d in self.order))

    def flops(self) -> int:
        """None."""
        return 0

    def dispatch(self) -> LoopNest | WorkEstimate:
        """A map where whole tiles move, data movement across tiles otherwise."""
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
