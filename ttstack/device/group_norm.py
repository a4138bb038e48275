"""The library's group norm: division of groups over cores, and restrictions on shapes and layouts.

Each core has columns of tiles of whole groups, and rows of tiles of a sample, or whole samples; cores with the same
columns of a sample share its groups. Rules are those of `ttnn` 0.81.1's sharded program. The one for interleaved
tensors is not used: it reads a tile four times for each group that has columns of it, one at a time, and its sums are
inexact (tt-metal issues 53803 and 53846).
"""

from collections.abc import Iterator
from dataclasses import dataclass

from ttstack.device.device_op import DeviceOp, Spread
from ttstack.device.layout import Grid, Layout, MemoryLayout, MemorySpace
from ttstack.ops.normalization import GroupNorm
from ttstack.ops.types import TILE, DType, TensorType, tiles


@dataclass(frozen=True)
class GroupShare:
    """The work of one core."""

    groups: int
    """Number of channel groups of each sample."""
    samples: int
    """Number of samples; if there are several, it has all their rows of tiles."""
    height: int
    """Rows of tiles of each sample."""
    width: int
    """Columns of tiles."""
    span: int
    """Columns of tiles processed for a group."""
    sharing: int
    """Number of cores that share a group of a sample."""

    @staticmethod
    def of(op: GroupNorm, rows: int, columns: int) -> "GroupShare":
        """Create the share of a core, given the numbers of cores for rows of tiles and for columns."""
        samples, _, pixels, channels = op.input.shape
        each = max(samples // rows, 1)
        return GroupShare(
            groups=op.num_groups // columns,
            samples=each,
            height=samples * tiles(pixels) // rows // each,
            width=tiles(channels) // columns,
            span=op.span,
            sharing=max(rows // samples, 1),
        )

    @property
    def visits(self) -> int:
        """Number of processed tiles, each counted for all groups with columns of it."""
        return self.groups * self.samples * self.height * self.span


def mask_type(op: GroupNorm) -> TensorType:
    """Return the type of the library's mask: ones in the columns of each group, from its first tile."""
    return TensorType((1, op.num_groups, TILE, op.span * TILE), DType.BF16)


def has_form(op: GroupNorm) -> bool:
    """Return True if the library supports the op.

    It needs channels last in whole tiles, a mask, and rows of numbers by channel.
    """
    if op.input.rank != len(("sample", "one", "pixel", "channel")):
        return False
    _, one, pixels, channels = op.input.shape
    whole = one == 1 and pixels > 0 and pixels % TILE == 0 and channels > 0 and channels % TILE == 0
    last = op.channel_dim in (3, -1)
    by_channel = all(t is None or t.rank == op.input.rank for t in (op.weight, op.bias))
    masked = op.input_mask is not None and op.input_mask.shape == mask_type(op).shape
    return whole and last and by_channel and masked


def group_grids(op: GroupNorm, device: Grid) -> list[Grid]:
    """Return the supported grids with the most columns, largest first.

    Fewer columns give each core more sequential groups; more rows let more cores exchange sums.
    """
    grids = [grid for grid in device.parts() if has_form(op) and _divides(op, grid.rows, grid.cols)]
    columns = max((grid.cols for grid in grids), default=0)
    return [grid for grid in reversed(grids) if grid.cols == columns]


def cut(device_op: DeviceOp) -> tuple[int, int]:
    """Return the numbers of cores for rows of tiles and for columns."""
    grid = device_op.grid
    return (grid.cores, 1) if device_op.spread is Spread.ROWS else (grid.rows, grid.cols)


def share_of(device_op: DeviceOp, op: GroupNorm) -> GroupShare:
    """Return the share of a placed group norm that one core computes."""
    return GroupShare.of(op, *cut(device_op))


def shards_of(device_op: DeviceOp, dtype: DType) -> Layout:
    """Return the shards of a group norm."""
    kind = MemoryLayout.HEIGHT_SHARDED if device_op.spread is Spread.ROWS else MemoryLayout.BLOCK_SHARDED
    return Layout(dtype, True, MemorySpace.L1, kind, device_op.grid)


def group_faults(device_op: DeviceOp, op: GroupNorm) -> Iterator[str]:
    """Yield the rules that a placed group norm violates."""
    if not has_form(op):
        yield "a group norm has channels last in whole tiles, a mask, and numbers by channel in rows of 32"
    elif device_op.spread not in (Spread.BLOCKS, Spread.ROWS) or not _divides(op, *cut(device_op)):
        yield f"{device_op.grid} cores do not divide the groups and rows of tiles of a group norm"
    for layout in (device_op.operands[0], *device_op.results):
        wanted = shards_of(device_op, layout.dtype)
        if layout.sharded and (layout.memory_layout, layout.grid) != (wanted.memory_layout, wanted.grid):
            yield "a group norm takes and gives shards of the cores that work on them, or pages"


def _divides(op: GroupNorm, rows: int, columns: int) -> bool:
    """Return True if each core gets whole groups and tiles, and whole samples or a share of one."""
    samples, _, pixels, channels = op.input.shape
    whole = op.num_groups % columns == 0 and tiles(channels) % columns == 0
    return whole and samples * tiles(pixels) % rows == 0 and (samples % rows == 0 or rows % samples == 0)
