"""Ops that order elements."""

from ttstack.ops.types import DType
from ttstack.ttnn_python.calls.table import Statement, calls
from ttstack.ttnn_python.expression import Expression, Name, call
from ttstack.ttnn_python.placed import Placed
from ttstack.ttnn_python.spelling import data_type


@calls("topk")
def topk(o: Placed) -> list[Statement]:
    """The best values and where they stood."""
    op = o.op
    found = call(
        "topk", o.operands[0], k=op.k, dim=op.dim, largest=op.largest, sorted=op.sorted, memory_config=o.memory
    )
    return _indexed(o, found)


@calls("sort")
def sort(o: Placed) -> list[Statement]:
    """All values in order and where they stood."""
    op = o.op
    order = {"dim": op.dim, "descending": op.descending, "stable": op.stable}
    if o.op.input.dtype.is_float:
        return _indexed(o, call("sort", o.operands[0], **order, memory_config=o.memory))
    reals = call("typecast", o.operands[0], data_type(DType.F32))
    values = o.cast(Name(o.targets[0]), DType.F32)
    return [*_indexed(o, call("sort", reals, **order, memory_config=o.memory)), ((o.targets[0],), values)]


def _indexed(o: Placed, found: Expression) -> list[Statement]:
    """Positions are 16-bit numbers where the extent fits them."""
    at = o.op.ordered()[1]
    given = DType.UI16 if o.op.ordered()[0].shape[at] <= 1 << 16 else DType.UI32
    positions = o.targets[1]
    cast = o.cast(Name(positions), given, number=1)
    return [(o.targets, found), *([] if cast == Name(positions) else [((positions,), cast)])]


@calls("sampling")
def sampling(o: Placed) -> Expression:
    """A token for each of 32 users."""
    found = call("sampling", *o.operands, seed=o.op.seed)
    return o.cast(found, DType.UI32)
