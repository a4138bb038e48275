"""Rows of tiles that several users share: [32, 1, H] takes 32 rows of tiles, the same rows as [32, H] one."""

import math

from ttstack.dialects.base import definition_of
from ttstack.dialects.ttir.destination import pure_producer
from ttstack.mlir import ir
from ttstack.ops.base import OPS
from ttstack.ops.types import tiles
from ttstack.passes.base import Pass
from ttstack.passes.functions import body, functions
from ttstack.passes.rewriting.prices import Prices
from ttstack.passes.stages import Stage
from ttstack.passes.ttir.movement.reshaped_regions import find_regions, fold_region, saved_ns
from ttstack.passes.ttir.queries.row_wise_ops import RowWiseOp


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
            for region in find_regions(body(function), _wasteful):
                if saved_ns(region, prices) > 0:
                    fold_region(region)


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
