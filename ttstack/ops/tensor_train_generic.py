"""Lookups in Tensor-Train form as loops over tiles: slices of the cores selected by index digits, and products.

The first core gives a row for each index. Then, core by core, rows are grouped by the slice that they need, a product
for several columns is split into rows, and one product multiplies all rows of a group.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import MISSING
from typing import Any

from ttstack.ops.attributes import Attribute, Spelling
from ttstack.ops.loop_nest import LoopNest, TileOp
from ttstack.ops.loops import Access, IndexingMap, Iterator, Pick
from ttstack.ops.tensor_train_type import TensorTrainType
from ttstack.ops.tile_ops import Rate, TileOpSpec, register
from ttstack.ops.types import DType, TensorType, tile_shape
from ttstack.tensor_train.shape import TensorTrainPlan

for _spec in (
    TileOpSpec(
        "group",
        1,
        "",
        "Rows that need the same slice together, equal ones once; each of `columns` is a row of its own.",
        Rate.COPY,
        attributes={"columns": Attribute("columns", Spelling("integer", "i64"), MISSING)},
    ),
    TileOpSpec("weigh", 2, "multiply", "Each row times its weight."),
):
    register(_spec)


def products(plan: TensorTrainPlan, first: int, operands: int) -> tuple[TileOp, ...]:
    """Return tile ops that multiply the slices of all cores, the first of which is operand `first` of `operands`."""
    if plan.order == 1:
        return (TileOp("copy", (first,)),)
    body: list[TileOp] = []
    for number in range(1, plan.order):
        rows = operands + len(body) if body else first
        body.append(TileOp("group", (rows,), attributes=(("columns", plan.col_factors[number - 1]),)))
        body.append(TileOp("matmul", (operands + len(body), first + number, operands)))
    return tuple(body)


def lookup(
    train: TensorTrainType, operands: Sequence[TensorType], out: TensorType, pool: Mapping[str, Any] | None = None
) -> LoopNest:
    """Return a nest with one iteration for each tile of result rows; `pool` has the attributes of the bag reduction.

    Operands are the indices, the cores, and the optional offsets and weights of bags.
    """
    plan, count = train.plan, len(operands)
    loops = tuple(range(out.rank - 1))
    after = range(1 + plan.order, count)
    maps = [IndexingMap(loops if pool is None else (0, None)[-t.rank :], Access.GATHER) for t in operands]
    maps[1 : after.start] = [
        IndexingMap((None, None, None), Access.INDIRECT, _digit(plan, k)) for k in range(plan.order)
    ]
    body = [*products(plan, 1, count)]
    if pool is not None:
        body += _pooling(operands, after, count + len(body), pool)
    return LoopNest(
        domain=tile_shape(out.shape)[:-1],
        iterators=(Iterator.PARALLEL,) * len(loops),
        inputs=tuple(maps),
        outputs=(IndexingMap((*loops, None), Access.GATHER),),
        body=tuple(body),
        index_bound=plan.rows,
    )


def _pooling(operands: Sequence[TensorType], after: range, rows: int, pool: Mapping[str, Any]) -> Iterable[TileOp]:
    """Yield tile ops that add up the rows of tile op `rows`; offsets and weights are operands `after` the cores."""
    offsets = after[: operands[0].rank == 1]
    for weights in after[len(offsets) :]:
        yield TileOp("weigh", (rows, weights))
        rows += 1
    yield TileOp("pool", (rows, *offsets), attributes=tuple(pool.items()))


def _digit(plan: TensorTrainPlan, number: int) -> Pick | None:
    """Return how an index selects a slice of a core; None if there is only one slice."""
    factors = plan.row_factors
    return Pick(math.prod(factors[number + 1 :]), factors[number] if number else None) if factors[number] > 1 else None


def train_of(dispatch: LoopNest, operands: Sequence[TensorType]) -> TensorTrainType:
    """Return the train whose slices a dispatch gathers; raise `ValueError` if they do not form one."""
    picked = [t for t, m in zip(operands, dispatch.inputs, strict=True) if m.access is Access.INDIRECT]
    element = picked[0].dtype if picked else None
    if dispatch.index_bound is None or not isinstance(element, DType) or any(t.rank != 3 for t in picked):
        raise ValueError("an index picks from cores of a train, which have three dimensions")
    factors, ranks = [t.shape[0] for t in picked], [*(t.shape[1] for t in picked), 1]
    columns = [t.shape[2] // max(right, 1) for t, right in zip(picked, ranks[1:], strict=True)]
    return TensorTrainType.of(dispatch.index_bound, math.prod(columns), factors, columns, ranks, element)
