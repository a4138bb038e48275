"""Steps of a sequence that are taken one by one, of a tensor that has them outermost."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ttstack.dialects.base import describe
from ttstack.dialects.ttir.build import reshape_to, slice_as
from ttstack.dialects.ttir.destination import is_overwritten
from ttstack.dialects.types import read_type
from ttstack.mlir import func, ir
from ttstack.ops.base import Op
from ttstack.ops.indexing import SliceStatic
from ttstack.ops.shape import Permute, Reshape
from ttstack.passes.base import Pass
from ttstack.passes.functions import body, functions
from ttstack.passes.ttir.price import Prices
from ttstack.passes.ttir.turned import Turn
from ttstack.passes.ttir.views import VIEWS


@dataclass(frozen=True)
class _Step:
    """A slice of extent 1 along one dimension, which is read in other shapes alone."""

    op: ir.Operation
    cut: SliceStatic
    axis: int

    @property
    def at(self) -> int:
        """Which of the steps it takes."""
        return self.cut.begins[self.axis]

    @property
    def views(self) -> list[ir.Operation]:
        """What reads it: the same elements in other shapes."""
        return [use.owner.operation for use in self.op.results[0].uses]


class StepsFirst(Pass, name="steps-first"):
    """A tensor of which steps are taken one by one has them outermost, where that costs less than the cuts.

    So a step of a scan takes whole tiles, where it would cut a row or a column out of each. The tensor is permuted, or
    made of permuted operands by the elementwise ops before it.
    """

    def run(self, module: ir.Module) -> None:
        """Look at every function."""
        if (prices := Prices.of(module)) is not None:
            for function in functions(module):
                for steps in _siblings(function):
                    _put_first(steps, prices)


def _siblings(function: func.FuncOp) -> list[list[_Step]]:
    """Steps along the same dimension of the same tensor."""
    found: dict[tuple[ir.Value, int], list[_Step]] = {}
    for op in body(function):
        if op.name == "ttir.slice_static" and (step := _step(op)) is not None:
            found.setdefault((op.operands[0], step.axis), []).append(step)
    return [steps for steps in found.values() if len(steps) > 1]


def _step(op: ir.Operation) -> _Step | None:
    cut = describe(op)
    assert isinstance(cut, SliceStatic)
    extents = zip(cut.input.shape, cut.results[0].shape, strict=True)
    cuts = [d for d, (whole, taken) in enumerate(extents) if whole != taken]
    if len(cuts) != 1 or not cut.counts_up or cut.results[0].shape[cuts[0]] != 1 or is_overwritten(op.operands[0]):
        return None
    step = _Step(op, cut, cuts[0])
    return step if step.views and all(view.name in VIEWS for view in step.views) else None


def _put_first(steps: Sequence[_Step], prices: Prices) -> None:
    first = steps[0]
    permute = Permute(input=first.cut.input, permutation=_order(first))
    before = [op for step in steps for op in (step.cut, *map(describe, step.views))]
    turn, readers = Turn(permute.order, prices), [step.op for step in steps]
    source = first.op.operands[0]
    if turn.cost(source, readers) + prices.total(_taken(steps, permute)) >= prices.total(before):
        return
    with ir.InsertionPoint(first.op), first.op.location:
        turned = turn.make(source, readers)
    for step in steps:
        for view in step.views:
            with ir.InsertionPoint(view), view.location:
                part = slice_as(turned, _outermost(permute, step.at))
                view.results[0].replace_all_uses_with(reshape_to(part, read_type(view.results[0].type).shape))
            view.erase()
        step.op.erase()


def _order(step: _Step) -> tuple[int, ...]:
    """The dimension of steps, then the others as they are."""
    return (step.axis, *(d for d in range(step.cut.input.rank) if d != step.axis))


def _outermost(permute: Permute, at: int) -> SliceStatic:
    """One step of what has them outermost."""
    whole = permute.results[0]
    begins, ends = (at, *(0,) * (whole.rank - 1)), (at + 1, *whole.shape[1:])
    return SliceStatic(input=whole, begins=begins, ends=ends, step=(1,) * whole.rank)


def _taken(steps: Sequence[_Step], permute: Permute) -> Iterator[Op]:
    """What takes all steps out of it."""
    for step in steps:
        for view in step.views:
            cut = _outermost(permute, step.at)
            yield cut
            yield Reshape(input=cut.results[0], shape=read_type(view.results[0].type).shape)
