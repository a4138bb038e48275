"""Writes into caches of keys and values."""

from dataclasses import replace

from ttstack.device.layout import Layout
from ttstack.ops.types import TILE, DType, TensorType
from ttstack.ttnn_python.calls.table import Statement, calls
from ttstack.ttnn_python.calls.users import in_shards
from ttstack.ttnn_python.expression import Expression, call
from ttstack.ttnn_python.placed_op import PlacedOp
from ttstack.ttnn_python.spelling import NoCallError, data_type


@calls("fill_cache")
def fill_cache(o: PlacedOp) -> list[Statement]:
    """The first rows of one user."""
    if o.op.input.shape[0] != 1:
        raise NoCallError("fill_cache takes one user at a time")
    return [((), call("fill_cache", o.operand("cache"), o.operand("input"), o.op.batch_offset))]


@calls("update_cache")
def update_cache(o: PlacedOp) -> list[Statement]:
    """A row a user, in shards of a user, at positions in a tensor."""
    heads = o.op.cache.shape[1]
    apart = o.op.users == o.op.input.shape[0]
    if apart and o.op.input.shape[2] != 1:
        raise NoCallError(f"{o.op.input.shape[2]} rows at a time: one has a call")
    if heads > TILE or o.op.batch_offset:
        raise NoCallError("more heads than a tile has rows, or users from another one on")
    plain, given = _plain(o)
    rows = call("permute", plain, [2, 0, 1, 3] if apart else [0, 2, 1, 3])
    t = TensorType((1, o.op.users, heads, o.op.cache.shape[3]), o.op.input.dtype)
    held = in_shards(o, rows, given, t)
    at = _positions(o)
    if o.op.update_index.size != o.op.users:
        at = call("repeat", at, [o.op.users])
    return [((), call("experimental.paged_update_cache", o.operand("cache"), held, update_idxs_tensor=at))]


def _plain(o: PlacedOp) -> tuple[Expression, Layout]:
    """What is written, not in blocks."""
    given = o.at("input")[1]
    if not given.dtype.is_block:
        return o.operands[1], given
    return call("typecast", o.operands[1], data_type(DType.BF16)), replace(given, dtype=DType.BF16)


def _positions(o: PlacedOp) -> Expression | None:
    """Numbers with a sign."""
    at = o.operand("update_index")
    return at if o.at("update_index")[1].dtype is DType.SI32 else call("typecast", at, data_type(DType.SI32))


@calls("paged_update_cache")
def paged_update_cache(o: PlacedOp) -> list[Statement]:
    """A row a user, where a tensor says."""
    if o.op.input.shape[2] > TILE:
        raise NoCallError("more heads than a tile has rows")
    plain, given = _plain(o)
    rows = plain if given.sharded else in_shards(o, plain, given, o.at("input")[0])
    keywords = {
        "update_idxs_tensor": _positions(o),
        "share_cache": o.op.share_cache or None,
        "page_table": o.operand("page_table"),
    }
    return [((), call("experimental.paged_update_cache", o.operand("cache"), rows, **keywords))]


@calls("paged_fill_cache")
def paged_fill_cache(o: PlacedOp) -> list[Statement]:
    """The first rows of a user, in the pages that it has."""
    operands = (o.operand(place) for place in ("cache", "input", "page_table"))
    users = o.operand("batch_idx_tensor")
    keywords = {"batch_idx": 0} if users is None else {"batch_idx_tensor": users}
    return [((), call("experimental.paged_fill_cache", *operands, **keywords))]
