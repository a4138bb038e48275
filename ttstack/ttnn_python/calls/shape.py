"""Ops that move elements."""

from ttstack.ttnn_python.calls.table import calls
from ttstack.ttnn_python.expression import Expression, call
from ttstack.ttnn_python.placed import Placed


@calls("reshape", "squeeze", "unsqueeze")
def reshape(o: Placed) -> Expression:
    """The same elements under another shape."""
    return call("reshape", o.operands[0], list(o.op.results[0].shape), memory_config=o.memory)


@calls("permute", "transpose")
def permute(o: Placed) -> Expression:
    """Dimensions in another order."""
    order = list(o.op.order)
    moved = [d for d, source in enumerate(order) if d != source]
    if len(moved) == 2:
        return o.unary("transpose", *moved)
    return o.unary("permute", order)


@calls("concat")
def concat(o: Placed) -> Expression:
    """Tensors joined along a dimension."""
    return call("concat", o.operands, dim=o.op.dim, memory_config=o.memory)


@calls("broadcast")
def broadcast(o: Placed) -> Expression:
    """Dimensions of extent 1 repeated."""
    return o.unary("repeat", list(o.op.broadcast_dimensions))


@calls("repeat")
def repeat(o: Placed) -> Expression:
    """The tensor side by side with itself."""
    return o.unary("repeat", list(o.op.repeat_dimensions))


@calls("repeat_interleave")
def repeat_interleave(o: Placed) -> Expression:
    """Each slice several times."""
    return o.unary("repeat_interleave", o.op.repeats, o.op.dim)


@calls("pad")
def pad(o: Placed) -> Expression:
    """A value around the tensor, after what negative padding cuts off; what fits into its tiles stays in its memory."""
    x, shape, pads = o.operands[0], o.op.input.shape, o.op.padding
    cuts = [o.op.cut(d) for d in range(len(shape))]
    if any(map(any, cuts)):
        ends = [extent - high for extent, (_, high) in zip(shape, cuts, strict=True)]
        x = call("slice", x, [low for low, _ in cuts], ends, [1] * len(shape), memory_config=o.memory)
    around = [(max(pads[2 * d], 0), max(pads[2 * d + 1], 0)) for d in range(len(shape))]
    if not any(map(any, around)):
        return x
    padded = call("pad", x, around, o.op.value, memory_config=o.memory)
    given, wanted = o.device_op.operands[0], o.device_op.results[0]
    inside = given.tiled and given.matrix(o.op.input) == wanted.matrix(o.op.results[0])
    return call("to_memory_config", padded, o.memory) if inside and given != wanted else padded
