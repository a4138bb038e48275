"""The grids and shardings that an op can run with."""

from collections.abc import Iterator

from ttstack.ops.base import Op
from ttstack.ops.dispatch import Access, Dispatch
from ttstack.ops.types import TensorType
from ttstack.program.device_op import SPREADS, Spread
from ttstack.program.layout import Grid, Layout, MemoryLayout, MemorySpace, storage
from ttstack.program.structure import is_attention, is_contraction, is_rowwise

_NOT_SHARDED = (Access.GATHER, Access.INDIRECT, Access.WINDOW)
"""Ways of access that work on interleaved tensors only."""


def shardings(op: Op, dispatch: Dispatch, device: Grid) -> Iterator[tuple[MemoryLayout, Grid, Spread]]:
    """Ways to shard the result over the device so that each core computes the shard that it holds."""
    if len(op.results) != 1 or not op.results[0].size:
        return
    for kind in _kinds(op, dispatch):
        grid = shard_grid(op.results[0], kind, device)
        if grid.cores > 1:
            yield kind, grid, Spread.FLAT if is_rowwise(dispatch) else SPREADS[kind]


def shard_grid(t: TensorType, kind: MemoryLayout, device: Grid) -> Grid:
    """The smallest rectangle of the device's cores that gives each core as little of the tensor as possible."""
    rows, cols = Layout(storage(t.dtype)).matrix(t)
    match kind:
        case MemoryLayout.BLOCK_SHARDED:
            return Grid(_needed(rows, device.rows), _needed(cols, device.cols))
        case MemoryLayout.HEIGHT_SHARDED | MemoryLayout.WIDTH_SHARDED:
            cores = _needed(rows if kind is MemoryLayout.HEIGHT_SHARDED else cols, device.cores)
            width = min(cores, device.cols)
            return Grid(-(-cores // width), width)
        case MemoryLayout.INTERLEAVED:
            return device


def flat_grid(dispatch: Dispatch, device: Grid) -> Grid:
    """The smallest rectangle that runs the op's iterations in as few rounds as the whole device."""
    cores = _needed(dispatch.units, device.cores)
    width = min(cores, device.cols)
    return Grid(-(-cores // width), width)


def sharded(layout: Layout, kind: MemoryLayout, grid: Grid) -> Layout:
    """The same format in L1, sharded."""
    return Layout(layout.dtype, layout.tiled, MemorySpace.L1, kind, grid)


def _needed(extent: int, cores: int) -> int:
    """Cores that `extent` keeps busy when all have at most what the fullest of `cores` has."""
    each = -(-extent // cores)
    return max(1, -(-extent // max(each, 1)))


def _kinds(op: Op, dispatch: Dispatch) -> tuple[MemoryLayout, ...]:
    if is_attention(dispatch) or any(m.access in _NOT_SHARDED for m in dispatch.maps):
        return ()
    if is_contraction(dispatch):
        batched = any(loop is not None for loop in dispatch.inputs[1].loops[:-2])
        return () if batched else tuple(SPREADS)
    if is_rowwise(dispatch):
        rank = op.results[0].rank
        return (MemoryLayout.HEIGHT_SHARDED,) if dispatch.reductions == (rank - 1,) else ()
    if dispatch.reductions or dispatch.outputs[0].loops != tuple(range(op.results[0].rank)):
        return ()
    return tuple(SPREADS)
