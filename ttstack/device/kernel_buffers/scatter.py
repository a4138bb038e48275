"""Circular buffers of a scatter, which goes along rows: its tensors become such, and what it gives tiles again."""

from collections.abc import Iterator

from ttstack.device.device_op import DeviceOp
from ttstack.device.kernel_buffers.pieces import slice_bytes
from ttstack.device.kernel_buffers.row_moves import permuted_rows, row_bytes
from ttstack.device.kernel_buffers.tiles import Shape, tilize, untilize
from ttstack.device.layout import Layout
from ttstack.ops.indexing import Scatter
from ttstack.ops.shapes import axis
from ttstack.system_desc import ChipDesc

_HELD = 4 * 4
"""Parts of L1 of which a core holds a row in one: rows of four tensors, of four bytes an element."""


def scatter_bytes(device_op: DeviceOp, op: Scatter, chip: ChipDesc) -> int:
    """Bytes on each core: the rows that it gives, in parts where they are long, and those of kernels around it."""
    cores, at = chip.num_cores, axis(op.dim, op.input.rank)
    x, index, source = device_op.operands
    longest = chip.l1_usable_bytes // _HELD * 9 // 10 // 32 * 32
    found = [row_bytes(min(op.input.shape[at], longest), x.dtype)]
    if op.source.shape != op.index.shape:
        begins, step = (0,) * op.input.rank, (1,) * op.input.rank
        found.append(slice_bytes(op.source.shape, begins, op.index.shape, step, source.dtype, cores))
    for shape, layout in ((op.input.shape, x), (op.index.shape, index), (op.index.shape, source)):
        found += _along_rows(shape, at, layout, cores)
    if device_op.results[0].tiled:
        found.append(tilize(op.input.shape, x.dtype, x.dtype, cores))
    return max(found)


def _along_rows(shape: Shape, at: int, layout: Layout, cores: int) -> Iterator[int]:
    """Tiles become rows, and the dimension the last one."""
    if layout.tiled:
        yield untilize(shape, layout.dtype, cores)
    order = list(range(len(shape)))
    order[at], order[-1] = order[-1], order[at]
    yield permuted_rows(shape, order, layout.dtype)
