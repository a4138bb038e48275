"""Time steps of a sequence, sliced one by one."""

from dataclasses import dataclass

from ttstack.dialects.base import definition_of
from ttstack.dialects.ttir.destination import is_overwritten
from ttstack.mlir import func, ir
from ttstack.ops.indexing import SliceStatic
from ttstack.ops.types import TensorType
from ttstack.passes.functions import body
from ttstack.passes.ttir.queries.aliases import VIEWS


@dataclass(frozen=True)
class TimeStep:
    """A slice of extent 1 along one dimension, used only through reshapes."""

    op: ir.Operation
    cut: SliceStatic
    axis: int

    @property
    def index(self) -> int:
        """Return the index of the time step."""
        return self.cut.begins[self.axis]

    @property
    def views(self) -> list[ir.Operation]:
        """The reshapes that use it."""
        return [use.owner.operation for use in self.op.results[0].uses]

    def part(self, whole: TensorType, begin: int, end: int) -> SliceStatic:
        """Return the slice of these columns at the same time step of another tensor of equal length."""
        begins, ends = [0] * (whole.rank - 1), list(whole.shape[:-1])
        begins[self.axis], ends[self.axis] = self.index, self.index + 1
        return SliceStatic(input=whole, begins=(*begins, begin), ends=(*ends, end), step=(1,) * whole.rank)


def steps_of(function: func.FuncOp) -> list[list[TimeStep]]:
    """Return the time steps of each tensor and dimension that has several."""
    groups: dict[tuple[ir.Value, int], list[TimeStep]] = {}
    for op in body(function):
        if op.name == "ttir.slice_static" and (step := _step(op)) is not None:
            groups.setdefault((op.operands[0], step.axis), []).append(step)
    return [steps for steps in groups.values() if len(steps) > 1]


def _step(op: ir.Operation) -> TimeStep | None:
    cut = definition_of(op)
    assert isinstance(cut, SliceStatic)
    extents = zip(cut.input.shape, cut.results[0].shape, strict=True)
    cuts = [d for d, (whole, extent) in enumerate(extents) if whole != extent]
    if len(cuts) != 1 or not cut.counts_up or cut.results[0].shape[cuts[0]] != 1 or is_overwritten(op.operands[0]):
        return None
    step = TimeStep(op, cut, cuts[0])
    return step if step.views and all(view.name in VIEWS for view in step.views) else None
