"""The work of looking up rows of a table in Tensor-Train form, core by core.

Rows with the same index of a core share its slice: lookups are grouped by that index, so that each slice is read once
and multiplied by all of them. Row ids are assumed uniform; skewed ones use fewer slices. Equal ids are computed once.
"""

import math
from dataclasses import dataclass

from ttstack.ops.types import TILE, tiles
from ttstack.tensor_train.shape import TensorTrainPlan

HELD_ELEMENTS = 1 << 15
"""Maximum number of elements of partial products in a core; larger lookups are split into several rounds."""

_CORES = 64
"""Number of Tensix cores that share the partial products when rounds are counted: those of a Wormhole."""


@dataclass(frozen=True)
class CoreWork:
    """The work that one core of the train adds to the lookups of all rounds."""

    slices: float
    """Number of slices of the core that are read; rows for the first core."""
    rows: float
    """Number of incoming rows of partial products, each as long as the rank before the core."""
    row_tiles: float
    """The same in tiles; rows of different slices share no tile."""
    copies: float
    """Number of tiles of rows that are reordered by slice."""
    products: float
    """Number of products of two tiles."""


def row_products(plan: TensorTrainPlan) -> int:
    """Return the multiply-adds of one row that shares nothing with others."""
    steps = range(1, len(plan.row_factors))
    return sum(math.prod(plan.col_factors[: k + 1]) * plan.ranks[k] * plan.ranks[k + 1] for k in steps)


def distinct(count: float, kinds: int) -> float:
    """Return the expected number of distinct values among `count` uniform draws from `kinds`."""
    return kinds * -math.expm1(count * math.log1p(-1 / kinds)) if kinds > 1 else min(count, 1.0)


def stages(plan: TensorTrainPlan, picked: int) -> tuple[CoreWork, ...]:
    """Return the stages of `picked` lookups, first core first, assuming uniform ids."""
    lookups = distinct(picked, plan.rows)
    turns = max(1, math.ceil(held_elements(plan, picked) / (HELD_ELEMENTS * _CORES)))
    return tuple(_stage(plan, k, lookups / turns, turns) for k in range(len(plan.row_factors)))


def held_elements(plan: TensorTrainPlan, picked: int) -> float:
    """Return the number of elements of the longest partial products of all lookups."""
    widest = max(math.prod(plan.col_factors[:k]) * rank for k, rank in enumerate(plan.ranks[:-1]))
    return distinct(picked, plan.rows) * widest


def _stage(plan: TensorTrainPlan, k: int, lookups: float, turns: int) -> CoreWork:
    rows = lookups * math.prod(plan.col_factors[:k])
    if k == 0:
        return CoreWork(turns * lookups, 0, 0, 0, 0)
    slices = distinct(lookups, plan.row_factors[k])
    row_tiles = turns * _grouped(rows, slices)
    copies = row_tiles * tiles(plan.ranks[k])
    products = copies * tiles(plan.col_factors[k] * plan.ranks[k + 1])
    return CoreWork(turns * slices, turns * rows, row_tiles, copies, products)


def _grouped(rows: float, groups: float) -> float:
    """Return the tiles of `rows` in groups of equal size that share no tile.

    The last tile of each is half full on average.
    """
    if groups <= 1:
        return math.ceil(rows / TILE)
    return groups * max(1.0, rows / (groups * TILE) + 0.5)
