"""The work of a lookup in Tensor-Train form, for the cost model, footprints and grids."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from ttstack.ops.loop_nest import LoopNest
from ttstack.ops.loops import Access, IndexingMap, Iterator, TileWork
from ttstack.ops.tensor_train_generic import lookup, products, train_of
from ttstack.ops.tensor_train_stages import CoreWork, held_elements, stages
from ttstack.ops.tensor_train_type import TensorTrainType
from ttstack.ops.types import TILE, TensorType, tiles
from ttstack.ops.work_estimate import WorkEstimate


@dataclass(frozen=True)
class Chain:
    """A lookup of rows through the cores of a train: products of tiles, one core after the other."""

    train: TensorTrainType
    picked: int
    """Number of looked-up rows, with duplicates."""
    first: int = 1
    """The position of the first core among the operands."""
    pooled: bool = False
    """Whether rows are added up in bags."""

    @cached_property
    def stages(self) -> tuple[CoreWork, ...]:
        """The cost of the lookup, core by core."""
        return stages(self.train.plan, self.picked)

    @property
    def held_elements(self) -> float:
        """The number of elements of the longest partial products of all lookups."""
        return held_elements(self.train.plan, self.picked)

    def estimate(self, count: int) -> WorkEstimate:
        """Estimate units of work: tiles of rows that share a slice are gathered and multiplied, core by core.

        The stages determine the counts; a bag result is added up at the end. `count` is the number of operands.
        """
        units = max(1, math.ceil(max(stage.row_tiles for stage in self.stages)))
        plan = self.train.plan
        times = [n for stage in self.stages[1:] for n in (stage.copies, stage.products)] or [tiles(self.picked)]
        chain = zip(products(plan, self.first, count), times, strict=True)
        body = [TileWork(op.name, op.args, n / units) for op, n in chain]
        if self.pooled:
            body.append(TileWork("add", (count + len(body),), self.picked * plan.cols / TILE**2 / units))
        maps = [IndexingMap((0,), Access.GATHER)] * (count + 1)
        slices = [IndexingMap((0, None, None), Access.INDIRECT)] * (plan.order - 1)
        maps[self.first : self.first + plan.order] = [IndexingMap((0,), Access.INDIRECT), *slices]
        return WorkEstimate((units,), (Iterator.PARALLEL,), tuple(maps[:-1]), tuple(maps[-1:]), tuple(body))


def read_chain(nest: LoopNest, operands: Sequence[TensorType], out: TensorType) -> Chain:
    """Return the lookup that an indexed nest computes; raise `ValueError` if it is not one."""
    train = train_of(nest, operands)
    pool = next((dict(op.attributes) for op in nest.body if op.name == "pool"), None)
    if lookup(train, operands, out, pool) != nest:
        raise ValueError(f"its operands are cores of {train.table}, the region is not a chain of products of its cores")
    return Chain(train, operands[0].size, pooled=pool is not None)
