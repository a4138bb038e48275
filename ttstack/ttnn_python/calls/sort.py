"""Ops that order elements."""

from typing import Any

from ttstack.ops.types import DType
from ttstack.ttnn_python.calls.formats import compute_format
from ttstack.ttnn_python.calls.table import Statement, calls
from ttstack.ttnn_python.expression import Expression, Name, call
from ttstack.ttnn_python.placed_op import PlacedOp
from ttstack.ttnn_python.spelling import NoCallError

_USERS = 32
"""Rows of candidates that tokens are drawn for at a time."""


@calls("topk")
def topk(o: PlacedOp) -> list[Statement]:
    """The best values and where they stood."""
    op = o.op
    keywords = {"k": op.k, "dim": op.dim, "largest": op.largest, "sorted": op.sorted}
    return _ordered(o, "topk", keywords)


@calls("sort")
def sort(o: PlacedOp) -> list[Statement]:
    """All values in order and where they stood."""
    op = o.op
    order = {"dim": op.dim, "descending": op.descending, "stable": op.stable}
    return _ordered(o, "sort", order)


def _ordered(o: PlacedOp, name: str, keywords: dict[str, Any]) -> list[Statement]:
    """Values, then positions, which are 16-bit numbers where values are, and the extent fits them."""
    held = compute_format(name, o.operand_dtype)
    found = call(name, o.as_format(0, held), **keywords, memory_config=o.memory)
    ordered, at = o.op.ordered_operand()
    wide = held is DType.F32 or ordered.shape[at] > 1 << 16
    casts = [o.cast(Name(o.targets[0]), held), o.cast(Name(o.targets[1]), DType.UI32 if wide else DType.UI16, number=1)]
    changed = zip(o.targets, casts, strict=True)
    return [(o.targets, found), *(((target,), cast) for target, cast in changed if cast != Name(target))]


@calls("sampling")
def sampling(o: PlacedOp) -> Expression:
    """A token for each of 32 users."""
    users, candidates = o.op.input_values.shape
    if users != _USERS:
        raise NoCallError(f"tokens of {users} users: of {_USERS} at a time")
    _, indices, *others = o.operands
    values = o.as_format(0, compute_format("sampling", o.operand_dtype))
    shape = [1, 1, users, candidates]
    found = call("sampling", call("reshape", values, shape), call("reshape", indices, shape), *others, seed=o.op.seed)
    return o.cast(call("reshape", found, [users]), DType.UI32)
