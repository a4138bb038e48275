"""The grids and shardings that an op can run with."""

from collections.abc import Iterator, Sequence

from ttstack.device.device_op import SPREADS, DeviceOp, Spread
from ttstack.device.group_norm import group_grids
from ttstack.device.kernel_class import (
    divides_rows,
    is_attention,
    is_batched,
    is_contraction,
    is_matmul,
    is_rowwise,
    keeps_rows,
)
from ttstack.device.layout import Grid, Layout, MemoryLayout, MemorySpace, shares, storage
from ttstack.ops.base import Op
from ttstack.ops.decode import DecodeAttentionOp
from ttstack.ops.loops import Access, Loops
from ttstack.ops.matmul import SparseMatmul
from ttstack.ops.normalization import GroupNorm
from ttstack.ops.types import TensorType, tiles
from ttstack.ops.windows import WindowOp

_NOT_SHARDED = (Access.GATHER, Access.INDIRECT)
"""Ways of access that work on interleaved tensors only."""


def legal_grids(op: Op, device: Grid) -> tuple[Grid, ...]:
    """Every rectangle of the device's workers that is worth giving to the op, the usual one first.

    Of rectangles on which the core with the most work has equally much of it, the smallest; those on which each
    core holds one shard of the result are among them. Harvested rows are not in `device`.
    """
    dispatch = op.loops
    if isinstance(op, GroupNorm) and (grids := group_grids(op, device)):
        return tuple(grids)
    if isinstance(op, DecodeAttentionOp):
        return (device,)  # keys of a head are divided over all cores that there are for it
    if isinstance(op, SparseMatmul):
        columns = tiles(op.b.shape[-1])
        return tuple(sorted((g for g in device.parts() if shares(columns, g.cores) == g.cores), key=_fewest_last))
    if keeps_rows(op):
        lead, _ = _matrix(dispatch)
        grids = {_rectangle(cores, device) for cores in _counts(lead, device.cores)}
        usual = _rectangle(_needed(lead, device.cores), device)
        return (usual, *sorted(grids - {usual}, key=_fewest_last))
    if is_matmul(dispatch):
        lead, last = _matrix(dispatch)
        rectangles = {Grid(r, c) for r in _counts(lead, device.rows) for c in _counts(last, device.cols)}
        runs = {_rectangle(cores, device) for extent in (lead, last) for cores in _counts(extent, device.cores)}
        grids = rectangles | runs
    else:
        grids = {_rectangle(cores, device) for cores in _counts(dispatch.units, device.cores)}
    grids |= {grid for _, grid, _ in shardings(op, device)}
    usual = device if is_contraction(dispatch) else flat_grid(dispatch, device)
    return (usual, *sorted(grids - {usual}, key=_fewest_last))


def _fewest_last(grid: Grid) -> tuple[int, Grid]:
    return -grid.cores, grid


def distinct(base: DeviceOp, grids: Sequence[Grid]) -> list[Grid]:
    """Return the grid with the fewest cores among those on which the op's busiest core does equally much.

    Also the usual one. Fewer cores send fewer requests, but lie elsewhere: where they lie makes a difference of some
    percent.
    """
    best: dict[object, Grid] = {}
    for grid in sorted(grids, key=lambda grid: (grid.cores, grid)):
        placed = DeviceOp(base.op, base.operands, base.results, grid, base.spread)
        best.setdefault((placed.core_domain, placed.core_units), grid)
    return list(dict.fromkeys((*best.values(), grids[0])))


def shardings(op: Op, device: Grid) -> Iterator[tuple[MemoryLayout, Grid, Spread]]:
    """Ways to shard the result over the device so that each core computes the shard that it holds."""
    if len(op.results) != 1 or not op.results[0].size:
        return
    if isinstance(op, GroupNorm):
        yield from ((MemoryLayout.BLOCK_SHARDED, grid, Spread.BLOCKS) for grid in group_grids(op, device))
        return
    for kind in _kinds(op, op.loops):
        whole = is_rowwise(op.loops) and kind is MemoryLayout.HEIGHT_SHARDED
        divided = divides_rows(op) and kind is MemoryLayout.WIDTH_SHARDED
        result = op.results[0]
        for grid in width_grids(result, device) if divided else [shard_grid(result, kind, device)]:
            if grid.cores > 1:
                yield kind, grid, Spread.FLAT if whole else SPREADS[kind]


def shard_grid(t: TensorType, kind: MemoryLayout, device: Grid) -> Grid:
    """Return the smallest rectangle of the device's cores that gives each core as little of the tensor as possible."""
    rows, cols = Layout(storage(t.dtype)).matrix(t)
    match kind:
        case MemoryLayout.BLOCK_SHARDED:
            return Grid(_needed(rows, device.rows), _needed(cols, device.cols))
        case MemoryLayout.HEIGHT_SHARDED | MemoryLayout.WIDTH_SHARDED:
            return _rectangle(_needed(rows if kind is MemoryLayout.HEIGHT_SHARDED else cols, device.cores), device)
        case MemoryLayout.INTERLEAVED | MemoryLayout.REPLICATED:
            return device


_COARSE = 8
"""Tiles of a coarse width shard: the capacity of half of Dst."""


def width_grids(t: TensorType, device: Grid) -> list[Grid]:
    """Return the cores for width shards: as many as have anything to hold, and fewer that have some tiles each."""
    columns = Layout(storage(t.dtype)).matrix(t)[1]
    few = _needed(columns, min(max(columns // _COARSE, 1), device.cores))
    return list(dict.fromkeys((shard_grid(t, MemoryLayout.WIDTH_SHARDED, device), _rectangle(few, device))))


def narrower(t: TensorType, grid: Grid) -> list[Grid]:
    """Return grids with fewer columns, as concatenated heads have: one row of cores per batch, at least two columns."""
    if t.rank <= 2 or t.shape[0] != grid.rows:
        return []
    wide = Layout(storage(t.dtype)).matrix(t)[1]
    return [Grid(grid.rows, n) for n in range(grid.cols - 1, 1, -1) if wide % n == 0][:1]


def flat_grid(dispatch: Loops, device: Grid) -> Grid:
    """Return the smallest rectangle that runs the op's iterations in as few rounds as the whole device."""
    return _rectangle(_needed(dispatch.units, device.cores), device)


def shard_layout(layout: Layout, kind: MemoryLayout, grid: Grid) -> Layout:
    """Return the sharded L1 layout of the same format."""
    return Layout(layout.dtype, layout.tiled, MemorySpace.L1, kind, grid)


def _rectangle(cores: int, device: Grid) -> Grid:
    """Return a grid with at least `cores` cores, row by row."""
    width = min(cores, device.cols)
    return Grid(-(-cores // width), width)


def _needed(extent: int, cores: int) -> int:
    """Return the number of cores that `extent` uses, with at most the work of the fullest of `cores` each."""
    each = -(-extent // cores)
    return max(1, -(-extent // max(each, 1)))


def _counts(extent: int, cores: int) -> list[int]:
    """Numbers of cores, up to `cores`, none of which can lose a core without giving another one more to do."""
    return sorted({_needed(extent, n) for n in range(1, cores + 1)})


def _matrix(dispatch: Loops) -> tuple[int, int]:
    """Iterations of all parallel loops but the last, and of the last."""
    last = dispatch.domain[dispatch.parallel[-1]]
    return dispatch.units // max(last, 1), last


def _kinds(op: Op, dispatch: Loops) -> tuple[MemoryLayout, ...]:
    if is_attention(dispatch) or any(m.access in _NOT_SHARDED for m in dispatch.maps):
        return ()
    if isinstance(op, WindowOp):
        return tuple(SPREADS) if _in_pixels(op) else ()
    if is_matmul(dispatch):
        return () if is_batched(dispatch) else tuple(SPREADS)
    if is_rowwise(dispatch):
        kinds = tuple(SPREADS) if divides_rows(op) else (MemoryLayout.HEIGHT_SHARDED,)
        return kinds if dispatch.reductions == (op.results[0].rank - 1,) else ()
    if dispatch.reductions or dispatch.outputs[0].loops != tuple(range(op.results[0].rank)):
        return ()
    return tuple(SPREADS)


_SHARDED_AXES = 2
"""Spatial axes up to which tt-metal's convolutions and pools take shards."""


def _in_pixels(op: WindowOp) -> bool:
    """Return True if rows of input and result are pixels without padding between: windows see runs of rows."""
    if len(op.sliding.windows) > _SHARDED_AXES or op.sliding.channels != op.operands[0].shape[-1]:
        return False
    plain = Layout(storage(op.operands[0].dtype))
    ends = (op.operands[0], op.results[0])
    return all(plain.matrix(t)[0] == tiles(t.size // max(t.shape[-1], 1)) for t in ends)
