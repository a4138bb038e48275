"""Writes into caches of keys and values."""

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
