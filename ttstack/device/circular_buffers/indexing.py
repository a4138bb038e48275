"""Circular buffers of gathers and scatters along rows, and of the permutations around them."""

from collections.abc import Iterator

from ttstack.device.circular_buffers.permutation import permutation_bytes
from ttstack.device.circular_buffers.pieces import slice_bytes
from ttstack.device.circular_buffers.row_moves import permuted_rows, row_bytes
from ttstack.device.circular_buffers.tiles import DOUBLE, Shape, fill_padding, tilize, untilize
from ttstack.device.device_op import DeviceOp
from ttstack.device.layout import Layout
from ttstack.ops.indexing import Gather, Scatter
from ttstack.ops.shapes import axis
from ttstack.ops.types import TILE, DType, tiles
from ttstack.system_desc import ChipDesc

_LONG = 60
"""Maximum tiles of a row of either operand for one core to process a full row, without a shape-specific kernel."""
_WRITTEN = 4
"""Number of tiles that shape-specific kernels write at a time."""


def gather_bytes(device_op: DeviceOp, op: Gather, chip: ChipDesc) -> int | None:
    """Return the bytes on each core: operands are transposed unless gathered along rows, and their tiles padded.

    Rows of tiles that the index does not reach are sliced off before.
    """
    if not all(layout.tiled for layout in device_op.layouts()):
        return None
    gathered_dim = axis(op.dim, op.input.rank)
    reached = tuple(op.input.shape[d] if d == gathered_dim else extent for d, extent in enumerate(op.index.shape))
    x, index = (layout.dtype for layout in device_op.operands)
    order = list(range(op.input.rank))
    order[gathered_dim], order[-1] = order[-1], order[gathered_dim]
    nbytes = [_rows(op.input.shape[gathered_dim], op.index.shape[gathered_dim], x, index, chip), DOUBLE * x.tile_bytes]
    *_, rows, width = (1, *_permuted(reached, order))
    nbytes += fill_padding((TILE * tiles(rows), width), x), fill_padding(_permuted(op.index.shape, order), index)
    for shape, dtype in ((op.input.shape, x), (op.index.shape, index)):
        if gathered_dim != op.input.rank - 1:
            nbytes.append(permutation_bytes(shape, tuple(order), dtype))
    if gathered_dim != op.input.rank - 1:
        nbytes.append(permutation_bytes(_permuted(op.index.shape, order), tuple(order), x))
    return max(nbytes)


def _permuted(shape: Shape, order: list[int]) -> Shape:
    return tuple(shape[d] for d in order)


def _rows(width: int, gathered: int, x: DType, index: DType, chip: ChipDesc) -> int:
    """Return the bytes of a source row, of an index tile, and of the result."""
    row, columns = tiles(width), tiles(gathered)
    if x is not DType.BF16:
        return (DOUBLE if max(row, columns) > _LONG else row) * x.tile_bytes + index.tile_bytes + x.tile_bytes
    whole = (row + max(columns, _WRITTEN)) * x.tile_bytes + index.tile_bytes
    if whole <= chip.l1_usable_bytes:
        return whole
    piece = max((chip.l1_usable_bytes - index.tile_bytes) // x.tile_bytes - 1, DOUBLE)
    return (-(-row // -(-row // piece)) + 1) * x.tile_bytes + index.tile_bytes


_HELD = 4 * 4
"""Divisor of L1 for a row in one piece: rows of four tensors, with four bytes per element."""


def scatter_bytes(device_op: DeviceOp, op: Scatter, chip: ChipDesc) -> int:
    """Return the bytes on each core: result rows, in parts if long, and those of the surrounding kernels."""
    cores, scattered_dim = chip.num_cores, axis(op.dim, op.input.rank)
    x, index, source = device_op.operands
    longest = chip.l1_usable_bytes // _HELD * 9 // 10 // 32 * 32
    nbytes = [row_bytes(min(op.input.shape[scattered_dim], longest), x.dtype)]
    if op.source.shape != op.index.shape:
        begins, step = (0,) * op.input.rank, (1,) * op.input.rank
        nbytes.append(slice_bytes(op.source.shape, begins, op.index.shape, step, source.dtype, cores))
    for shape, layout in ((op.input.shape, x), (op.index.shape, index), (op.index.shape, source)):
        nbytes += _along_rows(shape, scattered_dim, layout, cores)
    if device_op.results[0].tiled:
        nbytes.append(tilize(op.input.shape, x.dtype, x.dtype, cores))
    return max(nbytes)


def _along_rows(shape: Shape, dim: int, layout: Layout, cores: int) -> Iterator[int]:
    """Yield the bytes of untilizing, and of permuting the dimension to the last."""
    if layout.tiled:
        yield untilize(shape, layout.dtype, cores)
    order = list(range(len(shape)))
    order[dim], order[-1] = order[-1], order[dim]
    yield permuted_rows(shape, order, layout.dtype)
