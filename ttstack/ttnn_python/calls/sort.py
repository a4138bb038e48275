"""Ops that order elements."""

from ttstack.device.sequences.reduction import USERS
from ttstack.ttnn_python.calls.table import calls
from ttstack.ttnn_python.expression import Expression, call
from ttstack.ttnn_python.placed_op import PlacedOp
from ttstack.ttnn_python.spelling import NoCallError


@calls("topk")
def topk(o: PlacedOp) -> Expression:
    """Return the best values and their positions."""
    op = o.op
    return o.unary("topk", k=op.k, dim=op.dim, largest=op.largest, sorted=op.sorted)


@calls("sort")
def sort(o: PlacedOp) -> Expression:
    """Return the sorted values and their positions."""
    op = o.op
    return o.unary("sort", dim=op.dim, descending=op.descending, stable=op.stable)


@calls("sampling")
def sampling(o: PlacedOp) -> Expression:
    """Sample a token for each of 32 users."""
    *_, users, _ = o.op.input_values.shape
    if users != USERS:
        raise NoCallError(f"sampling of tokens for {users} users: the library supports at most {USERS}")
    return call("reshape", call("sampling", *o.operands, seed=o.op.seed), [users])
