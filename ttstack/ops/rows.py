"""Loop nests over rows that stay in a core: a reduction in the region ends a pass, and later ops need another."""

from collections.abc import Sequence
from typing import Any

from ttstack.ops.loop_nest import LoopNest, TileOp
from ttstack.ops.loop_nests import broadcast_map, identity_map
from ttstack.ops.loops import Iterator
from ttstack.ops.types import TensorType, tile_shape


class RegionBuilder:
    """Builds a region: each call adds a tile op, or finds an equal one, and returns the number of its value.

    Values 0, 1, ... are those of the operands.
    """

    def __init__(self, operands: Sequence[TensorType]) -> None:
        self._first = len(operands) + 1
        self.body: list[TileOp] = []

    def __call__(self, name: str, *args: int, **attributes: Any) -> int:
        """Return the number of the tile op's value."""
        op = TileOp(name, args, tuple(attributes.items()))
        if op not in self.body:
            self.body.append(op)
        return self._first + self.body.index(op)


def over_rows(operands: Sequence[TensorType], out: TensorType, dims: Sequence[int], region: RegionBuilder) -> LoopNest:
    """Return loops over `out` that keep `dims` in a core, with broadcast operands."""
    return LoopNest(
        domain=tile_shape(out.shape),
        iterators=tuple(Iterator.REDUCTION if i in dims else Iterator.PARALLEL for i in range(out.rank)),
        inputs=tuple(broadcast_map(t, out) for t in operands),
        outputs=(identity_map(out.rank),),
        body=tuple(region.body),
    )
