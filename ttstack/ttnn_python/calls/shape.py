"""Data movement."""

from ttstack.ttnn_python.calls.table import calls
from ttstack.ttnn_python.expression import Expression, call
from ttstack.ttnn_python.placed_op import PlacedOp


@calls("reshape", "squeeze", "unsqueeze")
def reshape(o: PlacedOp) -> Expression:
    """Reshape, on the host too."""
    shape = list(o.op.results[0].shape)
    if o.variables[0] in o.on_host:
        return call("reshape", o.operands[0], shape)
    return o.unary("reshape", shape)


@calls("permute", "transpose")
def permute(o: PlacedOp) -> Expression:
    """Permute dimensions."""
    order = list(o.op.order)
    moved = [d for d, source in enumerate(order) if d != source]
    if len(moved) == 2:
        return o.unary("transpose", *moved)
    return o.unary("permute", order)


@calls("concat")
def concat(o: PlacedOp) -> Expression:
    """Concatenate tensors along a dimension."""
    return call("concat", o.operands, dim=o.op.dim, memory_config=o.memory)


@calls("broadcast")
def broadcast(o: PlacedOp) -> Expression:
    """Repeat unit dimensions."""
    if not o.op.input.rank:
        return call("clone", o.operands[0], memory_config=o.memory)
    return o.unary("repeat", list(o.op.broadcast_dimensions))


@calls("repeat")
def repeat(o: PlacedOp) -> Expression:
    """Repeat the tensor."""
    if not o.op.input.rank:
        return call("clone", o.operands[0], memory_config=o.memory)
    return o.unary("repeat", list(o.op.repeat_dimensions))


@calls("repeat_interleave")
def repeat_interleave(o: PlacedOp) -> Expression:
    """Repeat each slice."""
    return o.unary("repeat_interleave", o.op.repeats, o.op.dim)


@calls("pad")
def pad(o: PlacedOp) -> Expression:
    """Pad with a value; padding within tiles keeps the memory."""
    pads = o.op.padding
    around = [(pads[2 * d], pads[2 * d + 1]) for d in range(o.op.input.rank)]
    padded = o.unary("pad", around, o.op.value)
    given, wanted = o.device_op.operands[0], o.device_op.results[0]
    inside = given.tiled and given.matrix(o.op.input) == wanted.matrix(o.op.results[0])
    return call("to_memory_config", padded, o.memory) if inside and given != wanted else padded
