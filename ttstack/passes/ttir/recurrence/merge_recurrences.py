"""Recurrences that do not depend on each other take their steps together, as the two directions of one layer."""

from itertools import combinations

from ttstack.dialects.types import read_type
from ttstack.mlir import func, ir
from ttstack.passes.base import Pass
from ttstack.passes.functions import body, functions
from ttstack.passes.rewriting.prices import Prices
from ttstack.passes.stages import Stage
from ttstack.passes.ttir.queries.compile_time import MOST_FOLDED_BYTES
from ttstack.passes.ttir.queries.producers import MATMULS
from ttstack.passes.ttir.recurrence.merged_recurrence import MergedRecurrence
from ttstack.passes.ttir.recurrence.paired_ops import PairedOps
from ttstack.passes.ttir.recurrence.recurrences import recurrences


class MergeRecurrences(Pass, name="merge-recurrences", optional=True, stage=Stage.RECURRENCES):
    """Two recurrences of the same ops, as both directions of a layer, become one where that is predicted to be faster.

    Their states lie side by side in columns, and their weights on the diagonal of one matrix; what goes backwards in
    time is reversed before its first step and after its last.
    """

    def run(self, module: ir.Module) -> None:
        """Join until no two are left that pay."""
        if (prices := Prices.of(module)) is not None:
            for function in functions(module):
                while self._join_two(function, prices):
                    continue

    def _join_two(self, function: func.FuncOp, prices: Prices) -> bool:
        ops = body(function)
        for one, other in combinations(recurrences(ops), 2):
            if one.kind != other.kind or one.needs & other.bit or other.needs & one.bit:
                continue
            pairs = PairedOps()
            pairs.reach(zip(one.products, other.products, strict=True))
            if (
                self._are_few_bytes(pairs)
                and pairs.can_be_one(ops)
                and MergedRecurrence.of(function, pairs).replace(prices)
            ):
                return True
        return False

    def _are_few_bytes(self, pairs: PairedOps) -> bool:
        weights = {op.operands[1] for op in (*pairs.first, *pairs.second) if op.name in MATMULS}
        return 2 * sum(read_type(weight.type).nbytes for weight in weights) <= MOST_FOLDED_BYTES
