"""Constraints of an op before placement."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from ttstack.device.device_op import DeviceOp, Fidelity
from ttstack.device.layout import Grid, Layout
from ttstack.device.program_config import RowwiseConfig, Sums
from ttstack.ops.base import Op
from ttstack.ops.types import DType
from ttstack.placement.overrides import OpOverride
from ttstack.placement.pricing import place_op


@dataclass(frozen=True)
class Question:
    """An op, and all properties of its operands and results that are known before placement."""

    op: Op
    operands: tuple[Layout, ...]
    """Formats, and the layouts of those that are in DRAM in any case."""
    movable: tuple[bool, ...]
    """Operands that can be in L1."""
    results: tuple[Layout, ...]
    """Formats, and the memories of those that are not in L1 in any case."""
    free: tuple[bool, ...]
    """Results that can be in L1."""
    grids: tuple[Grid, ...]
    """The cores that are tried, the usual ones first."""
    starts: tuple[tuple[Layout, ...], ...] = ()
    """For each operand, the layouts besides its own that it can have from the start of the program."""
    fixed: OpOverride | None = None
    """Constraints of the user on the op."""
    fidelity: Fidelity | None = None
    """Passes of the matrix unit; selected by formats if None."""
    sums: Sums | None = None
    """Accumulation format of a norm or a softmax; None for the result's."""
    broken: Counter[str] = field(default_factory=Counter[str], compare=False, repr=False)
    """Rules that ways broke which the user asks for, and how many of them."""

    def allows(self, op: DeviceOp) -> bool:
        """Return True if the user allows such layouts, cores and spread."""
        return self.fixed is None or self.fixed.allows(op)

    @property
    def keeps_rows(self) -> bool:
        """Return True if the op makes rows from rows."""
        return any(not layout.tiled for layout in self.results)

    def keeps(self, op: DeviceOp, faults: Iterator[str]) -> bool:
        """Return True if the op has none of these faults; note the first fault of one that the user asks for."""
        fault = next(faults, None)
        if fault and self.fixed and self.allows(op):
            self.broken[fault] += 1
        return fault is None


def plain(question: Question, device: Grid) -> DeviceOp:
    """Return the op with all tensors in their locations outside of L1."""
    operands = tuple(_interleave(question, i, layout) for i, layout in enumerate(question.operands))
    placed = place_op(question.op, operands, question.results, device)
    placed = placed if question.fidelity is None else replace(placed, fidelity=question.fidelity)
    return placed if question.sums is None else replace(placed, config=RowwiseConfig(sums=question.sums))


def _interleave(question: Question, position: int, layout: Layout) -> Layout:
    """Return the interleaved layout that the op reads: row-major for indices and row-major values, otherwise tiles."""
    tiled, filters = position not in question.op.host_operands, position in question.op.filter_operands
    tiled &= not question.keeps_rows
    dtype = DType.BF16 if layout.dtype.is_block and not tiled else layout.dtype
    return Layout(dtype, tiled, layout.memory_space, filters=filters)
