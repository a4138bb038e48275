"""Writes into caches of keys and values."""

from ttstack.device.layout import Grid, Layout, MemoryLayout, MemorySpace
from ttstack.ops.types import TILE, TensorType
from ttstack.ttnn_python.calls.table import Statement, calls
from ttstack.ttnn_python.expression import call
from ttstack.ttnn_python.placed import Placed
from ttstack.ttnn_python.spelling import NoCallError


@calls("fill_cache")
def fill_cache(o: Placed) -> list[Statement]:
    """The first rows of one user."""
    if o.op.input.shape[0] != 1:
        raise NoCallError("fill_cache takes one user at a time")
    return [((), call("fill_cache", o.operand("cache"), o.operand("input"), o.op.batch_offset))]


@calls("update_cache")
def update_cache(o: Placed) -> list[Statement]:
    """A row a user, in shards of a user, heads filled up to a tile, at positions in a tensor."""
    heads, width = o.op.cache.shape[1], o.op.cache.shape[3]
    apart = o.op.users == o.op.input.shape[0]
    if apart and o.op.input.shape[2] != 1:
        raise NoCallError(f"{o.op.input.shape[2]} rows at a time: one has a call")
    if heads > TILE or o.op.batch_offset:
        raise NoCallError("more heads than a tile has rows, or users from another one on")
    rows = call("permute", o.operand("input"), [2, 0, 1, 3] if apart else [0, 2, 1, 3])
    filled = call("pad", rows, [(0, 0), (0, 0), (0, TILE - heads), (0, 0)], 0.0) if heads < TILE else rows
    users = TensorType((1, o.op.users, TILE, width), o.op.input.dtype)
    given = o.at("input")[1]
    shards = Layout(given.dtype, True, MemorySpace.L1, MemoryLayout.HEIGHT_SHARDED, Grid(1, o.op.users))
    held = call("to_memory_config", filled, o.constants.memory(shards, users))
    at = o.operand("update_index")
    if o.op.update_index.size != o.op.users:
        at = call("repeat", at, [o.op.users])
    return [((), call("experimental.paged_update_cache", o.operand("cache"), held, update_idxs_tensor=at))]


@calls("paged_update_cache")
def paged_update_cache(o: Placed) -> list[Statement]:
    """A row a user, where a tensor says."""
    keywords = {
        "update_idxs_tensor": o.operand("update_index"),
        "share_cache": o.op.share_cache or None,
        "page_table": o.operand("page_table"),
    }
    return [((), call("experimental.paged_update_cache", o.operand("cache"), o.operand("input"), **keywords))]


@calls("paged_fill_cache")
def paged_fill_cache(o: Placed) -> list[Statement]:
    """The first rows of a user, in the pages that it has."""
    operands = (o.operand(place) for place in ("cache", "input", "page_table"))
    users = o.operand("batch_idx_tensor")
    keywords = {"batch_idx": 0} if users is None else {"batch_idx_tensor": users}
    return [((), call("experimental.paged_fill_cache", *operands, **keywords))]
