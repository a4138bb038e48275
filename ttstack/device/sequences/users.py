"""Rows of users, each in a shard on a core of its own."""

from ttstack.device.layout import Grid, Layout, MemoryLayout, MemorySpace
from ttstack.device.sequences.sequence import CallWriter
from ttstack.ops.generic import ToLayout

COLUMNS = 8
"""Cores in a row of every board."""


def in_shards(s: CallWriter, value: int) -> int:
    """[1, users, rows up to a tile, width], of which each core of a rectangle has a user; as it is where it lies so."""
    source_layout, users = s.layout(value), s.type(value).shape[1]
    shards = Layout(source_layout.dtype, True, MemorySpace.L1, MemoryLayout.HEIGHT_SHARDED, user_grid(users))
    return value if source_layout == shards else s.call(ToLayout(input=s.type(value)), value, to=shards)


def user_grid(users: int) -> Grid:
    """The widest rectangle of so many cores."""
    columns = next(n for n in range(min(users, COLUMNS), 0, -1) if users % n == 0)
    return Grid(users // columns, columns)
