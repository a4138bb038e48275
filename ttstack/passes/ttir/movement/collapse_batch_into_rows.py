"""Rows of tiles that several users share: [32, 1, H] takes 32 rows of tiles, the same rows as [32, H] one."""

import math
from collections.abc import Iterator, Sequence

from ttstack.dialects.base import create, definition_of, operands_by_place
from ttstack.dialects.built_ops import insert_before
from ttstack.dialects.ttir.build import reshape_to
from ttstack.dialects.ttir.destination import pure_producer
from ttstack.dialects.types import read_type
from ttstack.mlir import ir
from ttstack.ops.base import OPS
from ttstack.ops.shape import Reshape
from ttstack.ops.types import tiles
from ttstack.passes.base import Pass
from ttstack.passes.functions import body, functions
from ttstack.passes.rewriting.prices import Prices
from ttstack.passes.stages import Stage
from ttstack.passes.ttir.queries.aliases import VIEWS
from ttstack.passes.ttir.queries.compile_time import is_known
from ttstack.passes.ttir.queries.row_wise_ops import RowWiseOp

Region = dict[ir.Operation, RowWiseOp]
"""Ops that hand rows to one another, in their order."""


class CollapseBatchIntoRows(
    Pass,
    name="collapse-batch-into-rows",
    optional=True,
    stage=Stage.TOKENS,
    after={"hoist-slices": "rows that are sliced off need not be computed"},
):
    """Ops on rows of few tokens a user work on matrices of the rows of all users, where that is predicted to be faster.

    A row of tiles takes as long for one token as for 32. Rows stand apart again where an op needs them so.
    """

    def run(self, module: ir.Module) -> None:
        """Look at each group of ops that hand rows to one another."""
        if (prices := Prices.of(module)) is None:
            return
        for function in functions(module):
            for region in _regions(body(function)):
                if _saved(region, prices) > 0:
                    _fold(region)


def _regions(ops: Sequence[ir.Operation]) -> list[Region]:
    """The groups, each of ops of which one reads what another gives."""
    groups: dict[ir.Value, Region] = {}
    for op in ops:
        if (row_wise := _wasteful(op)) is None:
            continue
        region: Region = {op: row_wise}
        for i, value in enumerate(op.operands):
            if row_wise.has_rows(i) and value in groups and groups[value] is not region:
                region = {**groups[value], **region}
        groups |= {o.results[0]: region for o in region}
    unique = {id(region): region for region in groups.values()}
    order = {op: i for i, op in enumerate(ops)}
    return [dict(sorted(region.items(), key=lambda item: order[item[0]])) for region in unique.values()]


def _wasteful(op: ir.Operation) -> RowWiseOp | None:
    """The op on rows, where these would take fewer rows of tiles in one matrix."""
    spec = OPS.get(op.name.removeprefix("ttir."))
    if spec is None or len(op.results) != 1 or spec.mutates or pure_producer(op.results[0]) is None:
        return None
    row_wise = RowWiseOp.of(definition_of(op))
    if row_wise is None or 0 in row_wise.lead:
        return None
    *lead, rows = row_wise.lead
    return row_wise if tiles(math.prod(row_wise.lead)) < math.prod(lead) * tiles(rows) else None


def _saved(region: Region, prices: Prices) -> float:
    """Nanoseconds that the group is predicted to take less, with the reshapes at its borders."""
    ops = sum(prices.latency_of(row_wise.op) - prices.latency_of(row_wise.folded) for row_wise in region.values())
    return ops - sum(_arrivals(region, prices)) - sum(_departures(region, prices))


def _arrivals(region: Region, prices: Prices) -> Iterator[float]:
    """Yield the predicted nanoseconds of flattening each value from outside to a matrix."""
    inside = {op.results[0] for op in region}
    read = (v for op, row_wise in region.items() for i, v in enumerate(op.operands) if row_wise.has_rows(i))
    for value in dict.fromkeys(read):
        if value in inside or is_known(value):
            continue
        shape = read_type(value.type).shape
        matrix = (math.prod(shape[:-1]), shape[-1])
        maker = pure_producer(value)
        if maker is not None and maker.name == "ttir.embedding":
            continue
        view = maker if maker is not None and maker.name in VIEWS else None
        yield _reshape(value if view is None else view.operands[0], matrix, prices)
        if view is not None and all(use.owner.operation in region for use in value.uses):
            yield -prices.sum_of([definition_of(view)])


def _departures(region: Region, prices: Prices) -> Iterator[float]:
    """Yield the predicted nanoseconds of restoring the shapes that ops outside read."""
    for op, row_wise in region.items():
        users = [use.owner.operation for use in op.results[0].uses]
        outside = [user for user in users if user not in region]
        if any(user.name not in VIEWS for user in outside):
            yield prices.sum_of([Reshape(input=row_wise.folded.results[0], shape=row_wise.op.results[0].shape)])
        for user in outside:
            if user.name in VIEWS:
                target = read_type(user.results[0].type).shape
                now = prices.sum_of([definition_of(user)])
                yield prices.sum_of([Reshape(input=row_wise.folded.results[0], shape=target)]) - now


def _reshape(value: ir.Value, shape: tuple[int, ...], prices: Prices) -> float:
    return prices.sum_of([Reshape(input=read_type(value.type), shape=shape)])


def _fold(region: Region) -> None:
    for op, row_wise in region.items():
        with insert_before(op):
            matrices = iter([reshape_to(v, row_wise.matrix(i)) for i, v in enumerate(op.operands)])
            operands = [v and next(matrices) for v in operands_by_place(type(row_wise.op), op)]
            folded = create(
                "ttir", row_wise.op.mnemonic, operands, row_wise.attributes, results=row_wise.folded.results
            )
            op.results[0].replace_all_uses_with(reshape_to(folded.results[0], row_wise.op.results[0].shape))
        op.erase()
