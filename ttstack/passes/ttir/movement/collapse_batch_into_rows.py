"""Merging of batch and rows: [32, 1, H] takes 32 rows of tiles, [32, H] takes one."""

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
    after={"hoist-slices": "slices remove unused rows first"},
):
    """Merge the few token rows of all users into one matrix, if predicted to be faster.

    A row of tiles takes as long for one token as for 32. Rows are split again before ops that need separate users.
    """

    def run(self, module: ir.Module) -> None:
        """Rewrite each group of row-wise ops that are connected."""
        if (prices := Prices.of(module)) is None:
            return
        for function in functions(module):
            for region in find_regions(body(function), _wasteful):
                if saved_ns(region, prices) > 0:
                    fold_region(region)


def _wasteful(op: ir.Operation) -> RowWiseOp | None:
    """Return the row-wise op if its rows would take fewer rows of tiles as one matrix."""
    spec = OPS.get(op.name.removeprefix("ttir."))
    if spec is None or len(op.results) != 1 or spec.mutates or pure_producer(op.results[0]) is None:
        return None
    row_wise = RowWiseOp.of(definition_of(op))
    if row_wise is None or 0 in row_wise.lead:
        return None
    *lead, rows = row_wise.lead
    return row_wise if tiles(math.prod(row_wise.lead)) < math.prod(lead) * tiles(rows) else None
