"""The ops around iterations of a loop: copies of what it writes to, slices of what it scans, joins of its rows."""

from collections.abc import Iterator, Sequence

from ttstack.device.device_op import DeviceOp
from ttstack.device.layout import Grid, Layout
from ttstack.ops.control_flow import While
from ttstack.ops.indexing import SliceStatic
from ttstack.ops.shape import Concat
from ttstack.ops.state import Clone
from ttstack.ops.types import TensorType

JOINED = 32
"""Rows that one concat joins; more are joined in groups, and then the groups."""


def slices(loop: While, operands: Sequence[Layout], grid: Grid) -> Iterator[DeviceOp]:
    """Yield the slices of one iteration; `operands` are the layouts of the loop's inputs."""
    layouts = operands[loop.carried : loop.carried + loop.scanned]
    for t, layout in zip(loop.sources, layouts, strict=True):
        begins, ends = (0,) * t.rank, (1, *t.shape[1:])
        op = SliceStatic(input=t, begins=begins, ends=ends, step=(1,) * t.rank)
        yield DeviceOp(op, (layout,), (layout,), grid)


def copies(loop: While, operands: Sequence[Layout], written: Sequence[int], grid: Grid) -> Iterator[DeviceOp]:
    """Yield the copies before the first iteration, of values that the body writes to, by position."""
    for position in written:
        layout = operands[position]
        yield DeviceOp(Clone(input=loop.inputs[position]), (layout,), (layout,), grid)


def joins(loop: While, results: Sequence[Layout], grid: Grid) -> Iterator[DeviceOp]:
    """Yield the concats after the last iteration; `results` are the layouts of the loop's results."""
    for t, layout in zip(loop.types[loop.carried :], results[loop.carried :], strict=True):
        sizes = [1] * t.shape[0]
        while len(sizes) > 1:
            groups = [sizes[i : i + JOINED] for i in range(0, len(sizes), JOINED)]
            yield from (_concat(t, layout, group, grid) for group in groups if len(group) > 1)
            sizes = [sum(group) for group in groups]


def _concat(t: TensorType, layout: Layout, sizes: Sequence[int], grid: Grid) -> DeviceOp:
    op = Concat(inputs=tuple(t.with_shape((size, *t.shape[1:])) for size in sizes), dim=0)
    return DeviceOp(op, (layout,) * len(sizes), (layout,), grid)
