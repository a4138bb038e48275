"""Rows of users, each in a shard on a core of its own."""

from ttstack.device.layout import Grid, Layout, MemoryLayout, MemorySpace
from ttstack.ops.types import TILE, TensorType
from ttstack.ttnn_python.expression import Expression, call
from ttstack.ttnn_python.placed_op import PlacedOp

COLUMNS = 8
"""Cores in a row of every board."""


def in_shards(o: PlacedOp, value: Expression, given: Layout, t: TensorType) -> Expression:
    """[1, users, rows up to a tile, width], of which each core of a rectangle has a user; as it is where it lies so."""
    _, users, _, width = t.shape
    shards = Layout(given.dtype, True, MemorySpace.L1, MemoryLayout.HEIGHT_SHARDED, user_grid(users))
    if given == shards:
        return value
    return call("to_memory_config", value, o.constants.memory(shards, TensorType((1, users, TILE, width), t.dtype)))


def user_grid(users: int) -> Grid:
    """The widest rectangle of so many cores."""
    columns = next(n for n in range(min(users, COLUMNS), 0, -1) if users % n == 0)
    return Grid(users // columns, columns)
