"""Earlier assignments to buffers, as soon as the old value is unused."""

from collections.abc import Sequence
from functools import reduce

from ttstack.buffers.aliasing import buffer_owners
from ttstack.dialects.defining_op import defining_op
from ttstack.dialects.ttir.destination import destination
from ttstack.mlir import ir
from ttstack.passes.base import Pass
from ttstack.passes.functions import body, functions
from ttstack.passes.stages import Stage
from ttstack.passes.ttir.queries.aliases import view_sources


class HoistAssigns(
    Pass, name="hoist-assigns", stage=Stage.SCHEDULE, after={"recompute": "recomputed ops read buffers too"}
):
    """Move each assignment up to the last use of the old value, or to the op that computes the new one.

    A training step then has the next values of one parameter in memory at a time, not of all.
    """

    def run(self, module: ir.Module) -> None:
        """Look at every function."""
        for function in functions(module):
            _move_up(body(function))


def _move_up(ops: Sequence[ir.Operation]) -> None:
    views = view_sources(ops)
    written = {op.results[0]: target for op in ops if (target := destination(op)) is not None and len(op.results)}
    owners = buffer_owners({**views, **written})
    last = dict[ir.Value, ir.Operation]()
    for op in ops:
        target = destination(op)
        if op.name == "ttir.assign" and target is not None:
            before = [last.get(owners.get(target, target)), *map(defining_op, op.operands)]
            if earlier := [other for other in before if other is not None]:
                op.move_after(reduce(_later, earlier))
        for buffer in {owners.get(value, value) for value in op.operands}:
            last[buffer] = op if buffer not in last else _later(last[buffer], op)


def _later(a: ir.Operation, b: ir.Operation) -> ir.Operation:
    return b if a.is_before_in_block(b) else a
