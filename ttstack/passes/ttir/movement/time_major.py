"""Time steps of a sequence, sliced from a tensor with the time dimension outermost."""

from collections.abc import Iterator, Sequence

from ttstack.dialects.base import definition_of
from ttstack.dialects.built_ops import insert_before
from ttstack.dialects.ttir.build import reshape_to, slice_as
from ttstack.dialects.types import read_type
from ttstack.mlir import ir
from ttstack.ops.base import Op
from ttstack.ops.indexing import SliceStatic
from ttstack.ops.shape import Permute, Reshape
from ttstack.passes.base import Pass
from ttstack.passes.functions import functions
from ttstack.passes.rewriting.prices import Prices
from ttstack.passes.stages import Stage
from ttstack.passes.ttir.movement.permuted_cone import PermutedCone
from ttstack.passes.ttir.movement.time_steps import TimeStep, steps_of


class TimeMajor(
    Pass,
    name="time-major",
    optional=True,
    stage=(Stage.MATMULS, Stage.TOKENS),
    after={"batch-matmul-over-time": "merged time steps are sliced from the matmul's result"},
):
    """Move the time dimension outermost in tensors that a recurrence slices step by step.

    A time step then reads whole tiles, instead of a row or a column of each. It is done if it costs less than the
    slices. The tensor is permuted, or computed from permuted operands of the elementwise ops before it.
    """

    def run(self, module: ir.Module) -> None:
        """Look at every function."""
        if (prices := Prices.of(module)) is not None:
            for function in functions(module):
                for steps in steps_of(function):
                    _put_first(steps, prices)


def _put_first(steps: Sequence[TimeStep], prices: Prices) -> None:
    first = steps[0]
    permute = Permute(input=first.cut.input, permutation=_order(first))
    before = [op for step in steps for op in (step.cut, *map(definition_of, step.views))]
    turn, readers = PermutedCone(permute.order, prices), [step.op for step in steps]
    source = first.op.operands[0]
    if turn.cost(source, readers) + prices.sum_of(_step_ops(steps, permute)) >= prices.sum_of(before):
        return
    with insert_before(first.op):
        permuted = turn.make(source, readers)
    for step in steps:
        for view in step.views:
            with insert_before(view):
                part = slice_as(permuted, _outermost(permute, step.index))
                view.results[0].replace_all_uses_with(reshape_to(part, read_type(view.results[0].type).shape))
            view.erase()
        step.op.erase()


def _order(step: TimeStep) -> tuple[int, ...]:
    """Return the time dimension, followed by the others in order."""
    return (step.axis, *(d for d in range(step.cut.input.rank) if d != step.axis))


def _outermost(permute: Permute, index: int) -> SliceStatic:
    """Return the slice of one time step of the permuted tensor."""
    whole = permute.results[0]
    begins, ends = (index, *(0,) * (whole.rank - 1)), (index + 1, *whole.shape[1:])
    return SliceStatic(input=whole, begins=begins, ends=ends, step=(1,) * whole.rank)


def _step_ops(steps: Sequence[TimeStep], permute: Permute) -> Iterator[Op]:
    """Yield the slices of all time steps of the permuted tensor."""
    for step in steps:
        for view in step.views:
            cut = _outermost(permute, step.index)
            yield cut
            yield Reshape(input=cut.results[0], shape=read_type(view.results[0].type).shape)
