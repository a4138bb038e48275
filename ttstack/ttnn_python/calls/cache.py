"""Writes into caches of keys and values."""

from ttstack.ops.types import TILE
from ttstack.ttnn_python.calls.table import Statement, calls
from ttstack.ttnn_python.expression import call
from ttstack.ttnn_python.placed_op import PlacedOp
from ttstack.ttnn_python.spelling import NoCallError


@calls("fill_cache")
def fill_cache(o: PlacedOp) -> list[Statement]:
    """Write the first rows of a user."""
    return [((), call("fill_cache", *o.operands, o.op.batch_offset))]


@calls("update_cache")
def update_cache(o: PlacedOp) -> list[Statement]:
    """Write one row per user, sharded by user, at positions from a tensor."""
    if o.op.users == o.op.input.shape[0] and o.op.input.shape[2] != 1:
        raise NoCallError(f"{o.op.input.shape[2]}rows at a time: the call writes one")
    if o.op.cache.shape[1] > TILE or o.op.batch_offset:
        raise NoCallError("more heads than rows of a tile, or a first user other than 0")
    cache, rows, at = o.operands
    return [((), call("experimental.paged_update_cache", cache, rows, update_idxs_tensor=at))]


@calls("paged_update_cache")
def paged_update_cache(o: PlacedOp) -> list[Statement]:
    """Write one row per user at positions from a tensor."""
    if o.op.input.shape[2] > TILE:
        raise NoCallError("more heads than rows of a tile")
    keywords = {
        "update_idxs_tensor": o.operand("update_index"),
        "share_cache": o.op.share_cache or None,
        "page_table": o.operand("page_table"),
    }
    return [((), call("experimental.paged_update_cache", o.operand("cache"), o.operand("input"), **keywords))]


@calls("paged_fill_cache")
def paged_fill_cache(o: PlacedOp) -> list[Statement]:
    """Write the first rows of a user to its pages."""
    operands = (o.operand(place) for place in ("cache", "input", "page_table"))
    users = o.operand("batch_idx_tensor")
    keywords = {"batch_idx": 0} if users is None else {"batch_idx_tensor": users}
    return [((), call("experimental.paged_fill_cache", *operands, **keywords))]
