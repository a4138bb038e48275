"""The work of picking rows of a table in Tensor-Train form, core by core.

Rows that share the index of a core share a slice of it: lookups are grouped by that index, so that each slice is read
once and multiplied by all of them together. Row ids are taken as uniform; skewed ones pick fewer slices. Equal ids are
computed once.
"""

import math
from dataclasses import dataclass

from ttstack.ops.types import TILE, tiles
from ttstack.tensor_train.shape import TensorTrainPlan

HELD_ELEMENTS = 1 << 15
"""Partial products that a core holds: lookups that give more are grouped in several turns."""

_CORES = 64
"""That share the partial products where the number of turns is worked out: of a Wormhole."""


@dataclass(frozen=True)
class CoreWork:
    """What one core of the train adds to the lookups of all turns."""

    slices: float
    """Slices of the core that are read; of the first core, rows."""
    rows: float
    """Rows of partial products that come in, each as long as the rank before the core."""
    row_tiles: float
    """The same in tiles, where rows of different slices share none."""
    copies: float
    """Tiles of rows that are put in the order of the slices."""
    products: float
    """Products of two tiles."""


def row_products(plan: TensorTrainPlan) -> int:
    """Multiply-adds of one row that shares nothing with others."""
    steps = range(1, len(plan.row_factors))
    return sum(math.prod(plan.col_factors[: k + 1]) * plan.ranks[k] * plan.ranks[k + 1] for k in steps)


def distinct(count: float, kinds: int) -> float:
    """How many of `kinds` are expected among `count` uniform draws."""
    return kinds * -math.expm1(count * math.log1p(-1 / kinds)) if kinds > 1 else min(count, 1.0)


def stages(plan: TensorTrainPlan, picked: int) -> tuple[CoreWork, ...]:
    """The stages of `picked` lookups, first core first; ids are expected to repeat as uniform ones do."""
    lookups = distinct(picked, plan.rows)
    turns = max(1, math.ceil(held_elements(plan, picked) / (HELD_ELEMENTS * _CORES)))
    return tuple(_stage(plan, k, lookups / turns, turns) for k in range(len(plan.row_factors)))


def held_elements(plan: TensorTrainPlan, picked: int) -> float:
    """Elements of the longest partial products of all lookups."""
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
    """Tiles of `rows` in groups of about one size that share no tile: the last tile of each is half full."""
    if groups <= 1:
        return math.ceil(rows / TILE)
    return groups * max(1.0, rows / (groups * TILE) + 0.5)
