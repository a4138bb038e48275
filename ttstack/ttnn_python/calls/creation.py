"""Tensors from attributes."""

from ttstack.ttnn_python.calls.table import calls
from ttstack.ttnn_python.expression import Expression, Name, call
from ttstack.ttnn_python.placed_op import PlacedOp
from ttstack.ttnn_python.spelling import layout

DEVICE = Name("device")


@calls("zeros", "ones", "empty")
def plain(o: PlacedOp) -> Expression:
    """Create a splat, or an uninitialized tensor."""
    keywords = {"dtype": o.dtype, "layout": layout(o.result[1]), "device": DEVICE, "memory_config": o.memory}
    return call(o.op.mnemonic, list(o.op.results[0].shape), **keywords)


@calls("full")
def full(o: PlacedOp) -> Expression:
    """Fill with a number."""
    keywords = {"dtype": o.dtype, "layout": layout(o.result[1]), "device": DEVICE, "memory_config": o.memory}
    return call("full", list(o.op.results[0].shape), o.op.fill_value, **keywords)


@calls("arange")
def arange(o: PlacedOp) -> Expression:
    """Count along the only dimension."""
    op, (_, found) = o.op, o.result
    keywords = {"dtype": o.dtype, "device": DEVICE, "layout": layout(found), "memory_config": o.memory}
    return call("arange", op.start, op.end, op.step, **keywords)


@calls("rand")
def rand(o: PlacedOp) -> Expression:
    """Draw uniform samples."""
    keywords = {"dtype": o.dtype, "layout": layout(o.result[1]), "memory_config": o.memory}
    op = o.op
    return call("rand", list(op.size), DEVICE, **keywords, low=op.low, high=op.high, seed=op.seed)
