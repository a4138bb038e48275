"""Rows of users, each in a shard on a separate core."""

from ttstack.device.layout import Grid, Layout, MemoryLayout, MemorySpace
from ttstack.device.sequences.sequence import CallWriter
from ttstack.ops.generic import ToLayout

COLUMNS = 8
"""Number of cores in a row of every board."""


def in_shards(s: CallWriter, value: int) -> int:
    """Shard [1, users, rows up to a tile, width] by user over a rectangle of cores, unless it is sharded so."""
    source_layout, users = s.layout(value), s.type(value).shape[1]
    shards = Layout(source_layout.dtype, True, MemorySpace.L1, MemoryLayout.HEIGHT_SHARDED, user_grid(users))
    return value if source_layout == shards else s.call(ToLayout(input=s.type(value)), value, to=shards)


def user_grid(users: int) -> Grid:
    """Return the widest rectangle of this many cores."""
    columns = next(n for n in range(min(users, COLUMNS), 0, -1) if users % n == 0)
    return Grid(users // columns, columns)
