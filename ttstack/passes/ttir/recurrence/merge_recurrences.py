"""Merging of independent recurrences, such as the two directions of one layer."""

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
    """Merge two equal recurrences, such as both directions of an LSTM, if predicted to be faster.

    Their states are concatenated along columns, and their weights are diagonal blocks of one matrix. The backward
    direction is reversed before the first step and after the last.
    """

    def run(self, module: ir.Module) -> None:
        """Merge pairs until none saves time."""
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
